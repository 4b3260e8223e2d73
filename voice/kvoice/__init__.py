"""Training code of the default voice: a small model of the Qwen3-TTS 12 Hz architecture."""
