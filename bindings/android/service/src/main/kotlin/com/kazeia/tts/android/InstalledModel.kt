package com.kazeia.tts.android

import android.content.Context
import com.kazeia.tts.EngineOptions
import com.kazeia.tts.ModelInfo
import com.kazeia.tts.TtsEngine
import com.kazeia.tts.TtsException

/** What the activities ask about the model of the app's [ModelStore]. */
internal class InstalledModel(context: Context) {
    private val store = ModelStore(context)

    /** Of the installed model; null if there is none or it can't be loaded. May take seconds, for a model never described. */
    fun info(): ModelInfo? {
        val file = store.model() ?: return null
        store.description(file)?.let { return it }
        return try {
            TtsEngine.loadBlocking(file.path, EngineOptions(numThreads = 1)).use { it.info }.also { store.describe(file, it) }
        } catch (_: TtsException) {
            null
        }
    }

    /** See [info]. */
    fun languages(): List<SpokenLanguage> = info()?.let { VoiceCatalog(it).languages } ?: emptyList()
}
