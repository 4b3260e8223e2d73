package com.kazeia.example

import android.app.Activity
import android.content.Intent
import android.os.Bundle
import android.widget.Button
import android.widget.EditText
import android.widget.LinearLayout
import android.widget.TextView
import com.kazeia.tts.FinishReason
import com.kazeia.tts.SpeechRequest
import com.kazeia.tts.TtsEngine
import com.kazeia.tts.TtsException
import com.kazeia.tts.android.AudioPlayer
import com.kazeia.tts.android.InstallDataActivity
import com.kazeia.tts.android.ModelStore
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.Job
import kotlinx.coroutines.MainScope
import kotlinx.coroutines.cancel
import kotlinx.coroutines.launch

/** Speaks what is in the text field. The engine is loaded at the first press and kept while the activity lives. */
class MainActivity : Activity() {
    private val scope = MainScope()
    private var engine: TtsEngine? = null
    private var speech: Job? = null
    private lateinit var input: EditText
    private lateinit var status: TextView

    override fun onCreate(savedInstanceState: Bundle?) {
        super.onCreate(savedInstanceState)
        input = EditText(this).apply { setText("Bonjour, je m'appelle Kazeia.") }
        status = TextView(this)
        setContentView(LinearLayout(this).apply {
            orientation = LinearLayout.VERTICAL
            fitsSystemWindows = true
            addView(input)
            addView(button("Speak") { speak() })
            addView(button("Stop") { speech?.cancel() })
            addView(button("Install a model") { startActivity(Intent(this@MainActivity, InstallDataActivity::class.java)) })
            addView(status)
        })
    }

    override fun onDestroy() {
        scope.cancel()
        engine?.close()
        super.onDestroy()
    }

    private fun speak() {
        val before = speech
        speech = scope.launch {
            before?.cancel()
            before?.join()
            try {
                speak(loadedEngine() ?: return@launch)
            } catch (e: CancellationException) {
                status.text = "Stopped"
                throw e
            } catch (e: TtsException) {
                status.text = e.message
            }
        }
    }

    private suspend fun speak(engine: TtsEngine) {
        status.text = "Speaking"
        val stream = engine.stream(SpeechRequest(input.text.toString())) { report ->
            val end = if (report.finishReason == FinishReason.LENGTH) ", the end may be missing" else ""
            val text = "%.1f s of audio, %.2f s of work for each%s".format(report.audioSeconds, report.realTimeFactor, end)
            runOnUiThread { status.text = text }
        }
        AudioPlayer(engine.info.sampleRateHz).play(stream)
    }

    private suspend fun loadedEngine(): TtsEngine? {
        engine?.let { return it }
        val model = ModelStore(this).model()
        if (model == null) {
            status.text = "No model is installed"
            return null
        }
        status.text = "Loading"
        return TtsEngine.load(model.path).also { engine = it }
    }

    private fun button(label: String, action: () -> Unit) = Button(this).apply {
        text = label
        setOnClickListener { action() }
    }
}
