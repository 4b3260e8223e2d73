"""Golden probabilities of the sampling chain: random logits through the logits processors that the official
generate() builds, taken from a real call."""

import numpy as np
import torch

from official_run import array, synthesize

_DEFAULT = dict(repetition_penalty=1.05, temperature=0.9, top_k=50, top_p=1.0)

# name -> options of generate() that differ from the defaults, number of codes drawn before, how the logits are made
TALKER_CASES = {
    "default": ({}, 20, "random"),
    "first_code": ({}, 0, "eos_highest"),  # min_new_tokens: end-of-speech is not allowed yet
    "second_code": ({}, 1, "eos_highest"),
    "third_code": ({}, 2, "eos_highest"),  # end-of-speech is allowed
    "no_penalty": (dict(repetition_penalty=1.0), 20, "random"),
    "strong_penalty": (dict(repetition_penalty=1.5), 30, "random"),
    "reward": (dict(repetition_penalty=0.8), 20, "random"),  # below 1: repetition is preferred
    "cold": (dict(temperature=0.3), 10, "random"),
    "hot": (dict(temperature=1.7, top_k=20), 10, "random"),
    "top_k_1": (dict(top_k=1), 5, "random"),
    "top_k_off": (dict(top_k=0), 5, "random"),
    "top_p_0.8": (dict(top_p=0.8), 10, "random"),
    "top_p_0.95_alone": (dict(top_p=0.95, top_k=0), 10, "random"),
    "top_p_tiny": (dict(top_p=0.01), 10, "random"),  # at least one code stays
    "tie_at_top_k": (dict(top_k=5, repetition_penalty=1.0), 5, "tie"),  # every code that equals the k-th stays
    "control_highest": ({}, 10, "control_highest"),  # suppressed ids cannot take places of the top k
}
CP_CASES = {
    "default": ({}, "random"),
    "cold": (dict(subtalker_temperature=0.2), "random"),
    "top_k_10": (dict(subtalker_top_k=10), "random"),
    "top_k_off": (dict(subtalker_top_k=0), "random"),
    "top_p_0.9": (dict(subtalker_top_p=0.9), "random"),
    "top_p_0.5_top_k_20": (dict(subtalker_top_p=0.5, subtalker_top_k=20), "random"),
    "tie_at_top_k": (dict(subtalker_top_k=4), "tie"),
}


def _logits(rng, kind, vocab_size, num_codes, eos_id):
    logits = rng.normal(0, 2.5, vocab_size).astype(np.float32)
    if kind == "eos_highest":
        logits[eos_id] = logits.max() + 1
    elif kind == "control_highest":
        logits[num_codes:] += 20
        logits[eos_id] = 1.0
    elif kind == "tie":  # the 3rd to the 7th largest are equal
        order = np.argsort(-logits[:num_codes])
        logits[order[2:7]] = logits[order[2]]
    return logits


def _probabilities(processors, previous, logits):
    """As GenerationMixin._sample: processors on float32 scores, then softmax."""
    with torch.no_grad():
        scores = processors(torch.from_numpy(previous.astype(np.int64))[None], torch.from_numpy(logits.copy())[None])
        return array(torch.softmax(scores, dim=-1)[0])


def _describe(processors):
    """Class and settings of each processor, in order."""
    kept = ("penalty", "min_length", "min_new_tokens", "prompt_length_to_skip", "temperature", "top_k", "top_p",
            "filter_value", "min_tokens_to_keep")
    out = []
    for p in processors:
        settings = {name: getattr(p, name) for name in kept if hasattr(p, name)}
        if hasattr(p, "suppress_tokens"):
            ids = p.suppress_tokens.tolist()
            settings["suppressed"] = dict(first=min(ids), last=max(ids), count=len(ids))
        out.append(dict({"class": type(p).__name__}, **{k: v for k, v in settings.items() if v != -float("inf")}))
    return out


def make(tts, save):
    """save(name, array, meaning) for every case. Returns what the manifest says about them."""
    config = tts.model.config.talker_config
    num_codes, eos_id = config.vocab_size - 1024, config.codec_eos_token_id
    request = dict(text="Bonjour", language="french", speaker="ryan", text_feed="full")
    rng, described = np.random.default_rng(11), {}

    for name, (options, num_previous, kind) in TALKER_CASES.items():
        torch.manual_seed(1)
        record = synthesize(tts, request, max_new_tokens=3, **{**_DEFAULT, **options})
        logits = _logits(rng, kind, config.vocab_size, num_codes, eos_id)
        # Half of the previous codes are likely ones, and some come twice.
        likely = np.argsort(-logits[:num_codes])[:10]
        previous = np.where(rng.random(num_previous) < 0.5, rng.choice(likely, num_previous),
                            rng.integers(0, num_codes, num_previous)).astype(np.int32)
        key = f"talker_{name}"
        save(f"{key}_logits", logits, "[vocabulary]")
        save(f"{key}_previous", previous, "[codes drawn before]")
        save(f"{key}_probabilities", _probabilities(record.talker_processors, previous, logits), "[vocabulary]")
        described[key] = dict(_DEFAULT, **options, processors=_describe(record.talker_processors))

    for name, (options, kind) in CP_CASES.items():
        torch.manual_seed(1)
        record = synthesize(tts, request, max_new_tokens=3, **options)
        logits = _logits(rng, kind, num_codes, num_codes, 0)
        key = f"code_predictor_{name}"
        previous = np.zeros(0, np.int32)
        save(f"{key}_logits", logits, "[vocabulary]")
        save(f"{key}_probabilities", _probabilities(record.cp_processors, previous, logits), "[vocabulary]")
        settings = dict(temperature=0.9, top_k=50, top_p=1.0)
        settings.update({k.removeprefix("subtalker_"): v for k, v in options.items()})
        described[key] = dict(settings, processors=_describe(record.cp_processors))
    return described
