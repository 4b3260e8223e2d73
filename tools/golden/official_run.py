"""Runs the official package (PyPI qwen-tts) in float32 and records what passes between its modules."""

import contextlib
import os
from dataclasses import dataclass, field

os.environ["HF_HUB_OFFLINE"] = "1"

import numpy as np
import torch
import transformers


def load(folder, threads):
    """The official model: float32, eager attention everywhere, nothing printed."""
    torch.set_num_threads(threads)
    transformers.logging.set_verbosity_error()
    with open(os.devnull, "w") as null, contextlib.redirect_stdout(null):
        from qwen_tts import Qwen3TTSModel
        tts = Qwen3TTSModel.from_pretrained(folder, dtype=torch.float32, attn_implementation="eager")
    tts.model.speech_tokenizer.model.decoder.pre_transformer.set_attn_implementation("eager")
    return tts


def array(tensor):
    """torch -> numpy, owned, float32 or int32."""
    out = tensor.detach().numpy()
    return np.array(out, np.float32 if out.dtype.kind == "f" else np.int32)


@dataclass
class Record:
    """What one call of generate() computed. T prompt rows, F frames, K code groups, V talker and C code predictor
    vocabulary, H talker width."""

    text_ids: np.ndarray = None  # [..] the whole chat text
    instruct_ids: np.ndarray = None  # [..] or None
    prompt_embeds: np.ndarray = None  # [T, H]
    trailing_embeds: np.ndarray = None  # [N, H]
    pad_embed: np.ndarray = None  # [H]
    prefill_layers: list = field(default_factory=list)  # of [T, H]: after each layer, before the final norm
    inputs: list = field(default_factory=list)  # of [H]: talker input of steps 1, 2, ..
    hidden: list = field(default_factory=list)  # of [H]: after the final norm, steps 0, 1, ..
    logits: list = field(default_factory=list)  # of [V]
    cp_logits: list = field(default_factory=list)  # of [C]: K - 1 for each frame, in order
    codes: np.ndarray = None  # [F, K]
    talker_processors: object = None  # the LogitsProcessorList that generate() built
    cp_processors: object = None


class Recorder:
    """Wraps the methods of a loaded model while a `with` block runs."""

    def __init__(self, tts):
        self.model = tts.model
        self.record = Record()
        self._undo = []

    def _wrap(self, owner, name, after):
        original = getattr(owner, name)

        def wrapper(*args, **kwargs):
            result = original(*args, **kwargs)
            after(result, *args, **kwargs)
            return result

        setattr(owner, name, wrapper)
        self._undo.append(lambda: delattr(owner, name))  # uncovers the method of the class

    def _hook(self, module, after):
        handle = module.register_forward_hook(lambda module, args, result: after(result))
        self._undo.append(handle.remove)

    def __enter__(self):
        record, talker = self.record, self.model.talker

        def talker_done(result, *args, inputs_embeds=None, **kwargs):
            if inputs_embeds.shape[1] == 1:
                record.inputs.append(array(inputs_embeds[0, 0]))
            record.hidden.append(array(result.last_hidden_state[0, -1]))

        def layer_done(result):
            if len(record.prefill_layers) < len(talker.model.layers):
                record.prefill_layers.append(array(result[0][0]))

        def prompt_seen(result, *args, inputs_embeds=None, trailing_text_hidden=None, tts_pad_embed=None, **kwargs):
            record.prompt_embeds = array(inputs_embeds[0])
            record.trailing_embeds = array(trailing_text_hidden[0])
            record.pad_embed = array(tts_pad_embed.reshape(-1))

        def all_done(result, *args, input_ids=None, instruct_ids=None, **kwargs):
            record.text_ids = array(input_ids[0][0])
            if instruct_ids is not None and instruct_ids[0] is not None:
                record.instruct_ids = array(instruct_ids[0][0])
            record.codes = array(result[0][0])

        self._wrap(talker.model, "forward", talker_done)
        for layer in talker.model.layers:
            self._hook(layer, layer_done)
        self._hook(talker.codec_head, lambda out: record.logits.append(array(out[0, -1])))
        for head in talker.code_predictor.lm_head:
            self._hook(head, lambda out: record.cp_logits.append(array(out[0, -1])))
        self._wrap(talker, "generate", prompt_seen)
        self._wrap(self.model, "generate", all_done)
        self._wrap(talker, "_get_logits_processor",
                   lambda result, *args, **kwargs: setattr(record, "talker_processors", result))
        self._wrap(talker.code_predictor, "_get_logits_processor",
                   lambda result, *args, **kwargs: setattr(record, "cp_processors", result))
        return record

    def __exit__(self, *exception):
        for undo in reversed(self._undo):
            undo()


def greedy_options(frames, repetition_penalty):
    """The last token that generate() draws never becomes a frame, so it is asked for one more."""
    return dict(do_sample=False, subtalker_dosample=False, repetition_penalty=repetition_penalty,
                max_new_tokens=frames + 1)


def synthesize(tts, request, **options):
    """Runs generate() for a request: dict(text, language, speaker, instruct, text_feed). Returns its Record."""
    ids = tts._tokenize_texts([tts._build_assistant_text(request["text"])])
    instruct = request.get("instruct")
    instruct_ids = tts._tokenize_texts([tts._build_instruct_text(instruct)])[0] if instruct else None
    speaker = request.get("speaker")
    options = tts._merge_generate_kwargs(**options)
    with Recorder(tts) as record, torch.no_grad():
        tts.model.generate(input_ids=ids, instruct_ids=[instruct_ids], languages=[request["language"]],
                           speakers=[speaker] if speaker else None,
                           non_streaming_mode=request["text_feed"] == "full", **options)
    return record
