package com.kazeia.tts

import java.io.OutputStream
import java.nio.ByteBuffer
import java.nio.ByteOrder

/**
 * Speech: 16-bit mono samples.
 *
 * @property samples from -32,768 to 32,767; the array is the caller's own
 * @property sampleRateHz samples in a second
 */
class Audio(val samples: ShortArray, val sampleRateHz: Int, val report: Report) {
    val seconds: Double get() = samples.size.toDouble() / sampleRateHz

    /** Writes a WAV file: 16-bit mono PCM. The stream stays open. */
    fun writeWav(stream: OutputStream) {
        val dataBytes = samples.size * BYTES_PER_SAMPLE
        val buffer = ByteBuffer.allocate(HEADER_BYTES + dataBytes).order(ByteOrder.LITTLE_ENDIAN)
        buffer.put("RIFF".toByteArray()).putInt(HEADER_BYTES - 8 + dataBytes).put("WAVEfmt ".toByteArray())
        buffer.putInt(16).putShort(1).putShort(1)  // bytes of this chunk, PCM, mono
        buffer.putInt(sampleRateHz).putInt(sampleRateHz * BYTES_PER_SAMPLE)
        buffer.putShort(BYTES_PER_SAMPLE.toShort()).putShort((BYTES_PER_SAMPLE * 8).toShort())
        buffer.put("data".toByteArray()).putInt(dataBytes)
        buffer.asShortBuffer().put(samples)
        stream.write(buffer.array())
    }

    private companion object {
        const val HEADER_BYTES = 44
        const val BYTES_PER_SAMPLE = 2
    }
}
