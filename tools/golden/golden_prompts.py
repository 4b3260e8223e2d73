"""Golden prompts: the ids of every row, proven by their embeddings against the official code."""

import numpy as np
import torch

from official_run import array, synthesize

TEXT = "Bonjour Kazeia, la voix du monde."
INSTRUCT = "Speak softly, like a user."
NONE = -1  # no id of this kind in the row


def cases(config):
    """The requests of a checkpoint, by name (without the text feed)."""
    if config.tts_model_type == "base":
        return {"auto": dict(language="auto"), "french": dict(language="french")}
    if config.tts_model_type == "voice_design":
        return {"auto": dict(language="auto"), "instruct": dict(language="english", instruct=INSTRUCT)}
    out = {
        "ryan_french": dict(speaker="ryan", language="french"),
        "vivian_auto": dict(speaker="vivian", language="auto"),
        "eric_chinese": dict(speaker="eric", language="chinese"),
        "eric_auto": dict(speaker="eric", language="auto"),
        "dylan_chinese": dict(speaker="dylan", language="chinese"),
        "dylan_auto": dict(speaker="dylan", language="auto"),
        "dylan_french": dict(speaker="dylan", language="french"),
    }
    if config.tts_model_size == "1b7":
        out["ryan_instruct"] = dict(speaker="ryan", language="french", instruct=INSTRUCT)
    return out


def _codec_ids(talker, request):
    """Ids of the codec side: language tag, speaker, pad, bos. Mirrors Qwen3TTSForConditionalGeneration.generate."""
    language, speaker = request["language"], request.get("speaker")
    name = language if language != "auto" else None
    if speaker and language in ("chinese", "auto") and talker.spk_is_dialect[speaker]:
        name = talker.spk_is_dialect[speaker]
    if name is None:
        tag = [talker.codec_nothink_id, talker.codec_think_bos_id, talker.codec_think_eos_id]
    else:
        tag = [talker.codec_think_id, talker.codec_think_bos_id, talker.codec_language_id[name],
               talker.codec_think_eos_id]
    voice = [talker.spk_id[speaker]] if speaker else []
    return tag + voice + [talker.codec_pad_id, talker.codec_bos_id]


def rows(config, request, text_ids, instruct_ids):
    """Prompt rows [T, 2] of (text id, codec id) and the text ids added one with each frame [N]."""
    pad, bos, eos = config.tts_pad_token_id, config.tts_bos_token_id, config.tts_eos_token_id
    talker, text = config.talker_config, [int(i) for i in text_ids]
    codec = _codec_ids(talker, request)
    out = [(int(i), NONE) for i in (instruct_ids if instruct_ids is not None else [])]
    out += [(i, NONE) for i in text[:3]]  # <|im_start|> assistant \n
    out += [(pad, i) for i in codec[:-2]] + [(bos, codec[-2])]
    content = text[3:-5]  # without <|im_end|> \n <|im_start|> assistant \n
    if request["text_feed"] == "full":
        out += [(i, talker.codec_pad_id) for i in content + [eos]] + [(pad, talker.codec_bos_id)]
        return np.array(out, np.int32), np.array([pad], np.int32)
    out.append((content[0], talker.codec_bos_id))
    return np.array(out, np.int32), np.array(content[1:] + [eos], np.int32)


def embed(talker, id_rows):
    """[T, 2] ids -> [T, H]: text_projection(text embedding) + codec embedding, each where there is an id."""
    out = []
    with torch.no_grad():
        for text_id, codec_id in id_rows.tolist():
            row = talker.text_projection(talker.get_text_embeddings()(torch.tensor([text_id])))
            if codec_id != NONE:
                row = row + talker.get_input_embeddings()(torch.tensor([codec_id]))
            out.append(array(row[0]))
    return np.array(out)


def check(tts, request, record):
    """The ids of a record's prompt and of its trailing text; they must explain the official embeddings."""
    config, talker = tts.model.config, tts.model.talker
    prompt, trailing = rows(config, request, record.text_ids, record.instruct_ids)
    trailing_rows = np.stack([trailing, np.full_like(trailing, NONE)], axis=1)
    for ids, official in ((prompt, record.prompt_embeds), (trailing_rows, record.trailing_embeds)):
        assert np.abs(embed(talker, ids) - official).max() < 1e-6
    return prompt, trailing


def make(tts, save):
    """save(name, array, meaning) for every case and text feed. Returns what the manifest says about them."""
    described = {}
    for name, case in cases(tts.model.config).items():
        for feed in ("full", "streaming"):
            request = dict(case, text=TEXT, text_feed=feed)
            record = synthesize(tts, request, do_sample=False, subtalker_dosample=False, max_new_tokens=2)
            prompt, trailing = check(tts, request, record)
            key = f"{name}_{feed}"
            save(f"{key}_ids", prompt, "[rows, 2] text id and codec id, -1: none")
            save(f"{key}_trailing_ids", trailing, "[rows] text ids added one with each frame, then pad")
            save(f"{key}_embeds", record.prompt_embeds, "[rows, talker width]")
            described[key] = request
    return described
