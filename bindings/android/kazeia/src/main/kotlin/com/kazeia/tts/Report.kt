package com.kazeia.tts

/** Why a speech ended. */
enum class FinishReason {
    /** The model said that the speech is over. */
    EOS,

    /** [SpeechRequest.maxFrames] was reached: the audio may lack its end. */
    LENGTH,

    /** A silence that did not end was stopped. */
    SILENCE,

    /** By the caller: a cancelled coroutine, a callback's false, [TtsEngine.cancel] or [TtsEngine.close]. */
    CANCELLED,

    /** There is nothing to speak in the text: no audio. */
    EMPTY,
}

/**
 * How a speech went. Its strings and counts are what was really used, whatever the request left open.
 *
 * @property seed gives the same samples again, see [SpeechRequest.seed]
 * @property notes what the caller may not expect
 * @property promptRows rows that the model read before it spoke
 * @property numFrames frames made, 80 ms each in the published models
 * @property audioSeconds length of the audio
 * @property wallSeconds how long it took, from the start of the work to its end
 * @property firstAudioMs from the start of the work to the first samples
 * @property peakRssBytes the largest resident memory that the process ever had
 */
data class Report(
    val finishReason: FinishReason,
    val seed: Long,
    val voice: String,
    val language: String,
    val notes: List<String>,
    val promptRows: Int,
    val numFrames: Int,
    val numSamples: Long,
    val audioSeconds: Double,
    val wallSeconds: Double,
    val firstAudioMs: Double,
    val peakRssBytes: Long,
    val timings: Timings,
) {
    /** Seconds of work for a second of audio: below 1 the engine speaks faster than it is heard. NaN without audio. */
    val realTimeFactor: Double get() = if (audioSeconds > 0) wallSeconds / audioSeconds else Double.NaN

    internal companion object {
        fun fromJson(json: String): Report {
            val source = Json.parse(json)
            return Report(
                finishReason = FinishReason.valueOf(source.text("finishReason").uppercase()),
                seed = source.long("seed"),
                voice = source.text("voice"),
                language = source.text("language"),
                notes = source.texts("notes"),
                promptRows = source.int("promptRows"),
                numFrames = source.int("numFrames"),
                numSamples = source.long("numSamples"),
                audioSeconds = source.double("audioSeconds"),
                wallSeconds = source.double("wallSeconds"),
                firstAudioMs = source.double("firstAudioMs"),
                peakRssBytes = source.long("peakRssBytes"),
                timings = Timings(
                    tokenizeMs = source.double("tokenizeMs"),
                    prefillMs = source.double("prefillMs"),
                    talkerMs = source.double("talkerMs"),
                    codePredictorMs = source.double("codePredictorMs"),
                    samplingMs = source.double("samplingMs"),
                    codecMs = source.double("codecMs"),
                ),
            )
        }

        /** Of a request that was cancelled while it waited for its turn. */
        fun cancelledBeforeStart(request: SpeechRequest) = Report(
            FinishReason.CANCELLED, request.seed ?: 0, request.voice ?: "", request.language ?: "", emptyList(),
            promptRows = 0, numFrames = 0, numSamples = 0, audioSeconds = 0.0, wallSeconds = 0.0, firstAudioMs = 0.0,
            peakRssBytes = 0, timings = Timings(0.0, 0.0, 0.0, 0.0, 0.0, 0.0),
        )
    }
}

/** Milliseconds that each stage took, over the whole speech. */
data class Timings(
    val tokenizeMs: Double,
    val prefillMs: Double,
    val talkerMs: Double,
    val codePredictorMs: Double,
    val samplingMs: Double,
    val codecMs: Double,
)
