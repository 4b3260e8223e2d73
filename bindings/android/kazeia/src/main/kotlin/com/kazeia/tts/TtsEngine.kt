package com.kazeia.tts

import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.channels.trySendBlocking
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.buffer
import kotlinx.coroutines.flow.channelFlow
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.sync.Mutex
import kotlinx.coroutines.sync.withLock
import kotlinx.coroutines.withContext

/**
 * A loaded model that speaks. Load once, speak many times, close.
 *
 *     TtsEngine.load(file.path).use { engine ->
 *         val audio = engine.synthesize(SpeechRequest("Bonjour Kazeia"))
 *         engine.stream(SpeechRequest("Bonjour encore")).collect { samples -> play(samples) }
 *     }
 *
 * Audio is 16-bit mono at [ModelInfo.sampleRateHz] (24,000 Hz in the published models).
 *
 * **Threads.** Every function may be called from any thread. The requests of one engine are spoken one after the other, in
 * the order in which they came; engines share nothing. Suspending functions compute on [Dispatchers.IO] and never block
 * their caller's thread; those named `...Blocking` compute on the calling thread, so keep them off Android's main thread.
 * Do not wait for another request of the same engine while you receive the samples of one: its turn comes after yours.
 *
 * **Failures** are a [TtsException], whose message names what was expected and found. Using an engine after [close] is an
 * [IllegalStateException].
 */
