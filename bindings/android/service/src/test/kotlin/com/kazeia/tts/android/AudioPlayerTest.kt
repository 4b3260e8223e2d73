package com.kazeia.tts.android

import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.flow.flowOf
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import org.junit.After
import org.junit.Assert.assertArrayEquals
import org.junit.Assert.assertEquals
import org.junit.Before
import org.junit.Test
import org.junit.runner.RunWith
import org.robolectric.RobolectricTestRunner
import org.robolectric.annotation.Config
import org.robolectric.shadows.ShadowAudioTrack
import java.io.ByteArrayOutputStream
import java.nio.ByteBuffer
import java.nio.ByteOrder

@RunWith(RobolectricTestRunner::class)
@Config(sdk = [34], manifest = Config.NONE)
class AudioPlayerTest {
    private val heard = ByteArrayOutputStream()
    private var rateHz = 0
    private val listener = object : ShadowAudioTrack.OnAudioDataWrittenListener {
        override fun onAudioDataWritten(
            track: ShadowAudioTrack,
            data: ByteArray,
            format: android.media.AudioFormat,
        ) {
            heard.write(data)
            rateHz = format.sampleRate
        }
    }

    @Before
    fun listen() = ShadowAudioTrack.addAudioDataListener(listener)

    @After
    fun reset() = ShadowAudioTrack.removeAudioDataListener(listener)

    private fun heardSamples() =
        ByteBuffer.wrap(heard.toByteArray()).order(ByteOrder.LITTLE_ENDIAN).asShortBuffer().let { buffer ->
            ShortArray(buffer.remaining()).also { buffer.get(it) }
        }

    @Test
    fun `everything is played, in order`() = runBlocking {
        val chunks = List(3) { chunk -> ShortArray(1920) { (chunk * 1920 + it).toShort() } }
        AudioPlayer(24_000).play(flowOf(*chunks.toTypedArray()))
        assertEquals(24_000, rateHz)
        assertArrayEquals(chunks.reduce { left, right -> left + right }, heardSamples())
    }

    @Test
    fun `cancelling ends the stream`() = runBlocking {
        val started = CompletableDeferred<Unit>()
        val ended = CompletableDeferred<Unit>()
        val playing = launch(Dispatchers.Default) {
            AudioPlayer(24_000).play(flow {
                try {
                    emit(ShortArray(1920))
                    started.complete(Unit)
                    awaitCancellation()
                } finally {
                    ended.complete(Unit)
                }
            })
        }
        started.await()
        playing.cancelAndJoin()
        ended.await()
        assertEquals(1920, heardSamples().size)
    }
}
