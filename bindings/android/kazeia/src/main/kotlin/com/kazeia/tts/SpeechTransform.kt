package com.kazeia.tts

import kotlin.math.floor
import kotlin.math.roundToInt
import kotlin.math.roundToLong
import kotlin.math.sqrt

/**
 * Makes finished speech faster, slower, higher or lower, because the model itself knows no such wish. Stretches time by
 * overlapping similar pieces of the waveform (WSOLA), then reads the result at another step to move the pitch. Speech stays
 * natural between about 0.6 and 2; further out it is understood but sounds worked on.
 *
 * Rate and pitch 1 give the samples back untouched. Use from one thread at a time; one object for one utterance.
 *
 * @param rate 2: half as long. Kept within [MIN_RATE] and [MAX_RATE]
 * @param pitch 2: an octave higher. Kept within [MIN_PITCH] and [MAX_PITCH]
 */
class SpeechTransform(sampleRateHz: Int, rate: Float, pitch: Float) {
    private val usedRate = rate.coerceIn(MIN_RATE, MAX_RATE).toDouble()
    private val usedPitch = pitch.coerceIn(MIN_PITCH, MAX_PITCH).toDouble()

    // Reading in steps of `pitch` shortens by that factor, so time is stretched by it first.
    private val stretch = if (usedRate == usedPitch) null else TimeStretch(sampleRateHz, usedRate / usedPitch)
    private val reader = if (usedPitch == 1.0) null else StepReader(usedPitch)

    /** The next samples of the speech; what is ready of the result, which may be nothing yet. */
    fun process(samples: ShortArray): ShortArray {
        val stretched = stretch?.process(samples) ?: samples
        return reader?.process(stretched) ?: stretched
    }

    /** The end of the result. */
    fun finish(): ShortArray {
        val stretched = stretch?.finish() ?: ShortArray(0)
        return reader?.run { process(stretched) + finish() } ?: stretched
    }

    companion object {
        const val MIN_RATE = 0.25f
        const val MAX_RATE = 4f
        const val MIN_PITCH = 0.5f
        const val MAX_PITCH = 2f
    }
}

/** Samples that arrived and may still be read, addressed by their index in the whole input. */
private class InputWindow {
    private var samples = ShortArray(0)
    private var first = 0L  // index of samples[0]
    val end: Long get() = first + samples.size

    operator fun get(index: Long): Short = samples[(index - first).toInt()]

    fun add(more: ShortArray) {
        samples += more
    }

    /** Forgets what lies before `index`. */
    fun dropBefore(index: Long) {
        val count = (index - first).coerceIn(0L, samples.size.toLong()).toInt()
        if (count < MIN_DROP) return
        samples = samples.copyOfRange(count, samples.size)
        first += count
    }

    private companion object {
        const val MIN_DROP = 4096  // copying less often than that many samples
    }
}

private class SampleSink {
    private var samples = ShortArray(4096)
    private var size = 0

    fun add(value: Double) {
        if (size == samples.size) samples = samples.copyOf(size * 2)
        samples[size++] = value.roundToInt().coerceIn(-32768, 32767).toShort()
    }

    fun take(): ShortArray = samples.copyOf(size).also { size = 0 }
}

/**
 * Lasts `1 / tempo` times as long, with the same pitch. Each hop of the result fades from what would naturally follow the
 * last piece into the piece, near the place that the tempo asks for, that looks most like it.
 */
private class TimeStretch(sampleRateHz: Int, private val tempo: Double) {
    private val hop = sampleRateHz * HOP_MS / 1000
    private val search = sampleRateHz * SEARCH_MS / 1000
    private val input = InputWindow()
    private val output = SampleSink()
    private var numInput = 0L
    private var numOutput = 0L
    private var natural = 0L  // where the last piece would go on
    private var wanted = 0.0  // where the tempo wants to be

    fun process(samples: ShortArray): ShortArray {
        input.add(samples)
        numInput += samples.size
        // A hop that the end of the speech might cut waits for finish().
        while (maxOf(wanted.toLong() + search, natural) + hop <= input.end && (numOutput + hop) * tempo <= numInput) {
            addHop(Long.MAX_VALUE)
        }
        return output.take()
    }

    fun finish(): ShortArray {
        val total = (numInput / tempo).roundToLong()
        while (numOutput < total) {
            val missing = maxOf(wanted.toLong() + search, natural) + hop - input.end
            if (missing > 0) input.add(ShortArray(missing.toInt()))
            addHop(total)
        }
        return output.take()
    }

    private fun addHop(total: Long) {
        val piece = mostAlike()
        for (i in 0 until minOf(hop.toLong(), total - numOutput).toInt()) {
            val fade = i.toDouble() / hop
            output.add(input[natural + i] * (1 - fade) + input[piece + i] * fade)
        }
        numOutput += hop
        natural = piece + hop
        wanted += hop * tempo
        input.dropBefore(minOf(natural, wanted.toLong() - search))
    }

    /** The place within the search range whose next hop is most like the natural one (normalized correlation). */
    private fun mostAlike(): Long {
        var best = wanted.toLong()
        var bestLikeness = Double.NEGATIVE_INFINITY
        for (place in maxOf(0L, wanted.toLong() - search)..wanted.toLong() + search) {
            var product = 0.0
            var energy = 1.0  // keeps silence out of the division
            for (i in 0 until hop step CORRELATION_STEP) {
                val sample = input[place + i].toDouble()
                product += sample * input[natural + i]
                energy += sample * sample
            }
            val likeness = product / sqrt(energy)
            if (likeness > bestLikeness) {
                bestLikeness = likeness
                best = place
            }
        }
        return best
    }

    private companion object {
        const val HOP_MS = 15  // longer than a period of the deepest voices
        const val SEARCH_MS = 8
        const val CORRELATION_STEP = 2  // half of the samples tell as much, at half of the cost
    }
}

/** Reads the samples in steps of `step`, with cubic interpolation between them (Catmull-Rom). */
private class StepReader(private val step: Double) {
    private val input = InputWindow().apply { add(ShortArray(1)) }  // the sample before the first
    private val output = SampleSink()
    private var position = 1.0

    fun process(samples: ShortArray): ShortArray {
        input.add(samples)
        read(input.end - 2)
        return output.take()
    }

    fun finish(): ShortArray {
        val end = input.end
        input.add(ShortArray(2))
        read(end)
        return output.take()
    }

    /** Reads up to, not including, `end`. */
    private fun read(end: Long) {
        while (position < end) {
            val index = floor(position).toLong()
            val t = position - index
            val a = input[index - 1].toDouble()
            val b = input[index].toDouble()
            val c = input[index + 1].toDouble()
            val d = input[index + 2].toDouble()
            output.add(b + 0.5 * t * (c - a + t * (2 * a - 5 * b + 4 * c - d + t * (3 * (b - c) + d - a))))
            position += step
        }
        input.dropBefore(floor(position).toLong() - 1)
    }
}
