"""Golden tensors of the codec's decoder: the signal after every stage, and the samples."""

import numpy as np
import torch

from official_run import array

LONG_FRAMES = 80
LONG_STORED_FRAMES = 8  # the last ones: they depend on all the frames before
STORED_FRAMES = [0, 30]  # of the stages whose whole signal is large


def _rows(tensor):
    """[1, C, T] -> [T, C]."""
    return array(tensor[0].transpose(0, 1))


def _stages(decoder, codes):
    """Runs the decoder on codes [F, K]. Returns {stage: [T, C]} and the samples [S]."""
    stages, hooks = {}, []

    def keep(module, name, to_rows):
        hooks.append(module.register_forward_hook(lambda m, args, out: stages.__setitem__(name, to_rows(out))))

    keep(decoder.pre_conv, "pre_conv", _rows)
    keep(decoder.pre_transformer, "pre_transformer", lambda out: array(out.last_hidden_state[0]))
    for i, blocks in enumerate(decoder.upsample):
        keep(blocks[0], f"upsample_{i}_conv", _rows)
        keep(blocks[1], f"upsample_{i}", _rows)
    keep(decoder.decoder[0], "wave_conv", _rows)
    for i in range(len(decoder.config.upsample_rates)):
        keep(decoder.decoder[i + 1], f"wave_block_{i}", _rows)
    keep(decoder.decoder[-1], "wave_output", _rows)
    ids = torch.from_numpy(codes.astype(np.int64)).T[None]
    with torch.no_grad():
        quantized = _rows(decoder.quantizer.decode(ids))
        samples = array(decoder(ids)[0, 0])
    for hook in hooks:
        hook.remove()
    return dict(quantized=quantized, **stages), samples


def make(tts, codes, save):
    """codes: [31, K] of the greedy run. save(name, array, meaning)."""
    codec = tts.model.speech_tokenizer.model
    frames = len(codes)
    stages, samples = _stages(codec.decoder, codes)
    with torch.no_grad():  # the public way gives the same samples
        public = array(codec.decode(torch.from_numpy(codes.astype(np.int64))[None]).audio_values[0])
    assert np.array_equal(public, samples)
    for name, rows in stages.items():
        if name.startswith("wave_block") or name == "wave_output":
            kept = rows.reshape(frames, len(rows) // frames, -1)[STORED_FRAMES]
            save(name, kept, f"[frames {STORED_FRAMES}, rows of a frame, channels]")
        else:
            save(name, rows, "[rows, channels]")
    save("pcm_31", samples, "[samples], clamped to -1 .. 1")

    groups, size = codec.config.decoder_config.num_quantizers, codec.config.decoder_config.codebook_size
    long_codes = np.random.default_rng(7).integers(0, size, (LONG_FRAMES, groups)).astype(np.int32)
    _, samples = _stages(codec.decoder, long_codes)
    save("codes_80", long_codes, "[80 frames, code groups], random")
    kept = samples.reshape(LONG_FRAMES, -1)[-LONG_STORED_FRAMES:].reshape(-1)
    save("pcm_80_tail", kept, f"[samples] of the last {LONG_STORED_FRAMES} of 80 frames")
