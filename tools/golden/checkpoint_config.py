"""The JSON files of a checkpoint, with the fields of the published ones."""

from math import prod

_CONTROL_IDS = 1024  # ids after the codes in the talker's vocabulary
_PUBLISHED_CODEBOOK = 2048

# Ids of the published checkpoints; with another codebook size they move along with the first control id.
_LANGUAGES = dict(chinese=2055, english=2050, german=2053, italian=2070, portuguese=2071, spanish=2054, japanese=2058,
                  korean=2064, french=2061, russian=2069, beijing_dialect=2074, sichuan_dialect=2062)
_SPEAKERS = dict(serena=3066, vivian=3065, uncle_fu=3010, ryan=3061, aiden=2861, ono_anna=2873, sohee=2864, eric=2875,
                 dylan=2878)
_DIALECTS = dict(eric="sichuan_dialect", dylan="beijing_dialect")
_CODEC_IDS = dict(codec_pad_id=2148, codec_bos_id=2149, codec_eos_token_id=2150, codec_think_id=2154,
                  codec_nothink_id=2155, codec_think_bos_id=2156, codec_think_eos_id=2157)


def talker_vocab_size(variant):
    return variant.codebook + _CONTROL_IDS


def codec_eos_id(variant):
    return _CODEC_IDS["codec_eos_token_id"] - _PUBLISHED_CODEBOOK + variant.codebook


def _moved(ids, variant):
    return {name: i - _PUBLISHED_CODEBOOK + variant.codebook for name, i in ids.items()}


def _stack(stack, code_groups):
    return dict(attention_bias=False, attention_dropout=0, head_dim=stack.head, hidden_act="silu",
                hidden_size=stack.hidden, initializer_range=0.02, intermediate_size=stack.intermediate,
                num_attention_heads=stack.heads, num_code_groups=code_groups, num_hidden_layers=stack.layers,
                num_key_value_heads=stack.kv_heads, rms_norm_eps=1e-6, rope_theta=1000000, sliding_window=None,
                use_cache=True, use_sliding_window=False)


