"""Turns the quantised ONNX export of Kokoro-82M into four plain float graphs.

  text.onnx     tokens, style, speed            -> durations (float, 25 ms steps), prosody states, phoneme states
  prosody.onnx  durations, prosody/phoneme states, style -> F0 [Hz], energy, aligned states
  vocoder.onnx  aligned states, F0, energy, style -> audio at 24 kHz
  features.onnx the same inputs                   -> what the vocoder's costly half is given: a twentieth of its work

The cut lets us replace the teacher's durations by ours: its pitch and energy are then predicted for the new timing.
"""
import numpy as np
import onnx
from onnx import helper, numpy_helper

DURATIONS = "/encoder/predictor/ReduceSum_output_0"  # [1, n] before rounding, in 25 ms steps
ROUNDED = "/encoder/Clip_output_0"                   # [1, n] the whole steps that the aligner reads
PROSODY = "/encoder/predictor/text_encoder/Concat_4_output_0"
PHONEMES = "/encoder/text_encoder/Transpose_2_output_0"
ALIGNED = "/encoder/MatMul_1_output_0"               # [1, 512, T]
FEATURES = "/decoder/decoder/decode.3/Div_4_output_0"  # [1, 512, 2T], 12.5 ms steps
F0, ENERGY = "/encoder/Reshape_output_0", "/encoder/Reshape_1_output_0"  # [1, 2T], 12.5 ms steps


class _Graph:
    def __init__(self, model):
        self.graph = model.graph
        self.init = {t.name: t for t in self.graph.initializer}
        self.producer = {o: n for n in self.graph.node for o in n.output}
        self.consumers = {}
        for node in self.graph.node:
            for name in node.input:
                self.consumers.setdefault(name, []).append(node)

    def array(self, name):
        return numpy_helper.to_array(self.init[name]).astype(np.float32)

    def only_consumer(self, name, op):
        (node,) = self.consumers[name]
        assert node.op_type == op, (name, node.op_type, op)
        return node


def _float_matmul(g, node, new_init):
    """The float node that stands for DynamicQuantizeLinear -> ConvInteger/MatMulInteger -> (Add bias) -> Cast -> Mul scale."""
    quantise = g.producer[node.input[0]]
    assert quantise.op_type == "DynamicQuantizeLinear"
    out, bias, dropped = node.output[0], None, []
    (after,) = g.consumers[out]
    if after.op_type == "Add":
        bias = next(i for i in after.input if i != out)
        while bias not in g.init:  # Reshape/Cast/Floor/Div of the float bias
            bias = g.producer[bias].input[0]
        dropped.append(after)
        out = after.output[0]
    cast = g.only_consumer(out, "Cast")
    scale_by = g.only_consumer(cast.output[0], "Mul")
    scales = g.producer[next(i for i in scale_by.input if i != cast.output[0])]
    scale = g.array(next(i for i in scales.input if i in g.init))
    zero = g.array(node.input[3]) if len(node.input) > 3 and node.input[3] else np.float32(0)
    weight = g.array(node.input[1])
    if node.op_type == "ConvInteger":
        per_channel = (-1,) + (1,) * (weight.ndim - 1)
        scale, zero = (a.reshape(per_channel) if a.size > 1 else a for a in (scale, zero))
    name = node.input[1] + "_f32"
    new_init.setdefault(name, numpy_helper.from_array(((weight - zero) * scale).astype(np.float32), name))
    op = "Conv" if node.op_type == "ConvInteger" else "MatMul"
    plain = helper.make_node(op, [quantise.input[0], name] + ([bias] if bias else []), [scale_by.output[0]], name=node.name + "_f32")
    if op == "Conv":
        plain.attribute.extend(node.attribute)
    return plain, dropped + [cast, scale_by]


def _float_lstm(g, node, new_init):
    names = list(node.input)
    attrs = {a.name: helper.get_attribute_value(a) for a in node.attribute}
    for weight, scale, zero in ((1, 8, 9), (2, 10, 11)):
        w, s, z = (g.array(names[i]) for i in (weight, scale, zero))
        s, z = (a.reshape(-1, 1, 1) if a.ndim == 1 else a[:, None, :] for a in (s, z))
        name = names[weight] + "_f32"
        new_init[name] = numpy_helper.from_array(np.ascontiguousarray(((w - z) * s).transpose(0, 2, 1)), name)
    inputs = [names[0], names[1] + "_f32", names[2] + "_f32"] + names[3:8]
    return helper.make_node("LSTM", inputs, list(node.output), name=node.name + "_f32",
                            hidden_size=attrs["hidden_size"], direction=attrs["direction"])


def dequantise(model):
    """All quantised operators replaced by float ones, in place: removes the noise of activation quantisation."""
    g, new_init, replaced, dropped = _Graph(model), {}, {}, set()
    for node in g.graph.node:
        if node.op_type in ("ConvInteger", "MatMulInteger"):
            replaced[id(node)], gone = _float_matmul(g, node, new_init)
            dropped |= {id(n) for n in gone}
        elif node.op_type == "DynamicQuantizeLSTM":
            replaced[id(node)] = _float_lstm(g, node, new_init)
    nodes = [replaced.get(id(n), n) for n in g.graph.node if id(n) not in dropped]
    del g.graph.node[:], g.graph.value_info[:]
    g.graph.node.extend(nodes)
    g.graph.initializer.extend(new_init.values())
    return model


def extract(model, inputs, outputs):
    """The part of the graph that computes `outputs` from `inputs` ({name: onnx element type})."""
    source = model.graph
    producer = {o: n for n in source.node for o in n.output}
    needed, stack = set(), list(outputs)
    while stack:
        name = stack.pop()
        if name in inputs or name not in producer or id(producer[name]) in needed:
            continue
        needed.add(id(producer[name]))
        stack += list(producer[name].input)
    part = onnx.ModelProto()
    part.CopyFrom(model)
    del part.graph.node[:], part.graph.initializer[:], part.graph.input[:], part.graph.output[:]
    part.graph.node.extend(n for n in source.node if id(n) in needed)
    used = {i for n in part.graph.node for i in n.input}
    part.graph.initializer.extend(t for t in source.initializer if t.name in used)
    given = {i.name: i for i in source.input}
    for name, kind in inputs.items():
        part.graph.input.append(given[name] if name in given else helper.make_tensor_value_info(name, kind, None))
    part.graph.output.extend(helper.make_tensor_value_info(o, onnx.TensorProto.FLOAT, None) for o in outputs)
    return part


def split(model):
    """{file stem: graph} of the parts named in the module's text."""
    real = onnx.TensorProto.FLOAT
    tokens = {i.name: None for i in model.graph.input}
    timed = {ALIGNED: real, F0: real, ENERGY: real, "style": None}
    return {
        "text": extract(model, tokens, [DURATIONS, PROSODY, PHONEMES]),
        "prosody": extract(model, {ROUNDED: real, PROSODY: real, PHONEMES: real, "style": None}, [F0, ENERGY, ALIGNED]),
        "vocoder": extract(model, timed, [model.graph.output[0].name]),
        "features": extract(model, timed, [FEATURES]),
    }
