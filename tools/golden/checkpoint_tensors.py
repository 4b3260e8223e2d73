"""Names, shapes and distributions of every tensor of an official checkpoint.

The spreads keep the signal of every layer near 1, so that an error in any part shows in the result, and the logits wide
enough that greedy decoding meets no tie.
"""

from math import prod, sqrt

from safetensors_file import Tensor

LAYER_GAIN = 0.7  # of the talker's and the code predictor's matrices
HEAD_GAIN = 2.0  # standard deviation of the logits


class TensorList:
    """Collects tensors; each method adds one module."""

    def __init__(self):
        self.tensors = []

    def normal(self, name, shape, std, mean=0.0, zero_row=-1):
        self.tensors.append(Tensor(name, tuple(shape), "normal", std, mean, zero_row=zero_row))

    def norm(self, name, width):
        self.normal(name, (width,), 0.1, 1.0)

    def bias(self, name, width):
        self.normal(name, (width,), 0.02)

    def linear(self, name, out, inner, gain=1.0, bias=False):
        self.normal(name + ".weight", (out, inner), gain / sqrt(inner))
        if bias:
            self.bias(name + ".bias", out)

    def conv(self, name, out, inner, kernel, groups=1, bias=True, gain=1.0):
        self.normal(name + ".weight", (out, inner // groups, kernel), gain / sqrt(inner // groups * kernel))
        if bias:
            self.bias(name + ".bias", out)

    def transposed_conv(self, name, inner, out, kernel, stride, gain=1.0):
        self.normal(name + ".weight", (inner, out, kernel), gain / sqrt(inner * kernel / stride))
        self.bias(name + ".bias", out)

    def snake(self, name, channels):
        self.normal(name + ".alpha", (channels,), 0.1)
        self.normal(name + ".beta", (channels,), 0.1)

    def codebook(self, prefix, sum_name, rows, width):
        usage = Tensor(prefix + "cluster_usage", (rows,), "uniform", low=0.5, high=2.0)
        self.tensors.append(usage)
        self.tensors.append(Tensor(prefix + sum_name, (rows, width), "codebook_sum", 0.5, usage=usage))

    def num_values(self):
        return sum(prod(t.shape) for t in self.tensors)


def _qwen3_layer(t, prefix, stack):
    attention, width = prefix + "self_attn.", stack.heads * stack.head
    t.linear(attention + "q_proj", width, stack.hidden, LAYER_GAIN)
    t.linear(attention + "k_proj", stack.kv_heads * stack.head, stack.hidden, LAYER_GAIN)
    t.linear(attention + "v_proj", stack.kv_heads * stack.head, stack.hidden, LAYER_GAIN)
    t.linear(attention + "o_proj", stack.hidden, width, LAYER_GAIN)
    t.norm(attention + "q_norm.weight", stack.head)
    t.norm(attention + "k_norm.weight", stack.head)
    t.linear(prefix + "mlp.gate_proj", stack.intermediate, stack.hidden, LAYER_GAIN)
    t.linear(prefix + "mlp.up_proj", stack.intermediate, stack.hidden, LAYER_GAIN)
    t.linear(prefix + "mlp.down_proj", stack.hidden, stack.intermediate, LAYER_GAIN)
    t.norm(prefix + "input_layernorm.weight", stack.hidden)
    t.norm(prefix + "post_attention_layernorm.weight", stack.hidden)


def model_tensors(variant, text_vocab_size, talker_vocab_size, codec_eos_id):
    """model.safetensors: talker and code predictor. The end-of-speech row of the head is zero: its logit is 0, far
    below the largest, so that greedy decoding runs to the frame limit."""
    t, stack, small = TensorList(), variant.talker, variant.code_predictor
    t.normal("talker.model.text_embedding.weight", (text_vocab_size, variant.text_hidden), 1.0)
    code_std = 0.8 / sqrt(variant.code_groups)  # the embeddings of one frame are added up
    t.normal("talker.model.codec_embedding.weight", (talker_vocab_size, stack.hidden), code_std)
    for i in range(stack.layers):
        _qwen3_layer(t, f"talker.model.layers.{i}.", stack)
    t.norm("talker.model.norm.weight", stack.hidden)
    t.linear("talker.text_projection.linear_fc1", variant.text_hidden, variant.text_hidden, 1.0, bias=True)
    t.linear("talker.text_projection.linear_fc2", stack.hidden, variant.text_hidden, 1.0, bias=True)
    t.normal("talker.codec_head.weight", (talker_vocab_size, stack.hidden), HEAD_GAIN / sqrt(stack.hidden),
             zero_row=codec_eos_id)
    predictor = "talker.code_predictor."
    for i in range(small.layers):
        _qwen3_layer(t, f"{predictor}model.layers.{i}.", small)
    t.norm(predictor + "model.norm.weight", small.hidden)
    for i in range(variant.code_groups - 1):
        t.normal(f"{predictor}model.codec_embedding.{i}.weight", (variant.codebook, stack.hidden), code_std)
        t.linear(f"{predictor}lm_head.{i}", variant.codebook, small.hidden, HEAD_GAIN)
    if small.hidden != stack.hidden:
        t.linear(predictor + "small_to_mtp_projection", small.hidden, stack.hidden, 1.0, bias=True)
    return t.tensors


def _codec_layer(t, prefix, stack):
    attention, width = prefix + "self_attn.", stack.heads * stack.head
    for name in "qkv":
        t.linear(f"{attention}{name}_proj", width, stack.hidden)
    t.linear(attention + "o_proj", stack.hidden, width)
    t.linear(prefix + "mlp.gate_proj", stack.intermediate, stack.hidden)
    t.linear(prefix + "mlp.up_proj", stack.intermediate, stack.hidden)
    t.linear(prefix + "mlp.down_proj", stack.hidden, stack.intermediate)
    t.norm(prefix + "input_layernorm.weight", stack.hidden)
    t.norm(prefix + "post_attention_layernorm.weight", stack.hidden)
    t.normal(prefix + "self_attn_layer_scale.scale", (stack.hidden,), 0.05, 0.3)
    t.normal(prefix + "mlp_layer_scale.scale", (stack.hidden,), 0.05, 0.3)


def _wave_decoder(t, codec):
    prefix, channels = "decoder.decoder.", codec.channels
    t.conv(prefix + "0.conv", channels, codec.latent, 7, gain=0.5)
    for i, rate in enumerate(codec.upsample_rates):
        block, out = f"{prefix}{i + 1}.block.", channels // 2
        t.snake(block + "0", channels)
        t.transposed_conv(block + "1.conv", channels, out, 2 * rate, rate, gain=0.5)
        for unit in (f"{block}{j}." for j in (2, 3, 4)):
            t.snake(unit + "act1", out)
            t.conv(unit + "conv1.conv", out, out, 7, gain=0.5)
            t.snake(unit + "act2", out)
            t.conv(unit + "conv2.conv", out, out, 1, gain=0.25)
        channels = out
    last = len(codec.upsample_rates) + 1
    t.snake(f"{prefix}{last}", channels)
    t.conv(f"{prefix}{last + 1}.conv", 1, channels, 7, gain=codec.output_gain)


def _codec_decoder(t, variant):
    codec, stack = variant.codec, variant.codec.pre_transformer
    row = codec.codebook_dim // 2
    for side, count in (("rvq_first", 1), ("rvq_rest", variant.code_groups - 1)):
        prefix = f"decoder.quantizer.{side}."
        t.conv(prefix + "input_proj", row, codec.codebook_dim, 1, bias=False)
        t.conv(prefix + "output_proj", codec.codebook_dim, row, 1, bias=False)
        for i in range(count):
            t.codebook(f"{prefix}vq.layers.{i}._codebook.", "embedding_sum", variant.codebook, row)
    t.conv("decoder.pre_conv.conv", codec.latent, codec.codebook_dim, 3)
    prefix = "decoder.pre_transformer."
    t.linear(prefix + "input_proj", stack.hidden, codec.latent, bias=True)
    t.linear(prefix + "output_proj", codec.latent, stack.hidden, bias=True)
    t.norm(prefix + "norm.weight", stack.hidden)
    for i in range(stack.layers):
        _codec_layer(t, f"{prefix}layers.{i}.", stack)
    for i, ratio in enumerate(codec.upsampling_ratios):
        prefix, width = f"decoder.upsample.{i}.", codec.latent
        t.transposed_conv(prefix + "0.conv", width, width, ratio, ratio)
        t.normal(prefix + "1.gamma", (width,), 0.1, 0.3)
        t.conv(prefix + "1.dwconv.conv", width, width, 7, groups=width)
        t.norm(prefix + "1.norm.weight", width)
        t.bias(prefix + "1.norm.bias", width)
        t.linear(prefix + "1.pwconv1", 4 * width, width, bias=True)
        t.linear(prefix + "1.pwconv2", width, 4 * width, bias=True)
    _wave_decoder(t, codec)


def _codec_encoder(t, encoder, codebook):
    prefix, channels = "encoder.encoder.layers.", encoder.filters
    t.conv(prefix + "0.conv", channels, 1, 7)
    for i, rate in enumerate((4, 5, 6, 8)):
        first = 1 + 3 * i
        t.conv(f"{prefix}{first}.block.1.conv", channels // 2, channels, 3)
        t.conv(f"{prefix}{first}.block.3.conv", channels, channels // 2, 1)
        t.conv(f"{prefix}{first + 2}.conv", 2 * channels, channels, 2 * rate)
        channels *= 2
    t.conv(prefix + "14.conv", encoder.hidden, channels, 3)
    width = encoder.heads * encoder.head
    for i in range(encoder.layers):
        layer = f"encoder.encoder_transformer.layers.{i}."
        for name in "qkv":
            t.linear(f"{layer}self_attn.{name}_proj", width, encoder.hidden)
        t.linear(layer + "self_attn.o_proj", encoder.hidden, width)
        t.linear(layer + "mlp.fc1", encoder.intermediate, encoder.hidden)
        t.linear(layer + "mlp.fc2", encoder.hidden, encoder.intermediate)
        for name in ("input_layernorm", "post_attention_layernorm"):
            t.norm(f"{layer}{name}.weight", encoder.hidden)
            t.bias(f"{layer}{name}.bias", encoder.hidden)
        for name in ("self_attn_layer_scale", "mlp_layer_scale"):
            t.normal(f"{layer}{name}.scale", (encoder.hidden,), 0.02, 0.1)
    t.conv("encoder.downsample.conv", encoder.hidden, encoder.hidden, 4, bias=False)
    for side, count in (("semantic", 1), ("acoustic", 31)):
        quantizer = f"encoder.quantizer.{side}_residual_vector_quantizer."
        t.conv(quantizer + "input_proj", encoder.codebook_dim, encoder.hidden, 1, bias=False)
        t.conv(quantizer + "output_proj", encoder.hidden, encoder.codebook_dim, 1, bias=False)
        for i in range(count):
            layer = f"{quantizer}layers.{i}.codebook."
            t.tensors.append(Tensor(layer + "initialized", (1,), "ones"))
            t.codebook(layer, "embed_sum", codebook, encoder.codebook_dim)


def speech_tokenizer_tensors(variant):
    """speech_tokenizer/model.safetensors: the codec's decoder, and its encoder where the variant has one."""
    t = TensorList()
    _codec_decoder(t, variant)
    if variant.encoder:
        _codec_encoder(t, variant.encoder, variant.codebook)
    return t.tensors
