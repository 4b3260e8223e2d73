package com.kazeia.tts.android

import android.speech.tts.SynthesisCallback
import android.speech.tts.SynthesisRequest
import android.speech.tts.TextToSpeech
import android.speech.tts.TextToSpeechService
import android.speech.tts.Voice
import android.util.Log
import com.kazeia.tts.EngineOptions
import com.kazeia.tts.SpeechRequest
import com.kazeia.tts.TtsException
import java.io.File
import java.io.FileNotFoundException
import java.util.Locale

/**
 * Kazeia as a voice of the system. The library's manifest declares it; the app switches it on with the resource
 * `<bool name="kazeia_tts_system_voice">true</bool>`.
 *
 * - The model is loaded when it is first needed, never on the main thread. Its languages and voices are known before that.
 * - Languages are those of the model, without countries: a request for French of Canada is answered with French.
 * - The rate and the pitch that users set are applied to the finished speech ([com.kazeia.tts.SpeechTransform]), within 0.25
 *   to 4 and 0.5 to 2. A rate above 1 needs an engine that is faster by as much, or there are gaps.
 * - A stop ends the work before the next frame (80 ms of speech).
 * - The parameters [PARAM_INSTRUCT] and [PARAM_SEED] of a request reach the model.
 *
 * A subclass may keep its model elsewhere ([modelFile]) and choose how the engine computes ([engineOptions]).
 */
open class KazeiaTtsService : TextToSpeechService() {
    private val store by lazy { ModelStore(this) }
    private val holder = EngineHolder({ store }, ::modelFile, ::engineOptions)
    @Volatile private var current: Utterance? = null
    @Volatile private var chosen: SpokenLanguage? = null

    /** The model to load, a GGUF file or a checkpoint folder; null if none is installed. From any thread; be quick. */
    protected open fun modelFile(): File? = store.model()

    /** How the engine computes. */
    protected open fun engineOptions(): EngineOptions = EngineOptions()

    override fun onDestroy() {
        onStop()
        holder.close()
        super.onDestroy()
    }

    override fun onStop() {
        current?.stop()
    }

    // Languages. They arrive as three letters, but two are understood too.

    override fun onIsLanguageAvailable(language: String?, country: String?, variant: String?): Int {
        if (SpokenLanguage.ofCode(language) == null) return TextToSpeech.LANG_NOT_SUPPORTED
        val catalog = holder.catalog() ?: return TextToSpeech.LANG_MISSING_DATA
        return if (catalog.default(language) != null) TextToSpeech.LANG_AVAILABLE else TextToSpeech.LANG_NOT_SUPPORTED
    }

    override fun onLoadLanguage(language: String?, country: String?, variant: String?): Int {
        val available = onIsLanguageAvailable(language, country, variant)
        if (available == TextToSpeech.LANG_AVAILABLE) chosen = SpokenLanguage.ofCode(language)
        return available
    }

    /** The language last loaded, else the system's if the model speaks it, else the model's first. */
    override fun onGetLanguage(): Array<String> {
        val catalog = holder.catalog()
        val language = chosen ?: catalog?.default(systemLanguage())?.language ?: catalog?.languages?.firstOrNull()
        return arrayOf(language?.iso3 ?: "", "", "")
    }

    // Voices.

    override fun onGetVoices(): List<Voice> = holder.catalog()?.entries?.map { it.toVoice() } ?: emptyList()

    override fun onIsValidVoiceName(voiceName: String?): Int =
        if (holder.catalog()?.find(voiceName) != null) TextToSpeech.SUCCESS else TextToSpeech.ERROR

    override fun onLoadVoice(voiceName: String?): Int {
        val voice = holder.catalog()?.find(voiceName) ?: return TextToSpeech.ERROR
        chosen = voice.language
        return TextToSpeech.SUCCESS
    }

    override fun onGetDefaultVoiceNameFor(language: String?, country: String?, variant: String?): String? =
        holder.catalog()?.default(language)?.name

    // Speech.

    override fun onSynthesizeText(request: SynthesisRequest, callback: SynthesisCallback) {
        val engine = try {
            holder.get()
        } catch (e: FileNotFoundException) {
            return fail(callback, TextToSpeech.ERROR_NOT_INSTALLED_YET, e)
        } catch (e: TtsException) {
            return fail(callback, Utterance.errorCode(e), e)
        } catch (e: IllegalStateException) {
            return fail(callback, TextToSpeech.ERROR_SERVICE, e)
        }
        val voice = voiceOf(request)
        if (voice == null) {
            val wish = "voice ${request.voiceName}, language ${request.language}"
            return fail(callback, TextToSpeech.ERROR_INVALID_REQUEST, IllegalArgumentException("the model has no $wish"))
        }
        val speech = SpeechRequest(
            text = request.charSequenceText.toString(),
            voice = voice.speaker,
            language = voice.language.modelName,
            instruct = request.params?.getString(PARAM_INSTRUCT),
            seed = request.params?.getString(PARAM_SEED)?.toLongOrNull(),
        )
        val utterance = Utterance(engine, callback)
        current = utterance
        try {
            utterance.speak(speech, request.speechRate / NORMAL, request.pitch / NORMAL)
        } finally {
            current = null
        }
    }

    /** The voice that was asked for by name, else the default of the language. Unknown: none, rather than another one. */
    private fun voiceOf(request: SynthesisRequest): VoiceCatalog.Entry? {
        val catalog = holder.catalog() ?: return null
        if (request.voiceName.isNullOrEmpty()) return catalog.default(request.language)
        return catalog.find(request.voiceName)
    }

    private fun fail(callback: SynthesisCallback, code: Int, reason: Exception) {
        Log.e(Utterance.TAG, "can't speak: ${reason.message}")
        callback.error(code)
    }

    private fun systemLanguage(): String = Locale.getDefault().language

    companion object {
        /** Key of a request's parameters: how to speak, in words. */
        const val PARAM_INSTRUCT = "com.kazeia.tts.instruct"

        /** Key of a request's parameters: a decimal number that makes the speech repeatable. */
        const val PARAM_SEED = "com.kazeia.tts.seed"

        private const val NORMAL = 100f  // Android gives rate and pitch in percent
    }
}
