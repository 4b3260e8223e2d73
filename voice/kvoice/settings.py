"""The voice's sizes and ids, in the words of the official config.json."""
from kvoice import quantiser

SPEAKERS = {"heart": "english", "siwis": "french"}

CODES = quantiser.SIZE
# The last 1024 ids of the talker's vocabulary are never sampled, except the end: all control ids live there.
VOCAB = CODES + 1024
CONTROL = {name: CODES + i for i, name in enumerate(
    ("codec_pad_id", "codec_bos_id", "codec_eos_token_id", "codec_think_id", "codec_nothink_id", "codec_think_bos_id", "codec_think_eos_id"))}
LANGUAGE_ID = {"english": CODES + 16, "french": CODES + 17}
SPEAKER_ID = {name: CODES + 32 + i for i, name in enumerate(SPEAKERS)}

TALKER = {
    "hidden_size": 256, "intermediate_size": 768, "num_hidden_layers": 4, "num_attention_heads": 4, "num_key_value_heads": 2,
    "head_dim": 64, "text_hidden_size": 256, "rope_theta": 10000.0, "rms_norm_eps": 1e-6,
}
PREDICTOR = {
    "hidden_size": 256, "intermediate_size": 512, "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2,
    "head_dim": 64, "rope_theta": 10000.0, "rms_norm_eps": 1e-6,
}
CODEC = {
    "codebook_size": CODES, "num_quantizers": quantiser.GROUPS, "codebook_dim": 128, "latent_dim": 256, "decoder_dim": 256,
    "hidden_size": 256, "intermediate_size": 512, "num_hidden_layers": 3, "num_attention_heads": 4, "num_key_value_heads": 4,
    "head_dim": 64, "sliding_window": 12, "rope_theta": 10000, "rms_norm_eps": 1e-5, "layer_scale_initial_scale": 0.3,
    "max_position_embeddings": 8000, "upsample_rates": (8, 5, 4, 3), "upsampling_ratios": (2, 2),
}
