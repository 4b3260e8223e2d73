package com.kazeia.tts

/**
 * The native functions of `libkazeia_tts`; [TtsEngine] is the way to use them.
 *
 * Text crosses as UTF-8 bytes, because the strings of JNI are a modified UTF-8 that breaks emoji. Samples are 16 bits,
 * mono, at the model's rate. Reports and descriptions are JSON in UTF-8 bytes.
 *
 * Every function may be called from any thread. Calls that speak run one after the other on one engine; engines share
 * nothing. A handle is no pointer: one that is closed or was never given out makes an [IllegalStateException].
 *
 * Failures of the engine are a [TtsException].
 */
internal object TtsJni {
    init {
        System.loadLibrary("kazeia_tts")
    }

    /** The version of the native library, "0.1.0". */
    @JvmStatic
    external fun nativeVersion(): ByteArray

    /**
     * Loads a model and returns its handle, never 0.
     *
     * @param model path of a GGUF file or of an official checkpoint folder
     * @param numThreads 1..256; 0: one for each of the fast cores, at most 16
     * @param placement what runs where, "talker=cpu codec=cpu"; null: everything on the CPU
     */
    @JvmStatic
    external fun nativeLoad(model: ByteArray, numThreads: Int, placement: ByteArray?): Long

    /**
     * Frees the engine. Calls that run or wait on it end as if cancelled, and this function waits for them. A closed
     * handle is left alone. Throws [IllegalStateException] inside a callback of the same engine, which would wait for
     * itself.
     */
    @JvmStatic
    external fun nativeFree(handle: Long)

    /** The model: JSON with its names, rates, voices and languages. */
    @JvmStatic
    external fun nativeInfo(handle: Long): ByteArray

    /**
     * Speaks, and returns all samples. A cancelled call returns what it has.
     *
     * @param report an array of at least one element, whose first becomes the report (JSON); null: no report
     */
    @JvmStatic
    external fun nativeSynthesize(handle: Long, request: NativeRequest, report: Array<ByteArray?>?): ShortArray

    /**
     * Speaks, and gives the samples to [callback] as they are made, on this thread. Returns the report (JSON). What the
     * callback throws ends the speech and comes out of this function.
     */
    @JvmStatic
    external fun nativeStream(handle: Long, request: NativeRequest, callback: NativeAudioCallback): ByteArray

    /**
     * Ends the calls that speak or wait on this engine, each before its next frame (80 ms of speech); their finish
     * reason is "cancelled". Calls that start later are not touched, and a closed handle is left alone.
     */
    @JvmStatic
    external fun nativeCancel(handle: Long)
}

/** Receives the audio of [TtsJni.nativeStream]. */
internal fun interface NativeAudioCallback {
    /**
     * The next samples, in an array of their own. Returns false to end the speech. Must not speak with the same engine or
     * free it.
     */
    fun onAudio(samples: ShortArray): Boolean
}

/** What to say and how. The native code reads the fields by name; 0 and null mean the default of the model. */
internal class NativeRequest(@JvmField var text: ByteArray) {
    /** Of [TtsJni.nativeInfo]; null: the language's first, else the model's first. */
    @JvmField var voice: ByteArray? = null

    /** Of [TtsJni.nativeInfo], or "auto"; null: the voice's own, else "auto". */
    @JvmField var language: ByteArray? = null

    /** How to speak; a voice_design model reads here what the voice is like. */
    @JvmField var instruct: ByteArray? = null

    /** 0: the model's default; 1: all of the text before the first frame; 2: one token with each frame. */
    @JvmField var textFeed: Int = 0

    /** false: the seed is drawn, and reported. */
    @JvmField var hasSeed: Boolean = false

    /** All 64 bits count. */
    @JvmField var seed: Long = 0

    /** Draws: 0: the model's default; 1: sample; 2: greedy. */
    @JvmField var talkerDraw: Int = 0

    /** Above 0. */
    @JvmField var talkerTemperature: Float = 0f

    /** The K likeliest codes; -1: all. */
    @JvmField var talkerTopK: Int = 0

    /** In (0, 1]; 1: off. */
    @JvmField var talkerTopP: Float = 0f

    /** Above 0; 1: off. */
    @JvmField var talkerRepetitionPenalty: Float = 0f

    @JvmField var codePredictorDraw: Int = 0

    @JvmField var codePredictorTemperature: Float = 0f

    @JvmField var codePredictorTopK: Int = 0

    @JvmField var codePredictorTopP: Float = 0f

    /** Frames of 80 ms at most; 0: scaled to the text. */
    @JvmField var maxFrames: Int = 0

    /** Ends a silence that does not end by itself; 0: after 8000; -1: never. */
    @JvmField var silenceLimitMs: Int = 0
}
