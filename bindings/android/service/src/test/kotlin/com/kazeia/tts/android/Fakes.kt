package com.kazeia.tts.android

import android.os.Bundle
import android.speech.tts.SynthesisCallback
import android.speech.tts.SynthesisRequest
import android.speech.tts.TextToSpeech
import com.kazeia.tts.EngineOptions
import java.io.File
import java.util.concurrent.CountDownLatch
import java.util.concurrent.TimeUnit
import kotlin.concurrent.thread

/** The service with the tests' tiny model, and with its functions open to the tests as to the system. */
internal class TestService : KazeiaTtsService() {
    var model: File? = File(System.getProperty("kazeia.model"))

    override fun modelFile(): File? = model

    // One thread: threads that wait for each other crawl on a busy machine.
    override fun engineOptions() = EngineOptions(numThreads = 1)

    /** As the system calls it: on a thread of its own. Returns when the speech is over. */
    fun speak(request: SynthesisRequest, callback: SynthesisCallback) = offMain { onSynthesizeText(request, callback) }

    fun available(language: String?, country: String = "") = onIsLanguageAvailable(language, country, "")
    fun load(language: String?) = onLoadLanguage(language, "", "")
    fun language(): Array<String> = onGetLanguage()
    fun stop() = onStop()
}

/** Runs `action` as a binder thread would, and gives its result. */
internal fun <T> offMain(action: () -> T): T {
    var result: Result<T>? = null
    thread { result = runCatching(action) }.join()
    return result!!.getOrThrow()
}

/** A request as the system fills it in; those setters are the system's own. */
internal fun request(
    text: String,
    language: String = "fra",
    voice: String = "",
    rate: Int = 100,
    pitch: Int = 100,
): SynthesisRequest {
    val request = SynthesisRequest(text as CharSequence, Bundle().apply { putString(KazeiaTtsService.PARAM_SEED, "7") })
    fun set(name: String, vararg values: Any) {
        val types = values.map { if (it is Int) Int::class.javaPrimitiveType else String::class.java }.toTypedArray()
        SynthesisRequest::class.java.getDeclaredMethod(name, *types).apply { isAccessible = true }.invoke(request, *values)
    }
    set("setLanguage", language, "", "")
    set("setVoiceName", voice)
    set("setSpeechRate", rate)
    set("setPitch", pitch)
    return request
}

/** The system's side of an utterance: takes samples and writes down what happened. */
internal class RecordingCallback(private val answer: (Int) -> Int = { TextToSpeech.SUCCESS }) : SynthesisCallback {
    @Volatile var format: Triple<Int, Int, Int>? = null
    @Volatile var error: Int? = null
    @Volatile var isDone = false
    @Volatile var numBytes = 0
    @Volatile var numPieces = 0
    var largestPiece = 0
    private val audible = CountDownLatch(1)

    /** Waits for the first samples. */
    fun awaitAudio() = check(audible.await(2, TimeUnit.MINUTES)) { "no audio; error: $error" }

    override fun getMaxBufferSize() = 1001  // odd on purpose: a piece must hold whole samples

    override fun start(sampleRateInHz: Int, audioFormat: Int, channelCount: Int): Int {
        format = Triple(sampleRateInHz, audioFormat, channelCount)
        return TextToSpeech.SUCCESS
    }

    override fun audioAvailable(buffer: ByteArray, offset: Int, length: Int): Int {
        check(length in 1..maxBufferSize && length % 2 == 0 && offset + length <= buffer.size)
        largestPiece = maxOf(largestPiece, length)
        numBytes += length
        numPieces++
        audible.countDown()
        return answer(numPieces)
    }

    override fun done(): Int = TextToSpeech.SUCCESS.also { isDone = true }

    override fun error() = error(TextToSpeech.ERROR_SYNTHESIS)

    override fun error(errorCode: Int) {
        error = errorCode
    }

    override fun hasStarted() = format != null

    override fun hasFinished() = isDone
}
