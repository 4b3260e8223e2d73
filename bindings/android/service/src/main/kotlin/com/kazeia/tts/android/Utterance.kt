package com.kazeia.tts.android

import android.media.AudioFormat
import android.speech.tts.SynthesisCallback
import android.speech.tts.TextToSpeech
import android.util.Log
import com.kazeia.tts.FinishReason
import com.kazeia.tts.SpeechRequest
import com.kazeia.tts.SpeechTransform
import com.kazeia.tts.TtsEngine
import com.kazeia.tts.TtsException

/** One text on its way from the engine to the system: starts, hands over, ends or fails as [SynthesisCallback] asks for. */
internal class Utterance(private val engine: TtsEngine, private val callback: SynthesisCallback) {
    @Volatile private var stopped = false
    private var answer = TextToSpeech.SUCCESS  // the system's, to the samples it got last

    /** Ends the work before the next frame. From any thread; returns at once. */
    fun stop() {
        stopped = true
        engine.cancel()
    }

    /**
     * Speaks on this thread.
     *
     * @param rate 1: as the model speaks; 2: twice as fast
     * @param pitch 1: as the model speaks; 2: an octave higher
     */
    fun speak(request: SpeechRequest, rate: Float, pitch: Float) {
        val sampleRateHz = engine.info.sampleRateHz
        val transform = SpeechTransform(sampleRateHz, rate, pitch)
        if (callback.start(sampleRateHz, AudioFormat.ENCODING_PCM_16BIT, 1) != TextToSpeech.SUCCESS) return
        val report = try {
            if (stopped) return
            engine.streamBlocking(request) { hand(transform.process(it)) }
        } catch (e: TtsException) {
            Log.e(TAG, "can't speak: ${e.message}")
            callback.error(errorCode(e))
            return
        } catch (_: IllegalStateException) {
            return  // the service was destroyed, and with it the engine
        }
        if (report.finishReason == FinishReason.CANCELLED || !hand(transform.finish())) {
            // A stop is no error, whether it came to this service or as the system's answer. A player that failed is one.
            if (!stopped && answer == TextToSpeech.ERROR) callback.error(TextToSpeech.ERROR_OUTPUT)
            return
        }
        if (report.finishReason == FinishReason.LENGTH) {
            Log.w(TAG, "stopped after ${report.numFrames} frames: the end may be missing")
        }
        callback.done()
    }

    /** Hands samples to the system in pieces that it takes; blocks while its buffer is full. false: it takes no more. */
    private fun hand(samples: ShortArray): Boolean {
        val bytes = ByteArray(samples.size * BYTES_PER_SAMPLE)
        for (i in samples.indices) {
            bytes[2 * i] = samples[i].toByte()
            bytes[2 * i + 1] = (samples[i].toInt() shr 8).toByte()
        }
        val piece = maxOf(callback.maxBufferSize / BYTES_PER_SAMPLE * BYTES_PER_SAMPLE, BYTES_PER_SAMPLE)
        for (offset in bytes.indices step piece) {
            if (stopped) return false
            val size = minOf(piece, bytes.size - offset)
            answer = callback.audioAvailable(bytes, offset, size)
            if (answer != TextToSpeech.SUCCESS) return false
        }
        return !stopped
    }

    companion object {
        const val TAG = "KazeiaTts"
        private const val BYTES_PER_SAMPLE = 2

        /** What Android calls this failure. */
        fun errorCode(e: TtsException): Int = when (e.code) {
            TtsException.Code.INVALID_ARGUMENT -> TextToSpeech.ERROR_INVALID_REQUEST
            TtsException.Code.BAD_MODEL, TtsException.Code.IO -> TextToSpeech.ERROR_NOT_INSTALLED_YET
            TtsException.Code.OUT_OF_MEMORY, TtsException.Code.DEVICE -> TextToSpeech.ERROR_SERVICE
            else -> TextToSpeech.ERROR_SYNTHESIS
        }
    }
}
