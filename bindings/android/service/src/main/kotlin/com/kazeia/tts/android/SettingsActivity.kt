package com.kazeia.tts.android

import android.app.Activity
import android.content.Intent
import android.os.Bundle
import android.widget.Button
import android.widget.LinearLayout
import android.widget.ScrollView
import android.widget.TextView
import com.kazeia.tts.ModelInfo
import kotlin.concurrent.thread

/** The page behind "Settings" of this voice in the system's settings: what is installed, and a way to change it. */
class SettingsActivity : Activity() {
    private lateinit var description: TextView

    override fun onCreate(savedInstanceState: Bundle?) {
        super.onCreate(savedInstanceState)
        description = TextView(this).apply { setTextIsSelectable(true) }
        val change = Button(this).apply {
            text = "Choose a model file"
            setOnClickListener { startActivity(Intent(this@SettingsActivity, InstallDataActivity::class.java)) }
        }
        val column = LinearLayout(this).apply {
            orientation = LinearLayout.VERTICAL
            setPadding(PADDING, PADDING, PADDING, PADDING)
            addView(description)
            addView(change)
        }
        setContentView(ScrollView(this).apply { addView(column) })
    }

    override fun onResume() {
        super.onResume()
        description.text = "Reading the model"
        thread(name = "kazeia-settings") {
            val model = ModelStore(this).model()
            val info = InstalledModel(this).info()
            val text = when {
                model == null -> "No model is installed. Without one this voice is silent."
                info == null -> "The model can't be loaded: ${model.path}"
                else -> describe(info, model.length())
            }
            runOnUiThread { description.text = text }
        }
    }

    private fun describe(info: ModelInfo, bytes: Long) = listOf(
        "Model" to "${info.name} (${info.type}, ${info.size}, ${bytes / 1_000_000} MB)",
        "Languages" to info.languages.joinToString(", "),
        "Speakers" to info.voices.joinToString(", ") { it.name },
        "Licence" to info.license,
        "Source" to info.source,
    ).filter { it.second.isNotEmpty() }.joinToString("\n\n") { "${it.first}\n${it.second}" }

    private companion object {
        const val PADDING = 48  // pixels
    }
}
