package com.kazeia.tts.android

import android.app.Activity
import android.content.Intent
import android.net.Uri
import android.os.Bundle
import android.speech.tts.TextToSpeech.Engine
import android.widget.TextView
import com.kazeia.tts.TtsException
import java.io.IOException
import java.io.InterruptedIOException
import kotlin.concurrent.thread

/**
 * Answers the system's `INSTALL_TTS_DATA`: lets the user choose a model file that is on the device, and copies it to where
 * the service finds it. An app that downloads or ships its model calls [ModelStore.install] instead.
 */
class InstallDataActivity : Activity() {
    private lateinit var text: TextView
    @Volatile private var left = false

    override fun onCreate(savedInstanceState: Bundle?) {
        super.onCreate(savedInstanceState)
        text = TextView(this).apply { setPadding(PADDING, PADDING, PADDING, PADDING) }
        setContentView(text)
        if (savedInstanceState != null) return  // the chooser is still open
        // GGUF has no MIME type of its own.
        val choose = Intent(Intent.ACTION_OPEN_DOCUMENT).addCategory(Intent.CATEGORY_OPENABLE).setType("*/*")
        @Suppress("DEPRECATION") startActivityForResult(choose, CHOOSE)
    }

    @Deprecated("Android's own replacement is a library that this one does without")
    override fun onActivityResult(requestCode: Int, resultCode: Int, data: Intent?) {
        val uri = data?.data
        if (requestCode != CHOOSE || resultCode != RESULT_OK || uri == null) {
            setResult(RESULT_CANCELED)
            finish()
            return
        }
        thread(name = "kazeia-install") { install(uri) }
    }

    override fun onDestroy() {
        left = true
        super.onDestroy()
    }

    private fun install(uri: Uri) {
        try {
            val source = contentResolver.openInputStream(uri) ?: throw IOException("can't read $uri")
            val info = source.use { ModelStore(this).install(it, ::progress) }
            runOnUiThread { installed(info.name) }
        } catch (_: InterruptedIOException) {
            // The user left; nothing was installed.
        } catch (e: IOException) {
            show("Not installed: ${e.message}")
        } catch (e: TtsException) {
            show("Not installed: ${e.message}")
        } catch (e: SecurityException) {
            show("Not installed: ${e.message}")
        }
    }

    private fun progress(bytes: Long) {
        if (left) throw InterruptedIOException()
        show("Copying: ${bytes / 1_000_000} MB")
    }

    private fun installed(name: String) {
        if (left) return
        @Suppress("DEPRECATION") val action = Engine.ACTION_TTS_DATA_INSTALLED
        sendBroadcast(Intent(action))
        show("Installed: $name")
        setResult(RESULT_OK)
        finish()
    }

    private fun show(message: String) = runOnUiThread { text.text = message }

    private companion object {
        const val CHOOSE = 1
        const val PADDING = 48  // pixels
    }
}
