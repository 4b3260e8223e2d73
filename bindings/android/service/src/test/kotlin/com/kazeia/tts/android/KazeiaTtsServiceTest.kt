package com.kazeia.tts.android

import android.media.AudioFormat
import android.speech.tts.TextToSpeech
import android.speech.tts.Voice
import org.junit.After
import org.junit.Assert.assertArrayEquals
import org.junit.Assert.assertEquals
import org.junit.Assert.assertFalse
import org.junit.Assert.assertNull
import org.junit.Assert.assertTrue
import org.junit.Before
import org.junit.Test
import org.junit.runner.RunWith
import org.robolectric.Robolectric
import org.robolectric.RobolectricTestRunner
import org.robolectric.annotation.Config
import java.io.File
import kotlin.concurrent.thread

@RunWith(RobolectricTestRunner::class)
@Config(sdk = [34], manifest = Config.NONE)
class KazeiaTtsServiceTest {
    private val controller = Robolectric.buildService(TestService::class.java)
    private val service: TestService get() = controller.get()

    @Before
    fun create() {
        controller.create()
    }

    @After
    fun destroy() {
        controller.destroy()
    }

    @Test
    fun `the service speaks`() {
        val callback = RecordingCallback()
        service.speak(request("Oui 😀"), callback)
        assertNull(callback.error)
        assertEquals(Triple(24_000, AudioFormat.ENCODING_PCM_16BIT, 1), callback.format)
        assertTrue(callback.isDone)
        assertTrue("${callback.numBytes} bytes", callback.numBytes > 24_000)
        assertEquals(1000, callback.largestPiece)
    }

    @Test
    fun `the rate that the user set is obeyed`() {
        val (normal, fast) = listOf(100, 200).map { rate ->
            RecordingCallback().also { service.speak(request("Oui", rate = rate, pitch = 120), it) }
        }
        assertEquals(normal.numBytes / 2.0, fast.numBytes.toDouble(), 10.0)
    }

    @Test
    fun `a stop ends the speech, and is no error`() {
        val callback = RecordingCallback()
        val speaking = thread { service.speak(request("Une phrase assez longue pour durer. ".repeat(20)), callback) }
        callback.awaitAudio()
        service.stop()
        speaking.join(60_000)
        assertFalse(speaking.isAlive)
        assertNull(callback.error)
        assertFalse(callback.isDone)
        val after = RecordingCallback()
        service.speak(request("Oui"), after)
        assertTrue(after.isDone)
    }

    @Test
    fun `a stop without a speech does nothing`() {
        service.stop()
        val callback = RecordingCallback()
        service.speak(request("Oui"), callback)
        assertTrue(callback.isDone)
    }

    @Test
    fun `the system's refusal of samples ends the speech`() {
        val expected = mapOf(TextToSpeech.STOPPED to null, TextToSpeech.ERROR to TextToSpeech.ERROR_OUTPUT)
        for ((answer, error) in expected) {
            val callback = RecordingCallback { piece -> if (piece < 3) TextToSpeech.SUCCESS else answer }
            service.speak(request("Une phrase assez longue pour durer."), callback)
            assertEquals(3, callback.numPieces)
            assertFalse(callback.isDone)
            assertEquals(error, callback.error)
        }
    }

    @Test
    fun `an empty text is silent`() {
        val callback = RecordingCallback()
        service.speak(request(""), callback)
        assertTrue(callback.isDone)
        assertEquals(0, callback.numBytes)
    }

    @Test
    fun `the languages of the model are available, others are rejected`() {
        offMain {
            for (language in listOf("fra", "FRA", "fr", "eng", "zho", "jpn", "deu")) {
                assertEquals(language, TextToSpeech.LANG_AVAILABLE, service.available(language))
            }
            for (language in listOf("swe", "xyz", "", null)) {
                assertEquals(language, TextToSpeech.LANG_NOT_SUPPORTED, service.available(language))
            }
            assertEquals(TextToSpeech.LANG_AVAILABLE, service.available("fra", "CAN"))
        }
        val callback = RecordingCallback()
        service.speak(request("Hej", language = "swe"), callback)
        assertEquals(TextToSpeech.ERROR_INVALID_REQUEST, callback.error)
        assertNull(callback.format)
    }