class TtsEngine private constructor(
    private val handle: Long,
    /** What the model says about itself. */
    val info: ModelInfo,
) : AutoCloseable {

    /** The speakers of the model; may be empty. */
    val voices: List<VoiceInfo> get() = info.voices

    /** What the model can speak: names such as "french". */
    val languages: List<String> get() = info.languages

    /** A request from its arrival to its end. */
    private class Call {
        @Volatile var cancelled = false
        @Volatile var thread: Thread? = null
    }

    private val lock = Any()  // of the three fields below
    private val calls = HashSet<Call>()
    private var running: Call? = null
    private var closed = false

    private val turn = Mutex()  // fair: requests are spoken in the order of their arrival

    /**
     * Speaks the whole request. Cancelling the coroutine ends the work before the next frame (80 ms of speech), also while
     * the request waits for its turn.
     */
    suspend fun synthesize(request: SpeechRequest): Audio {
        val samples = SampleList()
        val report = speak(request) { samples.add(it) }
        return Audio(samples.join(), info.sampleRateHz, report)
    }

    /**
     * Speaks the request as it is collected: arrays of a few frames each, in order, that together are what [synthesize]
     * gives for the same request and seed. Each collection speaks anew.
     *
     * Back-pressure: the engine is at most a few arrays ahead of the collector, and waits for it. Cancelling the collector
     * (or ending it early, as `take` does) ends the work before the next frame.
     *
     * @param onReport receives the report when the last samples have left the engine, in the collector's context; not if the
     *   collector was cancelled
     */
    @JvmOverloads
    fun stream(request: SpeechRequest, onReport: (Report) -> Unit = {}): Flow<ShortArray> = channelFlow {
        onReport(speak(request) { trySendBlocking(it).isSuccess })
    }.buffer(CHUNKS_AHEAD)

    /** [synthesize] on the calling thread. Interrupting it ends a request that still waits for its turn. */
    @Throws(InterruptedException::class)
    fun synthesizeBlocking(request: SpeechRequest): Audio {
        val samples = SampleList()
        val report = streamBlocking(request) { samples.add(it) }
        return Audio(samples.join(), info.sampleRateHz, report)
    }

    /**
     * Speaks on the calling thread and gives the samples to [listener] as they are made. What the listener throws ends the
     * speech and comes out of this function.
     */
    @Throws(InterruptedException::class)
    fun streamBlocking(request: SpeechRequest, listener: AudioListener): Report {
        val call = enter()
        try {
            runBlocking { turn.lock() }
            try {
                return run(call, request, listener)
            } finally {
                turn.unlock()
            }
        } finally {
            leave(call)
        }
    }

    /**
     * Ends the requests that are spoken or wait, each before its next frame (80 ms of speech): they return normally, with
     * [FinishReason.CANCELLED]. Later requests are not touched. Returns at once.
     */
    fun cancel() = synchronized(lock) {
        calls.forEach { it.cancelled = true }
        if (running != null) TtsJni.nativeCancel(handle)
    }

    /**
     * Ends everything as [cancel] does, and refuses later requests. Returns at once; the model's memory is given back when
     * the last request has ended, which is now if there is none. Closing twice is allowed.
     */
    override fun close() {
        val last = synchronized(lock) {
            if (closed) return
            closed = true
            cancel()
            calls.isEmpty()
        }
        if (last) TtsJni.nativeFree(handle)
    }

    private suspend fun speak(request: SpeechRequest, listener: AudioListener): Report {
        val call = enter()
        try {
            return turn.withLock {
                coroutineScope {
                    // Tells the engine the moment the coroutine is cancelled, rather than at its next samples.
                    val watcher = launch(Dispatchers.Unconfined) {
                        try {
                            awaitCancellation()
                        } finally {
                            cancel(call)
                        }
                    }
                    try {
                        withContext(Dispatchers.IO) { run(call, request, listener) }
                    } finally {
                        watcher.cancel()
                    }
                }
            }
        } finally {
            leave(call)
        }
    }

    private fun enter(): Call = synchronized(lock) {
        check(!closed) { "the TtsEngine is closed" }
        check(running?.thread != Thread.currentThread()) { "a request in the callback of another would wait for itself" }
        Call().also { calls.add(it) }
    }

    private fun leave(call: Call) {
        val last = synchronized(lock) {
            calls.remove(call)
            closed && calls.isEmpty()
        }
        if (last) TtsJni.nativeFree(handle)
    }

    private fun run(call: Call, request: SpeechRequest, listener: AudioListener): Report {
        synchronized(lock) {
            if (call.cancelled) return Report.cancelledBeforeStart(request)
            call.thread = Thread.currentThread()
            running = call
        }
        try {
            // The flag covers the moment before the native function is entered, when its cancel would not be heard.
            val json = TtsJni.nativeStream(handle, request.toNative()) { !call.cancelled && listener.onAudio(it) }
            return Report.fromJson(String(json, Charsets.UTF_8))
        } finally {
            synchronized(lock) { running = null }
        }
    }

    private fun cancel(call: Call) = synchronized(lock) {
        call.cancelled = true
        if (running === call) TtsJni.nativeCancel(handle)
    }

    companion object {
        private const val CHUNKS_AHEAD = 4

        /** The version of the native library, "0.1.0". */
        @JvmStatic
        val version: String
            get() = String(TtsJni.nativeVersion(), Charsets.UTF_8)

        /**
         * Loads a model. Cancelling the coroutine gives the model back when it is loaded.
         *
         * @param model path of a GGUF file or of an official checkpoint folder. It stays in place while the engine lives,
         *   because its weights are memory-mapped; on Android that means a file of the app, not a compressed asset
         */
        suspend fun load(model: String, options: EngineOptions = EngineOptions()): TtsEngine {
            var engine: TtsEngine? = null
            try {
                return withContext(Dispatchers.IO) { loadBlocking(model, options).also { engine = it } }
            } catch (e: CancellationException) {
                engine?.close()
                throw e
            }
        }

        /** [load] on the calling thread. */
        @JvmStatic
        @JvmOverloads
        fun loadBlocking(model: String, options: EngineOptions = EngineOptions()): TtsEngine {
            val handle = TtsJni.nativeLoad(utf8(model), options.numThreads, options.placement?.let(::utf8))
            return TtsEngine(handle, ModelInfo.fromJson(String(TtsJni.nativeInfo(handle), Charsets.UTF_8)))
        }
    }
}

/**
 * How an engine computes.
 *
 * @property numThreads 1..256; 0: one for each of the fast cores, at most 16
 * @property placement which stage runs on which device, "talker=cpu code_predictor=cpu codec=cpu"; null: all on the CPU
 */
data class EngineOptions @JvmOverloads constructor(val numThreads: Int = 0, val placement: String? = null)

/** Receives speech as it is made. */
fun interface AudioListener {
    /**
     * The next samples, in an array of their own, on the thread that speaks. Returns false to end the speech. Must not
     * start another request of the same engine; closing or cancelling it is fine.
     */
    fun onAudio(samples: ShortArray): Boolean
}

private class SampleList {
    private val chunks = ArrayList<ShortArray>()

    fun add(samples: ShortArray): Boolean = chunks.add(samples)

    fun join(): ShortArray {
        val whole = ShortArray(chunks.sumOf { it.size })
        var position = 0
        for (chunk in chunks) {
            chunk.copyInto(whole, position)
            position += chunk.size
        }
        return whole
    }
}
