package com.kazeia.tts.android

import android.speech.tts.Voice
import com.kazeia.tts.ModelInfo

/**
 * What Android may choose from: each speaker of the model in each of its languages, and for each language a default voice,
 * whose speaker the engine chooses. A dialect is a speaker's own matter and no language here.
 */
internal class VoiceCatalog(info: ModelInfo) {
    /** @property speaker a name of [ModelInfo.voices]; null: the engine chooses */
    data class Entry(val name: String, val language: SpokenLanguage, val speaker: String?) {
        fun toVoice() = Voice(name, language.locale, Voice.QUALITY_HIGH, Voice.LATENCY_NORMAL, false, emptySet())
    }

    val languages: List<SpokenLanguage> = info.languages.mapNotNull(SpokenLanguage::ofModelName)
    private val speakers: List<String?> = listOf(null) + info.voices.map { it.name }
    private val byName: Map<String, Entry> = languages
        .flatMap { language -> speakers.map { Entry(voiceName(it, language), language, it) } }
        .associateBy { it.name }

    val entries: Collection<Entry> get() = byName.values

    fun find(name: String?): Entry? = byName[name]

    /** The default voice of a language given by its two or three letters; null if the model does not speak it. */
    fun default(code: String?): Entry? =
        SpokenLanguage.ofCode(code)?.takeIf { it in languages }?.let { byName[voiceName(null, it)] }

    private fun voiceName(speaker: String?, language: SpokenLanguage) = "${speaker ?: "default"}-${language.iso3}"
}
