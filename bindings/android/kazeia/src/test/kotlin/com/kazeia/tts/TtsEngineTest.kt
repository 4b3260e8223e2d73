package com.kazeia.tts

import org.junit.AfterClass
import org.junit.Assert.assertEquals
import org.junit.Assert.assertThrows
import org.junit.Assert.assertTrue
import org.junit.Assume.assumeTrue
import org.junit.Test
import java.io.File
import kotlin.io.path.createTempFile

/** Speaking, text, errors: what an engine does for one caller. */
class TtsEngineTest {
    private val request = TestModel.request()

    @Test
    fun `an engine says the same twice, and what the program says`() {
        val wavs = TestModel.load().use { own -> List(2) { md5(own.synthesizeBlocking(request).wav()) } }
        assertEquals(wavs[0], wavs[1])

        val cli = File(System.getProperty("kazeia.cli"))
        assumeTrue("the program is not built: $cli", cli.canExecute())
        val file = createTempFile(suffix = ".wav").toFile()
        val command = listOf(cli.path, "say", "-m", TestModel.path, "-t", "1", "--seed", "7", "--max-frames", "8")
        val process = ProcessBuilder(command + listOf("-o", file.path, request.text)).redirectErrorStream(true).start()
        val output = process.inputStream.bufferedReader().readText()
        assertEquals(output, 0, process.waitFor())
        assertEquals(md5(file.readBytes()), wavs[0])
        file.delete()
    }

    @Test
    fun `the native functions alone load, speak and free`() {
        val handle = TtsJni.nativeLoad(utf8(TestModel.path), 1, null)
        val report = arrayOfNulls<ByteArray>(1)
        val samples = TtsJni.nativeSynthesize(handle, request.toNative(), report)
        TtsJni.nativeFree(handle)
        TtsJni.nativeFree(handle)
        val audio = engine.synthesizeBlocking(request)
        assertEquals(audio.samples.toList(), samples.toList())
        assertEquals(audio.report.seed, Report.fromJson(String(report[0]!!, Charsets.UTF_8)).seed)
        assertThrows(IllegalStateException::class.java) { TtsJni.nativeSynthesize(handle, request.toNative(), null) }
    }

    @Test
    fun `the model describes itself, and its description can be kept`() {
        assertEquals("custom_voice", engine.info.type)
        assertEquals(24_000, engine.info.sampleRateHz)
        assertEquals(1_920, engine.info.samplesPerFrame)
        assertEquals(1, engine.info.numThreads)
        assertTrue(engine.voices.any { it == VoiceInfo("dylan", "", "beijing_dialect") || it.name == "dylan" })
        assertTrue("french" in engine.languages)
        assertEquals(engine.voices, ModelInfo.fromJson(engine.info.json).voices)
        assertTrue(TtsEngine.version, TtsEngine.version.matches(Regex("""\d+\.\d+\.\d+""")))
    }

    @Test
    fun `the report tells what was used`() {
        val audio = engine.synthesizeBlocking(request.copy(voice = "serena", language = "french"))
        with(audio.report) {
            assertEquals(FinishReason.LENGTH, finishReason)
            assertEquals(7, seed)
            assertEquals("serena", voice)
            assertEquals("french", language)
            assertEquals(8, numFrames)
            assertEquals(audio.samples.size.toLong(), numSamples)
            assertEquals(audio.seconds, audioSeconds, 1e-9)
            assertTrue(wallSeconds > 0 && firstAudioMs > 0 && timings.talkerMs > 0)
        }
    }

    @Test
    fun `all 64 bits of a seed count and come back`() {
        val seed = Long.MIN_VALUE + 5
        val first = engine.synthesizeBlocking(request.copy(seed = seed))
        assertEquals(seed, first.report.seed)
        assertTrue(first.samples.toList() != engine.synthesizeBlocking(request.copy(seed = 5)).samples.toList())
        val drawn = engine.synthesizeBlocking(request.copy(seed = null)).report.seed
        assertEquals(drawn, engine.synthesizeBlocking(request.copy(seed = drawn)).report.seed)
    }

    @Test
    fun `emoji and other characters outside the basic plane are spoken`() {
        val report = engine.synthesizeBlocking(TestModel.request("Bravo 😀👩‍🚀 𝄞 fin")).report
        assertEquals(8, report.numFrames)
    }

    @Test
    fun `a lone surrogate is read as the replacement character`() {
        for (text in listOf("a\uD83Db", "\uDE00", "fin \uD83D")) {
            val replaced = text.replace(Regex("[\uD83D\uDE00]"), "\uFFFD")
            val samples = engine.synthesizeBlocking(TestModel.request("x $text")).samples.toList()
            assertEquals(engine.synthesizeBlocking(TestModel.request("x $replaced")).samples.toList(), samples)
        }
        assertEquals("a\uFFFDb😀", String(utf8("a\uD83Db😀"), Charsets.UTF_8))
    }

    @Test
    fun `an empty text has no audio`() {
        val audio = engine.synthesizeBlocking(TestModel.request(""))
        assertEquals(FinishReason.EMPTY, audio.report.finishReason)
        assertEquals(0, audio.samples.size)
    }

    @Test
    fun `100 KB of text are spoken`() {
        val text = "Une phrase de plus. ".repeat(5_120)
        assertEquals(102_400, utf8(text).size)
        val audio = engine.synthesizeBlocking(TestModel.request(text, maxFrames = 4).copy(textFeed = TextFeed.STREAMING))
        assertEquals(4, audio.report.numFrames)
    }

    @Test
    fun `an unknown voice is an error that names the known ones`() {
        val error = assertThrows(TtsException::class.java) { engine.synthesizeBlocking(request.copy(voice = "é😀")) }
        assertEquals(TtsException.Code.INVALID_ARGUMENT, error.code)
        assertTrue(error.message, "serena" in error.message!! && "é😀" in error.message!!)
    }

    @Test
    fun `a missing model is an error that names it`() {
        val error = assertThrows(TtsException::class.java) { TtsEngine.loadBlocking("/no/such/voix.gguf") }
        assertTrue("${error.code}", error.code == TtsException.Code.IO || error.code == TtsException.Code.BAD_MODEL)
        assertTrue(error.message, "/no/such/voix.gguf" in error.message!!)
    }

    companion object {
        private val engine by lazy { TestModel.load() }

        @JvmStatic
        @AfterClass
        fun closeEngine() = engine.close()
    }
}
