"""Writes the official checkpoint folder: what `qwen_tts` loads and what `kz convert` turns into a GGUF."""
import json

import torch
from safetensors.torch import save_file

from kvoice import quantiser, settings, text_tokens

_COMMON = {"attention_bias": False, "attention_dropout": 0.0, "hidden_act": "silu", "initializer_range": 0.02, "rope_scaling": None,
           "sliding_window": None, "use_sliding_window": False, "use_cache": True, "num_code_groups": quantiser.GROUPS}


# What the engine reads beside the official keys (docs/formats.md); the official package ignores it.
_KAZEIA = {
    "name": "Kazeia voice", "license": "Apache-2.0",
    "description": "Synthetic speech: a small model trained on the output of another synthesiser (Kokoro-82M, voices af_heart and ff_siwis). "
                   "No person is imitated on purpose, and nobody should take it for one.",
    "speaker_languages": settings.SPEAKERS, "spell_out": True, "max_sentence_codepoints": 110}


def _write(path, data):
    path.write_text(json.dumps(data, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def _talker_config(text_vocab):
    predictor = {**_COMMON, **settings.PREDICTOR, "vocab_size": settings.CODES, "max_position_embeddings": 64, "max_window_layers": 28,
                 "layer_types": ["full_attention"] * settings.PREDICTOR["num_hidden_layers"], "model_type": "qwen3_tts_talker_code_predictor",
                 "tie_word_embeddings": False, "pad_token_id": None}
    third = settings.TALKER["head_dim"] // 2 // 3
    sections = [settings.TALKER["head_dim"] // 2 - 2 * third, third, third]
    return {**_COMMON, **settings.TALKER, **settings.CONTROL, "code_predictor_config": predictor, "model_type": "qwen3_tts_talker",
            "vocab_size": settings.VOCAB, "text_vocab_size": text_vocab, "pad_token_id": settings.CONTROL["codec_pad_id"],
            "max_position_embeddings": 4096, "position_id_per_seconds": 13,
            "rope_scaling": {"interleaved": True, "mrope_section": sections, "rope_type": "default", "type": "default"},
            "codec_language_id": settings.LANGUAGE_ID, "spk_id": settings.SPEAKER_ID, "spk_is_dialect": {name: False for name in settings.SPEAKERS}}


def _configs(folder, tokens):
    s = tokens.special
    _write(folder / "config.json", {
        "architectures": ["Qwen3TTSForConditionalGeneration"], "model_type": "qwen3_tts", "tokenizer_type": "qwen3_tts_tokenizer_12hz",
        "tts_model_size": "0b6", "tts_model_type": "custom_voice", "assistant_token_id": tokens.role[1],
        "im_start_token_id": s["<|im_start|>"], "im_end_token_id": s["<|im_end|>"], "tts_pad_token_id": s["<tts_pad>"],
        "tts_bos_token_id": s["<tts_text_bos>"], "tts_eos_token_id": s["<tts_text_eod>"],
        "talker_config": _talker_config(tokens.size), "transformers_version": "4.57.3", "kazeia": _KAZEIA})
    _write(folder / "generation_config.json", {
        "non_streaming_mode": False, "do_sample": True, "temperature": 0.1, "top_k": 20, "top_p": 1.0, "repetition_penalty": 1.0,
        "subtalker_dosample": True, "subtalker_temperature": 0.1, "subtalker_top_k": 20, "subtalker_top_p": 1.0, "max_new_tokens": 1024})
    _write(folder / "preprocessor_config.json", {"padding_side": "left", "padding_value": 0.0, "processor_class": "Qwen3TTSProcessor", "return_attention_mask": True})


def _tokenizer(folder, tokens):
    _write(folder / "vocab.json", tokens.vocab)
    (folder / "merges.txt").write_text("#version: 0.2\n" + "".join(f"{a} {b}\n" for a, b in tokens.merges), encoding="utf-8")
    added = {str(i): {"content": name, "lstrip": False, "normalized": False, "rstrip": False, "single_word": False, "special": True} for name, i in tokens.special.items()}
    _write(folder / "tokenizer_config.json", {
        "add_bos_token": False, "add_prefix_space": False, "added_tokens_decoder": added, "additional_special_tokens": ["<|im_start|>", "<|im_end|>"],
        "bos_token": None, "clean_up_tokenization_spaces": False, "eos_token": "<|im_end|>", "errors": "replace", "model_max_length": 131072,
        "pad_token": "<|endoftext|>", "split_special_tokens": False, "tokenizer_class": "Qwen2Tokenizer", "unk_token": None, "processor_class": "Qwen3TTSProcessor"})


def _codec_config(folder):
    c = {k: list(v) if isinstance(v, tuple) else v for k, v in settings.CODEC.items()}
    rate = {"input_sample_rate": 24000, "output_sample_rate": 24000, "decode_upsample_rate": 1920, "encode_downsample_rate": 1920}
    decoder = {**c, "attention_bias": False, "attention_dropout": 0.0, "hidden_act": "silu", "num_semantic_quantizers": 1,
               "vector_quantization_hidden_dimension": settings.CODEC["codebook_dim"]}
    encoder = {"_frame_rate": 12.5, "audio_channels": 1, "codebook_dim": 8, "codebook_size": settings.CODES, "hidden_size": 16, "intermediate_size": 16,
               "num_attention_heads": 2, "num_key_value_heads": 2, "head_dim": 8, "num_hidden_layers": 1, "num_filters": 2, "num_quantizers": quantiser.GROUPS,
               "num_semantic_quantizers": 1, "sampling_rate": 24000, "upsampling_ratios": [8, 6, 5, 4], "upsample_groups": 16,
               "vector_quantization_hidden_dimension": 8, "use_causal_conv": True, "pad_mode": "constant", "sliding_window": 250}
    _write(folder / "config.json", {
        "architectures": ["Qwen3TTSTokenizerV2Model"], "model_type": "qwen3_tts_tokenizer_12hz", "encoder_valid_num_quantizers": quantiser.GROUPS,
        **rate, "decoder_config": decoder, "encoder_config": encoder, "transformers_version": "4.57.3"})
    _write(folder / "preprocessor_config.json", {
        "chunk_length_s": None, "feature_extractor_type": "EncodecFeatureExtractor", "feature_size": 1, "overlap": None, "padding_side": "right",
        "padding_value": 0.0, "return_attention_mask": True, "sampling_rate": 24000})


def write(folder, talker_weights, codec_weights, tokens: text_tokens.TextTokens):
    """Talker in bf16 as the official checkpoints are, codec in f32. The encoder of the codec is not part of the voice."""
    (folder / "speech_tokenizer").mkdir(parents=True, exist_ok=True)
    _configs(folder, tokens)
    _tokenizer(folder, tokens)
    _codec_config(folder / "speech_tokenizer")
    save_file({"talker." + k: v.to(torch.bfloat16).contiguous() for k, v in talker_weights.items()}, folder / "model.safetensors", {"format": "pt"})
    save_file({"decoder." + k: v.float().contiguous() for k, v in codec_weights.items()}, folder / "speech_tokenizer/model.safetensors", {"format": "pt"})