def _talker_config(variant, model_type, text_vocab_size):
    code_predictor = dict(
        _stack(variant.code_predictor, variant.code_groups), layer_types=["full_attention"] *
        variant.code_predictor.layers, max_position_embeddings=65536, max_window_layers=28,
        model_type="qwen3_tts_talker_code_predictor", pad_token_id=None, rope_scaling=None, tie_word_embeddings=False,
        vocab_size=variant.codebook)
    speakers = _SPEAKERS if model_type == "custom_voice" else {}
    half = variant.talker.head // 2
    section = [half - 2 * (half * 5 // 16), half * 5 // 16, half * 5 // 16]  # 24, 20, 20 for a head of 128
    return dict(
        _stack(variant.talker, variant.code_groups), **_moved(_CODEC_IDS, variant),
        code_predictor_config=code_predictor, codec_language_id=_moved(_LANGUAGES, variant),
        max_position_embeddings=32768, model_type="qwen3_tts_talker", pad_token_id=_moved(_CODEC_IDS,
                                                                                          variant)["codec_pad_id"],
        position_id_per_seconds=13, rope_scaling=dict(interleaved=True, mrope_section=section, rope_type="default",
                                                      type="default"),
        spk_id=_moved(speakers, variant), spk_is_dialect={name: _DIALECTS.get(name, False) for name in speakers},
        text_hidden_size=variant.text_hidden, text_vocab_size=text_vocab_size, vocab_size=talker_vocab_size(variant))


def model_config(variant, model_type, tokenizer, text_vocab_size):
    """config.json. model_type: custom_voice, voice_design or base."""
    config = dict(
        architectures=["Qwen3TTSForConditionalGeneration"], assistant_token_id=tokenizer.id_of("assistant"),
        im_end_token_id=tokenizer.id_of("<|im_end|>"), im_start_token_id=tokenizer.id_of("<|im_start|>"),
        tts_bos_token_id=tokenizer.id_of("<tts_text_bos>"), tts_eos_token_id=tokenizer.id_of("<tts_text_eod>"),
        tts_pad_token_id=tokenizer.id_of("<tts_pad>"), model_type="qwen3_tts",
        tokenizer_type="qwen3_tts_tokenizer_12hz", tts_model_size=variant.size, tts_model_type=model_type,
        talker_config=_talker_config(variant, model_type, text_vocab_size), transformers_version="4.57.3")
    if model_type == "base":
        config["speaker_encoder_config"] = dict(enc_dim=variant.talker.hidden, sample_rate=24000)
    return config


def generation_config():
    """generation_config.json: the published sampling defaults."""
    return dict(do_sample=True, repetition_penalty=1.05, temperature=0.9, top_p=1.0, top_k=50, subtalker_dosample=True,
                subtalker_temperature=0.9, subtalker_top_p=1.0, subtalker_top_k=50, max_new_tokens=8192)


def _codec_decoder_config(variant):
    codec, stack = variant.codec, variant.codec.pre_transformer
    return dict(
        attention_bias=False, attention_dropout=0.0, codebook_dim=codec.codebook_dim, codebook_size=variant.codebook,
        decoder_dim=codec.channels, head_dim=stack.head, hidden_act="silu", hidden_size=stack.hidden,
        intermediate_size=stack.intermediate, latent_dim=codec.latent, layer_scale_initial_scale=0.01,
        max_position_embeddings=8000, num_attention_heads=stack.heads, num_hidden_layers=stack.layers,
        num_key_value_heads=stack.kv_heads, num_quantizers=variant.code_groups, num_semantic_quantizers=1,
        rms_norm_eps=1e-5, rope_theta=10000, semantic_codebook_size=4096, sliding_window=codec.window,
        upsample_rates=codec.upsample_rates, upsampling_ratios=codec.upsampling_ratios,
        vector_quantization_hidden_dimension=codec.codebook_dim)


def _codec_encoder_config(encoder, codebook):
    return dict(
        _frame_rate=12.5, attention_bias=False, attention_dropout=0.0, audio_channels=1,
        codebook_dim=encoder.codebook_dim, codebook_size=codebook, compress=2, dilation_growth_rate=2, dtype="float32",
        head_dim=encoder.head, hidden_act="gelu", hidden_size=encoder.hidden, initializer_range=0.02,
        intermediate_size=encoder.intermediate, kernel_size=7, last_kernel_size=3, layer_scale_initial_scale=0.01,
        max_position_embeddings=8000, norm_eps=1e-5, normalize=False, num_attention_heads=encoder.heads,
        num_filters=encoder.filters, num_hidden_layers=encoder.layers, num_key_value_heads=encoder.heads,
        num_quantizers=32, num_residual_layers=1, num_semantic_quantizers=1, pad_mode="constant",
        residual_kernel_size=3, rope_theta=10000.0, sampling_rate=24000, sliding_window=250, trim_right_ratio=1.0,
        upsample_groups=encoder.hidden, upsampling_ratios=[8, 6, 5, 4], use_cache=False, use_causal_conv=True,
        use_conv_shortcut=False, use_streaming=False, vector_quantization_hidden_dimension=encoder.codebook_dim)


def speech_tokenizer_config(variant):
    """speech_tokenizer/config.json."""
    codec = variant.codec
    samples_per_frame = prod(codec.upsampling_ratios) * prod(codec.upsample_rates)
    config = dict(architectures=["Qwen3TTSTokenizerV2Model"], model_type="qwen3_tts_tokenizer_12hz",
                  encoder_valid_num_quantizers=variant.code_groups, input_sample_rate=24000,
                  output_sample_rate=codec.sample_rate_hz, decode_upsample_rate=samples_per_frame,
                  encode_downsample_rate=1920, decoder_config=_codec_decoder_config(variant),
                  transformers_version="4.57.3")
    if variant.encoder:
        config["encoder_config"] = _codec_encoder_config(variant.encoder, variant.codebook)
    else:  # the official class builds an encoder whatever the files hold: a minimal one
        config["encoder_config"] = dict(hidden_size=32, num_filters=4, num_hidden_layers=1, num_attention_heads=1,
                                        head_dim=32, intermediate_size=32, codebook_dim=16, codebook_size=16,
                                        vector_quantization_hidden_dimension=16, upsample_groups=32)
    return config


def preprocessor_configs():
    """preprocessor_config.json and speech_tokenizer/preprocessor_config.json."""
    model = dict(padding_side="left", padding_value=0.0, processor_class="Qwen3TTSProcessor",
                 return_attention_mask=True)
    codec = dict(chunk_length_s=None, feature_extractor_type="EncodecFeatureExtractor", feature_size=1, overlap=None,
                 padding_side="right", padding_value=0.0, return_attention_mask=True, sampling_rate=24000)
    return model, codec
