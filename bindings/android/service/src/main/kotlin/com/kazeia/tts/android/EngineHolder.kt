package com.kazeia.tts.android

import android.os.Looper
import com.kazeia.tts.EngineOptions
import com.kazeia.tts.ModelInfo
import com.kazeia.tts.TtsEngine
import java.io.File
import java.io.FileNotFoundException

/** The engine of a service: loaded when it is first needed, and again when the model has changed. */
internal class EngineHolder(
    private val store: () -> ModelStore,
    private val model: () -> File?,
    private val options: () -> EngineOptions,
) : AutoCloseable {
    private val loading = Any()
    private var loadedFrom: String? = null
    @Volatile private var engine: TtsEngine? = null
    @Volatile private var closed = false
    @Volatile private var known: Pair<String, VoiceCatalog>? = null

    /**
     * The engine, loaded by this call if need be: seconds, so never on the main thread.
     *
     * @throws FileNotFoundException if no model is installed
     * @throws com.kazeia.tts.TtsException if it can't be loaded
     */
    fun get(): TtsEngine {
        check(Looper.myLooper() != Looper.getMainLooper()) { "loading a model would block the main thread" }
        synchronized(loading) {
            check(!closed) { "the service is destroyed" }
            val file = model() ?: throw FileNotFoundException("no model is installed")
            engine?.let { if (loadedFrom == ModelStore.stamp(file)) return it }
            engine?.close()
            engine = null
            val loaded = TtsEngine.loadBlocking(file.path, options())
            loadedFrom = ModelStore.stamp(file)
            engine = loaded
            remember(file, loaded.info)
            store().run { if (description(file) == null) describe(file, loaded.info) }
            if (closed) loaded.close()
            return loaded
        }
    }

    /**
     * The voices of the installed model; null if there is none or it can't be loaded. On the main thread also null while
     * nothing is known of the model, because only loading it would tell.
     */
    fun catalog(): VoiceCatalog? {
        val file = model() ?: return null
        known?.let { (key, catalog) -> if (key == ModelStore.stamp(file)) return catalog }
        val described = store().description(file)
        if (described != null) return remember(file, described)
        if (Looper.myLooper() == Looper.getMainLooper()) return null
        return try {
            remember(file, get().info)
        } catch (_: RuntimeException) {
            null
        } catch (_: FileNotFoundException) {
            null
        }
    }

    /** Ends what is spoken and gives the model back. Returns at once. */
    override fun close() {
        closed = true
        engine?.close()
    }

    private fun remember(file: File, info: ModelInfo) = VoiceCatalog(info).also { known = ModelStore.stamp(file) to it }
}
