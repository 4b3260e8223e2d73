package com.kazeia.tts

import org.junit.Assert.assertArrayEquals
import org.junit.Assert.assertEquals
import org.junit.Assert.assertTrue
import org.junit.Test
import kotlin.math.PI
import kotlin.math.abs
import kotlin.math.sin

class SpeechTransformTest {
    private val sampleRateHz = 24_000

    private fun tone(hertz: Double, seconds: Double = 1.0) =
        ShortArray((sampleRateHz * seconds).toInt()) { (12_000 * sin(2 * PI * hertz * it / sampleRateHz)).toInt().toShort() }

    private fun transform(samples: ShortArray, rate: Float, pitch: Float, chunk: Int = 1920): ShortArray {
        val transform = SpeechTransform(sampleRateHz, rate, pitch)
        val parts = (samples.indices step chunk).map { from ->
            transform.process(samples.copyOfRange(from, minOf(from + chunk, samples.size)))
        } + listOf(transform.finish())
        return parts.reduce { left, right -> left + right }
    }

    /** The frequency of a tone: upward crossings of zero, without the fades at both ends. */
    private fun hertz(samples: ShortArray): Double {
        val middle = samples.slice(samples.size / 10 until samples.size * 9 / 10)
        return middle.zipWithNext().count { (left, right) -> left < 0 && right >= 0 } * sampleRateHz / middle.size.toDouble()
    }

    @Test
    fun `rate and pitch 1 leave the samples untouched`() {
        val speech = tone(220.0)
        assertArrayEquals(speech, transform(speech, rate = 1f, pitch = 1f))
    }

    @Test
    fun `the rate changes the length and not the pitch`() {
        for (rate in listOf(0.5f, 0.8f, 1.3f, 2f, 4f)) {
            val result = transform(tone(220.0), rate, pitch = 1f)
            assertEquals("rate $rate", sampleRateHz / rate.toDouble(), result.size.toDouble(), 1.0)
            assertEquals("rate $rate", 220.0, hertz(result), 6.0)
        }
    }

    @Test
    fun `the pitch changes the frequency and not the length`() {
        for (pitch in listOf(0.5f, 0.8f, 1.25f, 2f)) {
            val result = transform(tone(220.0), rate = 1f, pitch = pitch)
            assertEquals("pitch $pitch", sampleRateHz.toDouble(), result.size.toDouble(), 3.0)
            assertEquals("pitch $pitch", 220.0 * pitch, hertz(result), 6.0 * pitch)
        }
    }

    @Test
    fun `a tone stays a tone of the same strength`() {
        val result = transform(tone(150.0), rate = 1.5f, pitch = 1f)
        val peak = result.maxOf { abs(it.toInt()) }
        assertTrue("peak $peak", peak in 11_000..12_500)
    }

    @Test
    fun `the size of the pieces does not change the result`() {
        val speech = tone(180.0, seconds = 0.5)
        val whole = transform(speech, rate = 1.4f, pitch = 0.9f, chunk = speech.size)
        for (chunk in listOf(1, 7, 500, 1920)) assertArrayEquals(whole, transform(speech, 1.4f, 0.9f, chunk))
    }

    @Test
    fun `nothing and very little are transformed too`() {
        assertEquals(0, transform(ShortArray(0), rate = 2f, pitch = 1.5f).size)
        assertEquals(5, transform(ShortArray(10), rate = 2f, pitch = 1f).size)
    }

    @Test
    fun `what is out of range is brought into it`() {
        assertEquals(sampleRateHz / 4, transform(tone(220.0), rate = 100f, pitch = 1f).size)
    }
}
