"""Talker and code predictor with the official parameter names, written for fast training on a CPU.

Equal to Qwen3TTSTalkerForConditionalGeneration (modeling_qwen3_tts.py) for text-only positions, where its three rotary axes agree.
"""
import math

import torch
import torch.nn.functional as F
from torch import nn

from kvoice import quantiser, settings


class RMSNorm(nn.Module):
    def __init__(self, size, eps):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(size))
        self.eps = eps

    def forward(self, x):
        return F.rms_norm(x.float(), (x.shape[-1],), self.weight, self.eps)


def rotary(first, count, head_dim, theta):
    frequency = theta ** (-torch.arange(0, head_dim, 2) / head_dim)
    angle = torch.arange(first, first + count)[:, None] * frequency[None]
    angle = torch.cat([angle, angle], -1)
    return angle.cos(), angle.sin()


def rotate(x, cos, sin):
    half = x.shape[-1] // 2
    return x * cos + torch.cat([-x[..., half:], x[..., :half]], -1) * sin


class Attention(nn.Module):
    def __init__(self, c):
        super().__init__()
        width, self.heads, self.kv, self.dim = c["hidden_size"], c["num_attention_heads"], c["num_key_value_heads"], c["head_dim"]
        self.q_proj = nn.Linear(width, self.heads * self.dim, bias=False)
        self.k_proj = nn.Linear(width, self.kv * self.dim, bias=False)
        self.v_proj = nn.Linear(width, self.kv * self.dim, bias=False)
        self.o_proj = nn.Linear(self.heads * self.dim, width, bias=False)
        self.q_norm = RMSNorm(self.dim, c["rms_norm_eps"])
        self.k_norm = RMSNorm(self.dim, c["rms_norm_eps"])

    def forward(self, x, turn, past=None):
        """x [B, T, width]; past: dict with k and v of earlier positions, or None for a whole sequence."""
        b, t, _ = x.shape
        q = rotate(self.q_norm(self.q_proj(x).view(b, t, self.heads, self.dim)).transpose(1, 2), *turn)
        k = rotate(self.k_norm(self.k_proj(x).view(b, t, self.kv, self.dim)).transpose(1, 2), *turn)
        v = self.v_proj(x).view(b, t, self.kv, self.dim).transpose(1, 2)
        causal = True
        if past is not None:
            causal = "k" not in past
            if not causal:
                k, v = torch.cat([past["k"], k], 2), torch.cat([past["v"], v], 2)
            past["k"], past["v"] = k, v
        k, v = (a.repeat_interleave(self.heads // self.kv, 1) for a in (k, v))
        y = F.scaled_dot_product_attention(q.to(v.dtype), k.to(v.dtype), v, is_causal=causal)
        return self.o_proj(y.transpose(1, 2).reshape(b, t, -1))


class MLP(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.gate_proj = nn.Linear(c["hidden_size"], c["intermediate_size"], bias=False)
        self.up_proj = nn.Linear(c["hidden_size"], c["intermediate_size"], bias=False)
        self.down_proj = nn.Linear(c["intermediate_size"], c["hidden_size"], bias=False)

    def forward(self, x):
        return self.down_proj(F.silu(self.gate_proj(x)) * self.up_proj(x))


class Layer(nn.Module):
    def __init__(self, c, dropout):
        super().__init__()
        self.self_attn = Attention(c)
        self.mlp = MLP(c)
        self.input_layernorm = RMSNorm(c["hidden_size"], c["rms_norm_eps"])
        self.post_attention_layernorm = RMSNorm(c["hidden_size"], c["rms_norm_eps"])
        self.dropout = dropout

    def forward(self, x, turn, past=None):
        x = x + F.dropout(self.self_attn(self.input_layernorm(x), turn, past), self.dropout, self.training)
        return x + F.dropout(self.mlp(self.post_attention_layernorm(x)), self.dropout, self.training)


class Stack(nn.Module):
    def __init__(self, c, dropout):
        super().__init__()
        self.config = c
        self.layers = nn.ModuleList(Layer(c, dropout) for _ in range(c["num_hidden_layers"]))
        self.norm = RMSNorm(c["hidden_size"], c["rms_norm_eps"])

    def forward(self, x, pasts=None, first=0):
        turn = rotary(first, x.shape[1], self.config["head_dim"], self.config["rope_theta"])
        for i, layer in enumerate(self.layers):
            x = layer(x, turn, None if pasts is None else pasts[i])
        return self.norm(x)


class ResizeMLP(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.linear_fc1 = nn.Linear(c["text_hidden_size"], c["text_hidden_size"])
        self.linear_fc2 = nn.Linear(c["text_hidden_size"], c["hidden_size"])

    def forward(self, x):
        return self.linear_fc2(F.silu(self.linear_fc1(x)))


class CodePredictor(nn.Module):
    def __init__(self, c, talker_width, dropout):
        super().__init__()
        groups = quantiser.GROUPS - 1
        self.model = Stack(c, dropout)
        self.model.codec_embedding = nn.ModuleList(nn.Embedding(settings.CODES, talker_width) for _ in range(groups))
        self.lm_head = nn.ModuleList(nn.Linear(c["hidden_size"], settings.CODES, bias=False) for _ in range(groups))
        assert c["hidden_size"] == talker_width, "the official model would need small_to_mtp_projection"


class Talker(nn.Module):
    def __init__(self, text_vocab, dropout=0.0):
        super().__init__()
        c = settings.TALKER
        self.model = Stack(c, dropout)
        self.model.codec_embedding = nn.Embedding(settings.VOCAB, c["hidden_size"])
        self.model.text_embedding = nn.Embedding(text_vocab, c["text_hidden_size"])
        self.text_projection = ResizeMLP(c)
        self.codec_head = nn.Linear(c["hidden_size"], settings.VOCAB, bias=False)
        self.code_predictor = CodePredictor(settings.PREDICTOR, c["hidden_size"], dropout)
        self.apply(self._init)
        for stack in (self.model, self.code_predictor.model):
            for layer in stack.layers:
                for out in (layer.self_attn.o_proj, layer.mlp.down_proj):
                    nn.init.normal_(out.weight, 0, 0.04 / math.sqrt(2 * len(stack.layers)))

    @staticmethod
    def _init(module):
        if isinstance(module, nn.Embedding):
            nn.init.normal_(module.weight, 0, 0.3)
        elif isinstance(module, nn.Linear):
            nn.init.normal_(module.weight, 0, 0.04)
            if module.bias is not None:
                nn.init.zeros_(module.bias)

    def text(self, ids):
        return self.text_projection(self.model.text_embedding(ids))

    def frame(self, codes):
        """codes [..., GROUPS] -> the sum of a frame's code embeddings [..., width]."""
        total = self.model.codec_embedding(codes[..., 0])
        for i, table in enumerate(self.code_predictor.model.codec_embedding):
            total = total + table(codes[..., i + 1])
        return total

    def predictor_input(self, hidden, codes):
        """hidden [N, width], codes [N, g] of the groups known so far -> [N, 1 + g, width]."""
        tables = self.code_predictor.model.codec_embedding
        parts = [hidden, self.model.codec_embedding(codes[:, 0])] + [tables[i](codes[:, i + 1]) for i in range(codes.shape[1] - 1)]
        return torch.stack(parts, 1)

    def predictor_loss(self, hidden, codes):
        """Cross entropy of groups 1.. given the talker's hidden state: [GROUPS - 1]."""
        y = self.code_predictor.model(self.predictor_input(hidden, codes[:, :-1]))
        return torch.stack([F.cross_entropy(head(y[:, i + 1]).float(), codes[:, i + 1]) for i, head in enumerate(self.code_predictor.lm_head)])
