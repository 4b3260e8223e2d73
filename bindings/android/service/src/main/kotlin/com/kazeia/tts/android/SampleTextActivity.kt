package com.kazeia.tts.android

import android.app.Activity
import android.content.Intent
import android.os.Bundle
import android.speech.tts.TextToSpeech
import android.speech.tts.TextToSpeech.Engine

/** Answers the system's `GET_SAMPLE_TEXT`: what its settings let a language say. Shows nothing. */
class SampleTextActivity : Activity() {
    override fun onCreate(savedInstanceState: Bundle?) {
        super.onCreate(savedInstanceState)
        val language = SpokenLanguage.ofCode(intent.getStringExtra("language"))
        if (language == null) {
            setResult(TextToSpeech.LANG_NOT_SUPPORTED)
        } else {
            setResult(TextToSpeech.LANG_AVAILABLE, Intent().putExtra(Engine.EXTRA_SAMPLE_TEXT, language.sampleText))
        }
        finish()
    }
}
