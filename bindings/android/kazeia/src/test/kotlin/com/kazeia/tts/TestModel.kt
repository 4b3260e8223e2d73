package com.kazeia.tts

import java.io.ByteArrayOutputStream
import java.security.MessageDigest

/** A tiny model with random weights: it babbles, quickly, and by the same code as the real ones. */
internal object TestModel {
    val path: String = System.getProperty("kazeia.model")

    /** One thread: the tests run beside others, and threads that wait for each other then crawl. */
    val options = EngineOptions(numThreads = 1)

    fun load(): TtsEngine = TtsEngine.loadBlocking(path, options)

    /** A request for a short speech with known samples. */
    fun request(text: String = "Bonjour Kazeia", maxFrames: Int = 8) = SpeechRequest(text, seed = 7, maxFrames = maxFrames)
}

internal fun Audio.wav(): ByteArray = ByteArrayOutputStream().also { writeWav(it) }.toByteArray()

internal fun md5(bytes: ByteArray): String =
    MessageDigest.getInstance("MD5").digest(bytes).joinToString("") { "%02x".format(it) }
