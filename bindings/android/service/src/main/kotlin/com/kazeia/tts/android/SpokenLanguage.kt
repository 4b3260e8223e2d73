package com.kazeia.tts.android

import java.util.Locale

/**
 * A language of the model and its names in Android.
 *
 * @property modelName as in [com.kazeia.tts.ModelInfo.languages]
 * @property locale language only: the model knows no countries
 * @property sampleText what the system's settings let it say
 */
internal enum class SpokenLanguage(val modelName: String, code: String, val sampleText: String) {
    CHINESE("chinese", "zh", "你好,这是我的声音。"),
    ENGLISH("english", "en", "Hello, this is what my voice sounds like."),
    FRENCH("french", "fr", "Bonjour, voici le son de ma voix."),
    GERMAN("german", "de", "Guten Tag, so klingt meine Stimme."),
    ITALIAN("italian", "it", "Buongiorno, questa è la mia voce."),
    JAPANESE("japanese", "ja", "こんにちは。これが私の声です。"),
    KOREAN("korean", "ko", "안녕하세요. 이것이 제 목소리입니다."),
    PORTUGUESE("portuguese", "pt", "Olá, esta é a minha voz."),
    RUSSIAN("russian", "ru", "Здравствуйте, так звучит мой голос."),
    SPANISH("spanish", "es", "Hola, así suena mi voz.");

    val locale = Locale(code)

    /** Three letters, as the text-to-speech interfaces of Android use them: "fra". */
    val iso3: String = locale.isO3Language

    companion object {
        /** The language of a code with two or three letters, in any case; null if no model speaks it. */
        fun ofCode(code: String?): SpokenLanguage? =
            entries.find { it.iso3.equals(code, ignoreCase = true) || it.locale.language.equals(code, ignoreCase = true) }

        fun ofModelName(name: String): SpokenLanguage? = entries.find { it.modelName == name }
    }
}
