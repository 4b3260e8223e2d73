package com.kazeia.tts

/** A failure of the engine: a wrong file, model, text or option. The message names what was expected and found. */
class TtsException(val code: Code, message: String) : RuntimeException(message) {
    /** What kind of failure it is; the order is that of `kz_status` in kazeia.h. */
    enum class Code {
        /** Not used in exceptions. */
        OK,

        /** A wrong value, an unknown voice or language. */
        INVALID_ARGUMENT,

        /** The model's files are broken or not of this kind. */
        BAD_MODEL,

        /** A file can't be read. */
        IO,

        /** Something this version or build can't do. */
        UNSUPPORTED,

        OUT_OF_MEMORY,

        /** A device is missing or failed. */
        DEVICE,

        CANCELLED,

        /** A fault of the library. */
        INTERNAL,
    }

    /** For the native code: a `kz_status`, and the message in UTF-8. */
    @Suppress("unused")
    private constructor(status: Int, message: ByteArray) : this(
        Code.entries.getOrElse(status) { Code.INTERNAL },
        String(message, Charsets.UTF_8),
    )
}
