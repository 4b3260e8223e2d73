package com.kazeia.tts.android

import android.media.AudioAttributes
import android.media.AudioFormat
import android.media.AudioTrack
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.delay
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.withContext
import java.io.IOException
import java.nio.ByteBuffer
import java.nio.ByteOrder

/**
 * Plays speech while it is made.
 *
 *     AudioPlayer(engine.info.sampleRateHz).play(engine.stream(request))
 *
 * If the engine is slower than the speech, playing pauses until there is more.
 *
 * @param sampleRateHz of the samples, 16-bit mono
 * @param attributes what the sound is for; the system decides by them on volume and interruptions
 * @param bufferMs how much may wait in the player. More rides out hesitations of the engine, and starts later
 */
class AudioPlayer @JvmOverloads constructor(
    private val sampleRateHz: Int,
    private val attributes: AudioAttributes = SPEECH,
    private val bufferMs: Int = 320,
) {
    /**
     * Returns when everything was heard. Cancelling the coroutine cancels the stream and silences what is buffered, within
     * [bufferMs]. May be called from any thread; several plays at a time are mixed by the system.
     */
    suspend fun play(speech: Flow<ShortArray>): Unit = withContext(Dispatchers.IO) {
        val track = openTrack()
        try {
            track.play()
            var numWritten = 0L
            speech.collect { samples ->
                write(track, samples)
                numWritten += samples.size
            }
            val numHeard = track.playbackHeadPosition.toLong() and 0xFFFF_FFFFL
            track.stop()  // what is buffered is still heard
            delay((numWritten - numHeard).coerceAtLeast(0) * 1000 / sampleRateHz)
        } finally {
            track.pause()
            track.flush()
            track.release()
        }
    }

    private fun openTrack(): AudioTrack {
        val format = AudioFormat.Builder()
            .setEncoding(AudioFormat.ENCODING_PCM_16BIT)
            .setSampleRate(sampleRateHz)
            .setChannelMask(AudioFormat.CHANNEL_OUT_MONO)
            .build()
        val smallest = AudioTrack.getMinBufferSize(sampleRateHz, AudioFormat.CHANNEL_OUT_MONO, AudioFormat.ENCODING_PCM_16BIT)
        if (smallest <= 0) throw IOException("this device can't play 16-bit mono at $sampleRateHz Hz")
        return AudioTrack.Builder()
            .setAudioAttributes(attributes)
            .setAudioFormat(format)
            .setBufferSizeInBytes(maxOf(smallest, sampleRateHz * bufferMs / 1000 * BYTES_PER_SAMPLE))
            .setTransferMode(AudioTrack.MODE_STREAM)
            .build()
    }

    private fun write(track: AudioTrack, samples: ShortArray) {
        val bytes = ByteBuffer.allocate(samples.size * BYTES_PER_SAMPLE).order(ByteOrder.nativeOrder())
        bytes.asShortBuffer().put(samples)
        while (bytes.hasRemaining()) {
            val count = track.write(bytes, bytes.remaining(), AudioTrack.WRITE_BLOCKING)  // moves the buffer's position
            if (count <= 0) throw IOException("the player stopped taking samples (AudioTrack.write returned $count)")
        }
    }

    companion object {
        private const val BYTES_PER_SAMPLE = 2

        private val SPEECH: AudioAttributes = AudioAttributes.Builder()
            .setUsage(AudioAttributes.USAGE_ASSISTANT)
            .setContentType(AudioAttributes.CONTENT_TYPE_SPEECH)
            .build()
    }
}
