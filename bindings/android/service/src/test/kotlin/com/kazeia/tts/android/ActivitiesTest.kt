package com.kazeia.tts.android

import android.app.Activity
import android.content.Context
import android.content.Intent
import android.os.Looper
import android.speech.tts.TextToSpeech
import android.speech.tts.TextToSpeech.Engine
import com.kazeia.tts.TtsException
import org.junit.Assert.assertEquals
import org.junit.Assert.assertNotNull
import org.junit.Assert.assertNull
import org.junit.Assert.assertThrows
import org.junit.Assert.assertTrue
import org.junit.Assume.assumeTrue
import org.junit.Test
import org.junit.runner.RunWith
import org.robolectric.Robolectric
import org.robolectric.RobolectricTestRunner
import org.robolectric.RuntimeEnvironment
import org.robolectric.Shadows.shadowOf
import org.robolectric.annotation.Config
import java.io.File

/** Installing a model, and what the system's settings ask about it. */
@RunWith(RobolectricTestRunner::class)
@Config(sdk = [34], manifest = Config.NONE)
class ActivitiesTest {
    private val context: Context = RuntimeEnvironment.getApplication()

    /** The tests' model as one file, as users have it. */
    private fun installModel() {
        val cli = File(System.getProperty("kazeia.cli"))
        assumeTrue("the program is not built: $cli", cli.canExecute())
        val file = File.createTempFile("tiny", ".gguf").apply { delete() }
        val command = listOf(cli.path, "convert", System.getProperty("kazeia.model"), "-o", file.path, "--type", "f32")
        val process = ProcessBuilder(command).redirectErrorStream(true).start()
        val output = process.inputStream.bufferedReader().readText()
        assertEquals(output, 0, process.waitFor())
        var copied = 0L
        val info = file.inputStream().use { source -> ModelStore(context).install(source) { copied = it } }
        assertEquals(file.length(), copied)
        assertEquals("custom_voice", info.type)
        file.delete()
    }

    /** Waits until the activity has ended itself. */
    private fun finished(activity: Activity): Activity {
        val until = System.currentTimeMillis() + 60_000
        while (!activity.isFinishing && System.currentTimeMillis() < until) {
            shadowOf(Looper.getMainLooper()).idle()
            Thread.sleep(10)
        }
        assertTrue("the activity goes on", activity.isFinishing)
        return activity
    }

    private fun checkData(): Pair<Int, Intent> {
        val activity = finished(Robolectric.buildActivity(CheckDataActivity::class.java).create().get())
        return shadowOf(activity).run { resultCode to resultIntent }
    }

    @Test
    fun `without a model the check of the data fails`() {
        val (code, result) = checkData()
        assertEquals(Engine.CHECK_VOICE_DATA_FAIL, code)
        assertEquals(0, result.getStringArrayListExtra(Engine.EXTRA_AVAILABLE_VOICES)!!.size)
        assertTrue("fra" in result.getStringArrayListExtra(Engine.EXTRA_UNAVAILABLE_VOICES)!!)
    }

    @Test
    fun `an installed model is found, described and passes the check`() {
        val store = ModelStore(context)
        assertNull(store.model())
        installModel()
        val model = store.model()!!
        assertTrue("french" in store.description(model)!!.languages)
        val (code, result) = checkData()
        assertEquals(Engine.CHECK_VOICE_DATA_PASS, code)
        assertTrue("fra" in result.getStringArrayListExtra(Engine.EXTRA_AVAILABLE_VOICES)!!)
        val settings = Robolectric.buildActivity(SettingsActivity::class.java).setup()
        assertNotNull(settings.get())
        settings.destroy()
    }

    @Test
    fun `a file that is no model is not installed, and the old one stays`() {
        installModel()
        val store = ModelStore(context)
        val before = store.model()!!.length()
        val error = assertThrows(TtsException::class.java) { store.install("no model".byteInputStream()) }
        assertTrue(error.message!!, error.message!!.isNotEmpty())
        assertEquals(before, store.model()!!.length())
        assertEquals(listOf("model.gguf", "model.info"), store.model()!!.parentFile!!.list()!!.sorted())
    }

    @Test
    fun `a sample text is in the language that was asked for`() {
        for ((language, expected) in listOf("fra" to TextToSpeech.LANG_AVAILABLE, "swe" to TextToSpeech.LANG_NOT_SUPPORTED)) {
            val intent = Intent().putExtra("language", language)
            val activity = finished(Robolectric.buildActivity(SampleTextActivity::class.java, intent).create().get())
            assertEquals(expected, shadowOf(activity).resultCode)
            val text = shadowOf(activity).resultIntent?.getStringExtra(Engine.EXTRA_SAMPLE_TEXT)
            if (language == "fra") assertTrue(text!!.startsWith("Bonjour")) else assertNull(text)
        }
    }

    @Test
    fun `leaving the chooser installs nothing`() {
        val controller = Robolectric.buildActivity(InstallDataActivity::class.java).create()
        val chooser = shadowOf(controller.get()).nextStartedActivityForResult
        assertEquals(Intent.ACTION_OPEN_DOCUMENT, chooser.intent.action)
        shadowOf(controller.get()).receiveResult(chooser.intent, Activity.RESULT_CANCELED, null)
        assertEquals(Activity.RESULT_CANCELED, shadowOf(finished(controller.get())).resultCode)
    }
}
