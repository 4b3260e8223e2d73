"""The official codec decoder class with our sizes, and a faster training forward of its waveform stack (same parameters)."""
import torch
import torch.nn.functional as F
from torch import nn

from kvoice import settings


def make():
    from qwen_tts.core.tokenizer_12hz.configuration_qwen3_tts_tokenizer_v2 import Qwen3TTSTokenizerV2DecoderConfig
    from qwen_tts.core.tokenizer_12hz.modeling_qwen3_tts_tokenizer_v2 import Qwen3TTSTokenizerV2Decoder

    config = Qwen3TTSTokenizerV2DecoderConfig(**settings.CODEC)
    config._attn_implementation = "sdpa"
    decoder = Qwen3TTSTokenizerV2Decoder._from_config(config)
    for name, p in decoder.named_parameters():
        if name.endswith(".gamma"):
            p.data.fill_(0.3)  # the official 1e-6 would not grow in a short training
        if name.endswith("cluster_usage"):
            p.data.fill_(1.0)
            p.requires_grad_(False)
    return decoder


def codebooks(decoder):
    q = decoder.quantizer
    return [q.rvq_first.vq.layers[0]._codebook, *(layer._codebook for layer in q.rvq_rest.vq.layers)]


@torch.no_grad()
def start_from(decoder, vectors):
    """Codebooks from the quantiser's centroids. Group 0 has its own space; the others share one, in separate columns."""
    dim, at = settings.CODEC["codebook_dim"] // 2, 0
    for group, (book, centroids) in enumerate(zip(codebooks(decoder), vectors)):
        table = torch.randn(settings.CODES, dim) * 0.02
        width = min(centroids.shape[1], dim - (at if group else 0), 48)
        spread = centroids[:, :width].std().clamp(min=1e-3)
        first = at if group else 0
        table[:, first:first + width] += centroids[:, :width] / spread
        at += width if group else 0
        book.embedding_sum.copy_(table)


def latent(decoder, codes):
    """codes [B, G, T] -> [B, latent, 4T] at 50 Hz."""
    h = decoder.pre_conv(decoder.quantizer.decode(codes)).transpose(1, 2)
    h = decoder.pre_transformer(inputs_embeds=h).last_hidden_state.permute(0, 2, 1)
    for blocks in decoder.upsample:
        for block in blocks:
            h = block(h)
    return h


@torch.compile
def _snake_forward(x, a, inverse_b):
    return x + (1 - torch.cos(2 * a * x)) * (0.5 * inverse_b)


@torch.compile
def _snake_backward(g, x, a, inverse_b):
    turn = 2 * a * x
    s = g * torch.sin(turn)
    return g + s * (a * inverse_b), (s * x).sum((0, 2), keepdim=True) * inverse_b, (g * (1 - torch.cos(turn))).sum((0, 2), keepdim=True) * 0.5


class _Snake(torch.autograd.Function):
    """x + sin(a x)^2 / b, one fused loop each way: three times faster than step by step."""

    @staticmethod
    def forward(ctx, x, a, inverse_b):
        ctx.save_for_backward(x, a, inverse_b)
        return _snake_forward(x, a, inverse_b)

    @staticmethod
    def backward(ctx, g):
        return _snake_backward(g, *ctx.saved_tensors)


def _snake(m, x):
    return _Snake.apply(x, m.alpha.exp().view(1, -1, 1), (1 / (m.beta.exp() + m.no_div_by_zero)).view(1, -1, 1))


def _conv(m, x):
    """Causal. A dilated one runs undilated on every d-th sample, phases as batch rows: its backward is twice as fast so."""
    c, (rows, channels, length) = m.conv, x.shape
    reach, d = c.kernel_size[0] - 1, c.dilation[0]
    if d == 1 or channels > 64:
        return F.conv1d(F.pad(x, (reach * d, 0)), c.weight, c.bias, dilation=d)
    x = F.pad(x, (reach * d, -(length + reach * d) % d))
    n = x.shape[2] // d
    y = F.conv1d(x.view(rows, channels, n, d).permute(0, 3, 1, 2).reshape(rows * d, channels, n), c.weight, c.bias)
    return y.view(rows, d, -1, n - reach).permute(0, 2, 3, 1).reshape(rows, -1, (n - reach) * d)[..., :length]


def _upsample(m, x):
    """A transposed convolution of kernel 2r, stride r, cut on the right by r: one kernel-2 convolution to r phases."""
    c = m.conv
    r, w = c.stride[0], c.weight
    inputs, outputs, _ = w.shape
    phases = torch.stack([w[:, :, r:], w[:, :, :r]], -1).permute(2, 1, 0, 3).reshape(r * outputs, inputs, 2)
    y = F.conv1d(F.pad(x, (1, 0)), phases, c.bias.repeat(r))
    return y.view(x.shape[0], r, outputs, -1).permute(0, 2, 3, 1).reshape(x.shape[0], outputs, -1)


def waveform(decoder, h):
    """[B, latent, 4T] -> [B, 1920 T]."""
    first, *blocks, last_snake, last = decoder.decoder
    x = _conv(first, h)
    for block in blocks:
        snake, up, *units = block.block
        x = _upsample(up, _snake(snake, x))
        for u in units:
            x = x + _conv(u.conv2, _snake(u.act2, _conv(u.conv1, _snake(u.act1, x))))
    return _conv(last, _snake(last_snake, x))[:, 0]


class MelHead(nn.Module):
    """Throw-away head of the first phase: two 100 Hz log-mel frames per 50 Hz latent."""

    def __init__(self, mels=80):
        super().__init__()
        self.out = nn.Conv1d(settings.CODEC["latent_dim"], 2 * mels, 1)

    def forward(self, h):
        b, _, t = h.shape
        y = self.out(h).view(b, 2, -1, t)
        return y.permute(0, 2, 3, 1).reshape(b, -1, 2 * t) * 3 - 5
