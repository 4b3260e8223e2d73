package com.kazeia.tts.android

import android.content.Context
import com.kazeia.tts.EngineOptions
import com.kazeia.tts.ModelInfo
import com.kazeia.tts.TtsEngine
import com.kazeia.tts.TtsException
import java.io.File
import java.io.IOException
import java.io.InputStream

/**
 * Where an app keeps its model: one GGUF file in the app's own files folder, because its weights are memory-mapped. Beside it
 * lies the description of the model in use, so that voices and languages are known without loading it.
 *
 * Functions that touch files say whether they may take long; keep those off the main thread.
 */
class ModelStore(context: Context) {
    private val folder = File(context.filesDir, "kazeia")
    private val file = File(folder, "model.gguf")
    private val incoming = File(folder, "model.gguf.part")
    private val description = File(folder, "model.info")

    /** The installed model, or null. Quick. */
    fun model(): File? = file.takeIf { it.isFile }

    /** Installs the model that `source` holds, see [install] with a stream. Takes long. */
    @Throws(IOException::class)
    fun install(source: File): ModelInfo = source.inputStream().use { install(it) }

    /**
     * Copies a model, loads it once to see that it is whole, and then puts it in place of the one before. On a failure the
     * old one stays, and nothing of the new one. An engine that has the old file open goes on with it. Takes long.
     *
     * @param progress receives the bytes copied so far; throw out of it to give up
     * @throws TtsException if it is not a model that this engine can load
     */
    @JvmOverloads
    @Throws(IOException::class)
    fun install(source: InputStream, progress: (Long) -> Unit = {}): ModelInfo = synchronized(installing) {
        if (!folder.isDirectory && !folder.mkdirs()) throw IOException("can't make the folder $folder")
        try {
            incoming.outputStream().use { target ->
                val buffer = ByteArray(1 shl 20)
                var total = 0L
                while (true) {
                    val count = source.read(buffer)
                    if (count < 0) break
                    target.write(buffer, 0, count)
                    total += count
                    progress(total)
                }
                target.fd.sync()
            }
            val info = TtsEngine.loadBlocking(incoming.path, EngineOptions(numThreads = 1)).use { it.info }
            if (!incoming.renameTo(file)) throw IOException("can't rename $incoming to $file")
            describe(file, info)
            info
        } finally {
            incoming.delete()
        }
    }

    /** What is known of a model without loading it; null if it is not the one that was described last. Quick. */
    fun description(model: File): ModelInfo? = try {
        val (stamp, json) = description.readText().split('\n', limit = 2)
        if (stamp == stamp(model)) ModelInfo.fromJson(json) else null
    } catch (_: IOException) {
        null
    } catch (_: RuntimeException) {
        null  // not what describe() wrote
    }

    /** Keeps what a model, of this store or from elsewhere, said about itself. Quick. */
    fun describe(model: File, info: ModelInfo) {
        try {
            folder.mkdirs()
            description.writeText(stamp(model) + "\n" + info.json)
        } catch (_: IOException) {
            // The model will be loaded again to be described.
        }
    }

    internal companion object {
        private val installing = Any()

        /** Differs between models, as far as one sees without reading them. */
        fun stamp(model: File) = "${model.path} ${model.length()} ${model.lastModified()}"
    }
}
