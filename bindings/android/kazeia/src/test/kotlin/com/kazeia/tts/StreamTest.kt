package com.kazeia.tts

import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.async
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.delay
import kotlinx.coroutines.flow.first
import kotlinx.coroutines.flow.take
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import org.junit.After
import org.junit.Assert.assertEquals
import org.junit.Assert.assertThrows
import org.junit.Assert.assertTrue
import org.junit.Rule
import org.junit.Test
import org.junit.rules.Timeout
import java.util.concurrent.TimeUnit

/** Streams, cancelling, closing. An endless request, which only a cancel ends, would meet the time limit otherwise. */
class StreamTest {
    @get:Rule
    val limit: Timeout = Timeout(3, TimeUnit.MINUTES)

    private val engine = TestModel.load()
    private val request = TestModel.request(maxFrames = 20)
    private val endless = TestModel.request(maxFrames = 1_000_000).copy(silenceLimitMs = -1)

    @After
    fun closeEngine() = engine.close()

    /** Tells that the speech has begun, and lets it go on. */
    private fun signal(started: CompletableDeferred<Unit>) = AudioListener {
        started.complete(Unit)
        true
    }

    private fun assertUsable() = runBlocking { assertEquals(20, engine.synthesize(request).report.numFrames) }

    @Test
    fun `a stream together is what the whole is`() = runBlocking {
        var report: Report? = null
        val chunks = engine.stream(request) { report = it }.toList()
        val whole = engine.synthesize(request)
        assertTrue("one array would be no stream", chunks.size > 1)
        assertEquals(whole.samples.toList(), chunks.flatMap { it.toList() })
        assertEquals(whole.report.numSamples, report!!.numSamples)
    }

    @Test
    fun `each collection speaks anew`() = runBlocking {
        val stream = engine.stream(request)
        assertEquals(stream.first().toList(), stream.first().toList())
    }

    @Test
    fun `the engine waits for a slow collector`() = runBlocking {
        var report: Report? = null
        var total = 0
        engine.stream(endless) { report = it }.collect { samples ->
            if (total == 0) delay(1_500)  // far more time than those few frames need
            if (total == 0) engine.cancel()
            total += samples.size
        }
        assertEquals(FinishReason.CANCELLED, report!!.finishReason)
        assertTrue("$total samples", total <= 64 * engine.info.samplesPerFrame)  // without waiting: hundreds of frames
    }

    @Test
    fun `ending a collection early ends the work`() {
        runBlocking { assertEquals(2, engine.stream(endless).take(2).toList().size) }
        assertUsable()
    }

    @Test
    fun `cancelling the collector in mid-stream ends the work`() {
        runBlocking {
            val started = CompletableDeferred<Unit>()
            val job = launch(Dispatchers.Default) { engine.stream(endless).collect { started.complete(Unit) } }
            started.await()
            job.cancelAndJoin()
        }
        assertUsable()
    }

    @Test
    fun `cancelling a synthesis ends the work`() {
        runBlocking {
            val job = launch { engine.synthesize(endless) }
            delay(300)
            job.cancelAndJoin()
        }
        assertUsable()
    }

    @Test
    fun `a request that waits for its turn can be cancelled alone`() = runBlocking {
        val started = CompletableDeferred<Unit>()
        val speaking = async(Dispatchers.Default) { engine.streamBlocking(endless, signal(started)) }
        started.await()
        val waiting = launch(Dispatchers.Default) { engine.synthesize(request) }
        delay(100)
        waiting.cancelAndJoin()
        assertTrue(speaking.isActive)
        engine.cancel()
        assertEquals(FinishReason.CANCELLED, speaking.await().finishReason)
    }

    @Test
    fun `what a collector or listener throws comes out`() {
        val error = assertThrows(IllegalArgumentException::class.java) {
            runBlocking { engine.stream(endless).collect { throw IllegalArgumentException("collector") } }
        }
        assertEquals("collector", error.message)
        assertThrows(ArithmeticException::class.java) { engine.streamBlocking(endless) { throw ArithmeticException() } }
        assertUsable()
    }

    @Test
    fun `a listener that says false ends the speech`() {
        var calls = 0
        val report = engine.streamBlocking(endless) { ++calls < 3 }
        assertEquals(FinishReason.CANCELLED, report.finishReason)
        assertEquals(3, calls)
    }

    @Test
    fun `a request in the listener of another is refused`() {
        assertThrows(IllegalStateException::class.java) {
            engine.streamBlocking(endless) { engine.synthesizeBlocking(request).samples.isNotEmpty() }
        }
        assertUsable()
    }

    @Test
    fun `closing during a synthesis ends it as cancelled`() = runBlocking {
        val own = TestModel.load()
        val started = CompletableDeferred<Unit>()
        val speaking = async(Dispatchers.IO) { own.streamBlocking(endless, signal(started)) }
        started.await()
        val waiting = async(Dispatchers.Default) { own.synthesize(request) }
        delay(100)
        own.close()
        assertEquals(FinishReason.CANCELLED, speaking.await().finishReason)
        assertEquals(FinishReason.CANCELLED, waiting.await().report.finishReason)
        assertClosed(own)
    }

    @Test
    fun `an engine may be closed in its own listener`() {
        val own = TestModel.load()
        val report = own.streamBlocking(endless) {
            own.close()
            true
        }
        assertEquals(FinishReason.CANCELLED, report.finishReason)
        assertClosed(own)
    }

    @Test
    fun `using a closed engine is an exception`() {
        val own = TestModel.load()
        own.close()
        own.close()
        own.cancel()
        assertClosed(own)
    }

    private fun assertClosed(closed: TtsEngine) {
        assertThrows(IllegalStateException::class.java) { closed.synthesizeBlocking(request) }
        assertThrows(IllegalStateException::class.java) { runBlocking { closed.synthesize(request) } }
        assertThrows(IllegalStateException::class.java) { runBlocking { closed.stream(request).first() } }
    }
}
