package com.kazeia.tts

/**
 * What to say and how. Only [text] is needed; everything else may stay at its default, which is the model's own choice.
 *
 * Immutable, so it may be used many times and from any thread. In Java:
 * `SpeechRequest.builder("Bonjour").voice("ryan").build()`.
 *
 * @property text any Unicode text. A lone surrogate is read as U+FFFD; the names of special tokens are plain text
 * @property voice a name of [ModelInfo.voices]; null: the language's first voice, else the model's first
 * @property language a name of [ModelInfo.languages], or "auto"; null: the voice's own, else "auto"
 * @property instruct how to speak, in words; a voice design model reads here what the voice is like
 * @property textFeed how much of the text the model knows before it starts to speak
 * @property seed equal model, request, seed and number of threads give equal samples; null: drawn, and reported
 * @property talker how the first code of each frame is drawn
 * @property codePredictor how the other codes of each frame are drawn
 * @property maxFrames ends the speech after so many frames of 80 ms; 0: scaled to the text
 * @property silenceLimitMs ends a silence that does not end by itself; 0: after 8,000 ms; -1: never
 */
data class SpeechRequest @JvmOverloads constructor(
    val text: String,
    val voice: String? = null,
    val language: String? = null,
    val instruct: String? = null,
    val textFeed: TextFeed = TextFeed.MODEL_DEFAULT,
    val seed: Long? = null,
    val talker: Sampling = Sampling(),
    val codePredictor: Sampling = Sampling(),
    val maxFrames: Int = 0,
    val silenceLimitMs: Int = 0,
) {
    /** For Java; see [SpeechRequest] for the meaning of each value. */
    class Builder internal constructor(text: String) {
        private var request = SpeechRequest(text)

        fun voice(name: String?) = apply { request = request.copy(voice = name) }
        fun language(name: String?) = apply { request = request.copy(language = name) }
        fun instruct(words: String?) = apply { request = request.copy(instruct = words) }
        fun textFeed(feed: TextFeed) = apply { request = request.copy(textFeed = feed) }
        fun seed(seed: Long) = apply { request = request.copy(seed = seed) }
        fun talker(sampling: Sampling) = apply { request = request.copy(talker = sampling) }
        fun codePredictor(sampling: Sampling) = apply { request = request.copy(codePredictor = sampling) }
        fun maxFrames(frames: Int) = apply { request = request.copy(maxFrames = frames) }
        fun silenceLimitMs(milliseconds: Int) = apply { request = request.copy(silenceLimitMs = milliseconds) }
        fun build(): SpeechRequest = request
    }

    companion object {
        /** Starts a request from Java. */
        @JvmStatic
        fun builder(text: String): Builder = Builder(text)
    }
}

/** How much of the text the model knows before the first frame. The order is that of `kz_text_feed` in kazeia.h. */
enum class TextFeed { MODEL_DEFAULT, FULL, STREAMING }

/** Whether codes are drawn or the likeliest is taken. The order is that of `kz_draw` in kazeia.h. */
enum class Draw { MODEL_DEFAULT, SAMPLE, GREEDY }

/**
 * How codes are drawn. Zero in any field: the model's own value.
 *
 * @property temperature above 0
 * @property topK only the K likeliest codes; -1: all
 * @property topP in (0, 1]; 1: off
 * @property repetitionPenalty above 0; 1: off. Used by the talker only
 */
data class Sampling @JvmOverloads constructor(
    val draw: Draw = Draw.MODEL_DEFAULT,
    val temperature: Float = 0f,
    val topK: Int = 0,
    val topP: Float = 0f,
    val repetitionPenalty: Float = 0f,
)

internal fun SpeechRequest.toNative(): NativeRequest = NativeRequest(utf8(text)).also {
    it.voice = voice?.let(::utf8)
    it.language = language?.let(::utf8)
    it.instruct = instruct?.let(::utf8)
    it.textFeed = textFeed.ordinal
    it.hasSeed = seed != null
    it.seed = seed ?: 0
    it.talkerDraw = talker.draw.ordinal
    it.talkerTemperature = talker.temperature
    it.talkerTopK = talker.topK
    it.talkerTopP = talker.topP
    it.talkerRepetitionPenalty = talker.repetitionPenalty
    it.codePredictorDraw = codePredictor.draw.ordinal
    it.codePredictorTemperature = codePredictor.temperature
    it.codePredictorTopK = codePredictor.topK
    it.codePredictorTopP = codePredictor.topP
    it.maxFrames = maxFrames
    it.silenceLimitMs = silenceLimitMs
}

/** UTF-8 of a text. String.toByteArray would turn a lone surrogate into "?", which the model reads as a question. */
internal fun utf8(text: String): ByteArray {
    val whole = StringBuilder(text.length)
    var index = 0
    while (index < text.length) {
        val char = text[index++]
        when {
            !char.isSurrogate() -> whole.append(char)
            char.isHighSurrogate() && index < text.length && text[index].isLowSurrogate() -> {
                whole.append(char).append(text[index++])
            }
            else -> whole.append('\uFFFD')
        }
    }
    return whole.toString().toByteArray(Charsets.UTF_8)
}
