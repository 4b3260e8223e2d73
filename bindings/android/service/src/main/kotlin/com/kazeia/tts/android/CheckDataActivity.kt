package com.kazeia.tts.android

import android.app.Activity
import android.content.Intent
import android.os.Bundle
import android.speech.tts.TextToSpeech.Engine
import kotlin.concurrent.thread

/** Answers the system's `CHECK_TTS_DATA`: which languages can be spoken now. Shows nothing. */
class CheckDataActivity : Activity() {
    override fun onCreate(savedInstanceState: Bundle?) {
        super.onCreate(savedInstanceState)
        // A model that was never described is loaded for that, which takes seconds.
        thread(name = "kazeia-check") {
            val languages = InstalledModel(this).languages()
            runOnUiThread { answer(languages) }
        }
    }

    private fun answer(languages: List<SpokenLanguage>) {
        val result = Intent()
            .putStringArrayListExtra(Engine.EXTRA_AVAILABLE_VOICES, codes(languages))
            .putStringArrayListExtra(Engine.EXTRA_UNAVAILABLE_VOICES, codes(SpokenLanguage.entries - languages.toSet()))
        setResult(if (languages.isEmpty()) Engine.CHECK_VOICE_DATA_FAIL else Engine.CHECK_VOICE_DATA_PASS, result)
        finish()
    }

    private fun codes(languages: List<SpokenLanguage>) = ArrayList(languages.map { it.iso3 })
}
