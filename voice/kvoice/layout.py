"""The official prompt of a CustomVoice model with the streaming text feed, as two tracks of ids that are embedded and summed.

  position   0..2   3     4          5      6          7        8    9        10 + t
  text       role   pad   pad        pad    pad        pad      bos  token 0  token t + 1, then eos, then pad for ever
  codec      -      think think_bos  lang   think_eos  speaker  pad  bos      frame t
Without a language the prefix is nothink, think_bos, think_eos and one position shorter.
Frame t (and the end after the last frame) is predicted where frame t - 1 stands.
"""
import torch

from kvoice import quantiser, settings

C = settings.CONTROL


def prefix(speaker, language):
    """Codec ids before the codec's bos."""
    think = [C["codec_nothink_id"], C["codec_think_bos_id"], C["codec_think_eos_id"]]
    if language:
        think = [C["codec_think_id"], C["codec_think_bos_id"], settings.LANGUAGE_ID[language], C["codec_think_eos_id"]]
    return [*think, settings.SPEAKER_ID[speaker], C["codec_pad_id"]]


def text_track(ids, head, frames, tokens):
    """Text ids of all positions: role, padding under the prefix, then one token per frame."""
    s = tokens.special
    fed = [*ids, s["<tts_text_eod>"]]
    fed = (fed + [s["<tts_pad>"]] * max(0, frames + 1 - len(fed)))[:frames + 1]
    return tokens.role + [s["<tts_pad>"]] * (len(head) - 1) + [s["<tts_text_bos>"]] + fed


def batch(items, tokens):
    """items: [(text ids, codes [G, F] or None with a frame count, speaker, language)] -> padded tensors.

    text [B, P]; codec [B, P] (-1 where there is none); codes [B, P, G] and is_frame [B, P]; start [B] position of the codec's bos.
    """
    rows = []
    for ids, codes, speaker, language in items:
        head = prefix(speaker, language)
        rows.append((text_track(ids, head, codes.shape[1], tokens), head, codes))
    width = max(len(r[0]) for r in rows)
    text = torch.full((len(rows), width), tokens.special["<tts_pad>"])
    codec = torch.full((len(rows), width), -1)
    codes_at = torch.zeros(len(rows), width, quantiser.GROUPS, dtype=torch.long)
    is_frame = torch.zeros(len(rows), width, dtype=torch.bool)
    start = torch.zeros(len(rows), dtype=torch.long)
    for i, (track, head, codes) in enumerate(rows):
        text[i, :len(track)] = torch.tensor(track)
        begin = 3 + len(head)
        codec[i, 3:begin] = torch.tensor(head)
        codec[i, begin] = C["codec_bos_id"]
        frames = codes.shape[1]
        codes_at[i, begin + 1:begin + 1 + frames] = torch.as_tensor(codes).long().T
        is_frame[i, begin + 1:begin + 1 + frames] = True
        start[i] = begin
    return text, codec, codes_at, is_frame, start


def embed(model, text, codec, codes_at, is_frame):
    """The talker's input [B, P, width]."""
    marks = model.model.codec_embedding(codec.clamp(min=0)) * (codec >= 0)[..., None]
    frames = model.frame(codes_at) * is_frame[..., None]
    return model.text(text) + marks + frames