    @Test
    fun `the loaded language is the current one`() = offMain {
        assertEquals(TextToSpeech.LANG_AVAILABLE, service.load("deu"))
        assertArrayEquals(arrayOf("deu", "", ""), service.language())
        assertEquals(TextToSpeech.LANG_NOT_SUPPORTED, service.load("swe"))
        assertArrayEquals(arrayOf("deu", "", ""), service.language())
    }

    @Test
    fun `each speaker is a voice in each language`() = offMain {
        val voices = service.onGetVoices().associateBy { it.name }
        val voice: Voice = voices.getValue("ryan-fra")
        assertEquals("fr", voice.locale.language)
        assertFalse(voice.isNetworkConnectionRequired)
        assertEquals(10 * 10, voices.size)  // nine speakers and the default, in ten languages
        assertEquals("default-fra", service.onGetDefaultVoiceNameFor("fra", "FRA", ""))
        assertTrue("default-fra" in voices)
        assertNull(service.onGetDefaultVoiceNameFor("swe", "", ""))
        assertEquals(TextToSpeech.SUCCESS, service.onIsValidVoiceName("ryan-fra"))
        assertEquals(TextToSpeech.ERROR, service.onIsValidVoiceName("ryan"))
        assertEquals(TextToSpeech.ERROR, service.onIsValidVoiceName(null))
        assertEquals(TextToSpeech.SUCCESS, service.onLoadVoice("vivian-ita"))
        assertArrayEquals(arrayOf("ita", "", ""), service.language())
        assertEquals(TextToSpeech.ERROR, service.onLoadVoice("nobody-ita"))
    }

    @Test
    fun `a request names its voice, and an unknown one is an error`() {
        val (known, unknown) = listOf("serena-eng", "nobody-eng").map { voice ->
            RecordingCallback().also { service.speak(request("Yes", voice = voice), it) }
        }
        assertTrue(known.isDone)
        assertEquals(TextToSpeech.ERROR_INVALID_REQUEST, unknown.error)
        assertEquals(0, unknown.numBytes)
    }

    @Test
    fun `without a model the data are missing`() {
        service.model = null
        assertEquals(TextToSpeech.LANG_MISSING_DATA, service.available("fra"))
        assertEquals(TextToSpeech.LANG_NOT_SUPPORTED, service.available("swe"))
        assertTrue(service.onGetVoices().isEmpty())
        val callback = RecordingCallback()
        service.speak(request("Oui"), callback)
        assertEquals(TextToSpeech.ERROR_NOT_INSTALLED_YET, callback.error)
    }

    @Test
    fun `a broken model is an error`() {
        service.model = File.createTempFile("broken", ".gguf").apply { writeText("no model") }
        val callback = RecordingCallback()
        service.speak(request("Oui"), callback)
        assertEquals(TextToSpeech.ERROR_NOT_INSTALLED_YET, callback.error)
        service.model!!.delete()
    }

    @Test
    fun `the main thread never loads, and knows a model once it was described`() {
        assertEquals(TextToSpeech.LANG_MISSING_DATA, service.available("fra"))
        offMain { service.available("fra") }
        assertEquals(TextToSpeech.LANG_AVAILABLE, service.available("fra"))

        val another = Robolectric.buildService(TestService::class.java).create()
        assertEquals("from the kept description", TextToSpeech.LANG_AVAILABLE, another.get().available("fra"))
        another.destroy()
    }

    @Test
    fun `destroying the service ends its speech`() {
        val other = Robolectric.buildService(TestService::class.java).create()
        val callback = RecordingCallback()
        val speaking = thread { other.get().speak(request("Une phrase assez longue pour durer. ".repeat(20)), callback) }
        callback.awaitAudio()
        other.destroy()
        speaking.join(60_000)
        assertFalse(speaking.isAlive)
        assertNull(callback.error)
        val late = RecordingCallback()
        other.get().speak(request("Oui"), late)
        assertEquals(TextToSpeech.ERROR_SERVICE, late.error)
    }
}
