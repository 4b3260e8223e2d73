package com.kazeia.tts

/**
 * What a model says about itself. Strings are empty where the model does not say.
 *
 * @property type "custom_voice", "voice_design" or "base"
 * @property size "0.6b"
 * @property license of the weights
 * @property sampleRateHz of everything that the engine speaks; 24,000 in the published models
 * @property samplesPerFrame samples in a frame, the unit of cancelling; 1,920 (80 ms) in the published models
 * @property numCodeGroups codes in a frame
 * @property numThreads threads that the engine computes with
 * @property loadSeconds how long loading took
 * @property languages names for [SpeechRequest.language]; "auto" is understood too
 * @property json the description as [fromJson] reads it, for who wants to keep it
 */
class ModelInfo private constructor(val json: String, source: JsonObject) {
    val name: String = source.text("name")
    val type: String = source.text("type")
    val size: String = source.text("size")
    val license: String = source.text("license")
    val source: String = source.text("source")
    val description: String = source.text("description")
    val sampleRateHz: Int = source.int("sampleRateHz")
    val samplesPerFrame: Int = source.int("samplesPerFrame")
    val numCodeGroups: Int = source.int("numCodeGroups")
    val numThreads: Int = source.int("numThreads")
    val loadSeconds: Double = source.double("loadSeconds")
    val voices: List<VoiceInfo> =
        source.objects("voices").map { VoiceInfo(it.text("name"), it.text("language"), it.text("dialect")) }
    val languages: List<String> = source.texts("languages")

    companion object {
        /** Reads what [json] gave earlier, so that a model can be described without loading it. */
        @JvmStatic
        fun fromJson(json: String): ModelInfo = ModelInfo(json, Json.parse(json))
    }
}

/**
 * A speaker of the model.
 *
 * @property name for [SpeechRequest.voice]
 * @property language the speaker's own; empty if the model does not say. Each speaker can speak every language
 * @property dialect what the speaker makes of that language, or empty
 */
data class VoiceInfo(val name: String, val language: String, val dialect: String)
