package com.kazeia.tts

/**
 * Reads the JSON that the native library writes: objects become maps, arrays lists, numbers stay text so that all 64 bits
 * of a seed survive. The plain JVM has no such reader, and a library for three short documents would be out of proportion.
 */
internal class Json private constructor(private val text: String) {
    private var position = 0

    private fun value(): Any? {
        skipSpace()
        return when (peek()) {
            '{' -> members()
            '[' -> elements()
            '"' -> string()
            else -> word()
        }
    }

    private fun members(): Map<String, Any?> = buildMap {
        list('}') {
            skipSpace()
            val name = string()
            expect(':')
            put(name, value())
        }
    }

    private fun elements(): List<Any?> = buildList { list(']') { add(value()) } }

    private fun list(end: Char, item: () -> Unit) {
        position++
        skipSpace()
        if (peek() == end) {
            position++
            return
        }
        do {
            item()
            skipSpace()
        } while (next() == ',')
        position--
        expect(end)
    }

    private fun string(): String {
        expect('"')
        val result = StringBuilder()
        while (true) {
            when (val char = next()) {
                '"' -> return result.toString()
                '\\' -> result.append(escaped())
                else -> result.append(char)
            }
        }
    }

    private fun escaped(): Char = when (val char = next()) {
        'n' -> '\n'
        't' -> '\t'
        'r' -> '\r'
        'b' -> '\b'
        'f' -> '\u000C'
        'u' -> String(CharArray(4) { next() }).toInt(16).toChar()
        else -> char
    }

    /** A number, true, false or null. */
    private fun word(): Any? {
        val start = position
        while (position < text.length && text[position] !in ",]} \n") position++
        return when (val word = text.substring(start, position)) {
            "" -> fail("a value")
            "true" -> true
            "false" -> false
            "null" -> null
            else -> word
        }
    }

    private fun skipSpace() {
        while (position < text.length && text[position].isWhitespace()) position++
    }

    private fun peek(): Char = if (position < text.length) text[position] else fail("more text")

    private fun next(): Char = peek().also { position++ }

    private fun expect(char: Char) {
        skipSpace()
        if (next() != char) fail("'$char'")
    }

    private fun fail(expected: String): Nothing =
        throw IllegalArgumentException("JSON: expected $expected at character $position of ${text.length}")

    companion object {
        /** The outermost object of a document. */
        fun parse(text: String): JsonObject {
            val json = Json(text)
            json.skipSpace()
            if (json.peek() != '{') json.fail("'{'")
            return JsonObject(json.members())
        }
    }
}

/** Typed access to the members of an object; what is absent is empty or zero. */
internal class JsonObject(private val members: Map<String, Any?>) {
    fun text(name: String): String = members[name] as? String ?: ""
    fun int(name: String): Int = text(name).toIntOrNull() ?: 0
    fun long(name: String): Long = text(name).toLongOrNull() ?: 0
    fun double(name: String): Double = text(name).toDoubleOrNull() ?: 0.0
    fun texts(name: String): List<String> = list(name).filterIsInstance<String>()

    @Suppress("UNCHECKED_CAST")
    fun objects(name: String): List<JsonObject> =
        list(name).filterIsInstance<Map<*, *>>().map { JsonObject(it as Map<String, Any?>) }

    private fun list(name: String): List<*> = members[name] as? List<*> ?: emptyList<Any>()
}
