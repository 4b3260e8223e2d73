"""Free-running synthesis with our own forward: text -> codes -> audio, many sentences at once. For evaluation while training."""
import torch

from kvoice import layout, quantiser, settings

EOS = settings.CONTROL["codec_eos_token_id"]


def choose(logits, temperature, top_k):
    if temperature <= 0:
        return logits.argmax(-1)
    values, ids = (logits / temperature).topk(top_k)
    return ids.gather(-1, torch.multinomial(values.softmax(-1), 1))[..., 0]


def rest_of_frame(model, hidden, first, temperature, top_k):
    """Codes of groups 1.. for hidden [B, width] and group 0 [B]: [B, GROUPS]."""
    codes = first[:, None]
    for group in range(quantiser.GROUPS - 1):
        y = model.code_predictor.model(model.predictor_input(hidden, codes))[:, -1]
        codes = torch.cat([codes, choose(model.code_predictor.lm_head[group](y), temperature, top_k)[:, None]], 1)
    return codes


@torch.no_grad()
def speak(model, sentences, tokens, temperature=0.0, top_k=20, longest=200):
    """sentences: [(text ids, speaker, language)], all with a language or all without -> [codes [GROUPS, F]] and whether each ended."""
    model.eval()
    empty = torch.zeros(quantiser.GROUPS, longest, dtype=torch.long)
    text, codec, codes_at, is_frame, start = layout.batch([(ids, empty, s, l) for ids, s, l in sentences], tokens)
    begin, count = int(start[0]), len(sentences)
    first = layout.embed(model, text, codec, codes_at, is_frame & False)
    pasts = [{} for _ in model.model.layers]
    hidden = model.model(first[:, :begin + 1], pasts)[:, -1]
    made, length = [], torch.full((count,), longest)
    for step in range(longest):
        logits = model.codec_head(hidden)
        logits[:, settings.CODES:] = torch.where(torch.arange(settings.CODES, settings.VOCAB) == EOS, logits[:, settings.CODES:], -1e9)
        code = choose(logits, temperature, top_k)
        length = torch.where((code == EOS) & (length == longest), step, length)
        if (length <= step).all():
            break
        frame = rest_of_frame(model, hidden, code.clamp(max=settings.CODES - 1), temperature, top_k)
        made.append(frame)
        x = model.frame(frame)[:, None] + model.text(text[:, begin + 1 + step:begin + 2 + step])
        hidden = model.model(x, pasts, begin + 1 + step)[:, -1]
    codes = torch.stack(made, 2) if made else empty[None].expand(count, -1, -1)[..., :0]
    return [c[:, :n] for c, n in zip(codes, length.tolist())], (length < longest).tolist()
