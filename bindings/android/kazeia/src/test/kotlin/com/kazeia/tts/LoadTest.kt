package com.kazeia.tts

import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitAll
import kotlinx.coroutines.runBlocking
import org.junit.Assert.assertEquals
import org.junit.Assert.assertTrue
import org.junit.Test
import java.io.File
import kotlin.concurrent.thread

/** Many callers, many calls. */
class LoadTest {
    private val request = TestModel.request(maxFrames = 4)

    @Test
    fun `eight threads on one engine each get their own speech`() = TestModel.load().use { engine ->
        val expected = (0L until 8).map { engine.synthesizeBlocking(request.copy(seed = it)).samples.toList() }
        val found = arrayOfNulls<List<Short>>(8)
        val threads = (0 until 8).map { index ->
            thread {
                repeat(4) { found[index] = engine.synthesizeBlocking(request.copy(seed = index.toLong())).samples.toList() }
            }
        }
        threads.forEach { it.join() }
        assertEquals(expected, found.toList())
        val async = runBlocking {
            (0L until 8).map { seed ->
                async(Dispatchers.Default) { engine.synthesize(request.copy(seed = seed)).samples.toList() }
            }.awaitAll()
        }
        assertEquals(expected, async)
    }

    @Test
    fun `eight threads with an engine each do not disturb each other`() {
        val expected = TestModel.load().use { it.synthesizeBlocking(request).samples.toList() }
        val found = arrayOfNulls<List<Short>>(8)
        val threads = (0 until 8).map { index ->
            thread { found[index] = TestModel.load().use { it.synthesizeBlocking(request).samples.toList() } }
        }
        threads.forEach { it.join() }
        assertTrue(found.all { it == expected })
    }

    @Test
    fun `200 calls leave the memory as it was`() = TestModel.load().use { engine ->
        val short = request.copy(maxFrames = 2)
        repeat(WARM_UP) { engine.synthesizeBlocking(short) }
        val before = residentBytes()
        repeat(NUM_CALLS - WARM_UP) { engine.synthesizeBlocking(short) }
        val grownMb = (residentBytes() - before) / 1e6
        println("resident memory: ${before / 1_000_000} MB after $WARM_UP calls, grown by $grownMb MB after $NUM_CALLS")
        assertTrue("grown by $grownMb MB", grownMb < 5)
    }

    /** Of this process. The Java heap has a fixed size and is touched at the start, see the pom, so it does not count. */
    private fun residentBytes(): Long {
        System.gc()
        return File("/proc/self/statm").readText().split(" ")[1].toLong() * 4096
    }

    private companion object {
        const val WARM_UP = 5
        const val NUM_CALLS = 200
    }
}
