# SPDX-License-Identifier: Apache-2.0
"""Three ONNX models that take 50 to 300 ms on a core, made of nothing but a seed: what pipelines are tried on.

usage: pipeline_models.py FOLDER [NAME...]

- resnet: a CNN of bottleneck blocks like ResNet-50, on one image of 224 x 224;
- gpt: a transformer like GPT-2 of 64 tokens, whose head of 16384 words is a good part of the work;
- inception: a CNN of four branches that are joined, and of dense blocks, where every layer reads all before it.

Batch norms are in the weights already, as exporters leave them out of inference. Needs onnx and numpy."""

import math
import sys
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

OPSET, IR = 17, 9


class Builder:
    """A graph under construction: each method adds nodes and returns the name of what they make."""

    def __init__(self, name, seed):
        self.name, self.numbers = name, np.random.default_rng(seed)
        self.nodes, self.weights = [], []

    def node(self, kind, inputs, **attributes):
        made = f"{kind.lower()}_{len(self.nodes)}"
        self.nodes.append(
            helper.make_node(kind, inputs, [made], name=f"{self.name}/{kind}_{len(self.nodes)}", **attributes)
        )
        return made

    def weight(self, *shape, scale=None):
        """Random numbers whose sums keep the size of what they multiply."""
        inputs = math.prod(shape[1:]) if len(shape) == 4 else shape[0]
        return self.constant(self.numbers.standard_normal(shape) * (scale or math.sqrt(1 / inputs)))

    def constant(self, array, dtype=np.float32):
        name = f"weight_{len(self.weights)}"
        self.weights.append(numpy_helper.from_array(np.asarray(array, dtype), name))
        return name

    def conv(self, x, channels, made, kernel=1, stride=1, relu=True):
        pad = kernel // 2
        x = self.node(
            "Conv",
            [x, self.weight(made, channels, kernel, kernel), self.constant(np.zeros(made))],
            kernel_shape=[kernel] * 2,
            strides=[stride] * 2,
            pads=[pad] * 4,
        )
        return self.node("Relu", [x]) if relu else x

    def linear(self, x, size, made):
        return self.node("Add", [self.node("MatMul", [x, self.weight(size, made)]), self.constant(np.zeros(made))])

    def norm(self, x, size):
        return self.node(
            "LayerNormalization", [x, self.constant(np.ones(size)), self.constant(np.zeros(size))], axis=-1
        )

    def save(self, folder, given, shape, made, made_shape, kind=TensorProto.FLOAT):
        graph = helper.make_graph(
            self.nodes,
            self.name,
            [helper.make_tensor_value_info(given, kind, shape)],
            [helper.make_tensor_value_info(made, TensorProto.FLOAT, made_shape)],
            self.weights,
        )
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=IR)
        onnx.checker.check_model(model)
        path = Path(folder) / f"{self.name}.onnx"
        onnx.save(model, path)
        return path


def classifier(b, x, channels, classes):
    x = b.node("Flatten", [b.node("GlobalAveragePool", [x])])
    return b.linear(x, channels, classes)


def resnet(folder, seed=1):
    b = Builder("resnet", seed)
    x = b.conv("image", 3, 64, kernel=7, stride=2)
    x, channels = b.node("MaxPool", [x], kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1]), 64
    for level, (width, blocks) in enumerate(((64, 3), (128, 4), (256, 6), (512, 3))):
        for block in range(blocks):
            stride = 2 if level and not block else 1
            y = b.conv(b.conv(x, channels, width), width, width, kernel=3, stride=stride)
            y = b.conv(y, width, 4 * width, relu=False)
            if not block:
                x = b.conv(x, channels, 4 * width, stride=stride, relu=False)
            x, channels = b.node("Relu", [b.node("Add", [x, y])]), 4 * width
    return b.save(folder, "image", [1, 3, 224, 224], classifier(b, x, channels, 1000), [1, 1000])


def gpt(folder, seed=2, layers=12, width=512, heads=8, tokens=64, words=16384):
    b = Builder("gpt", seed)
    x = b.node("Gather", [b.weight(words, width, scale=0.02), "tokens"])
    x = b.node("Add", [x, b.weight(tokens, width, scale=0.02)])
    split_heads = b.constant([0, 0, heads, width // heads], np.int64)
    join_heads = b.constant([0, 0, width], np.int64)
    scale = b.constant(1 / math.sqrt(width // heads))
    mask = b.constant(np.triu(np.full((tokens, tokens), -1e4), 1))
    for _ in range(layers):
        y = b.norm(x, width)
        q, k, v = (b.node("Reshape", [b.linear(y, width, width), split_heads]) for _ in range(3))
        q, v = (b.node("Transpose", [one], perm=[0, 2, 1, 3]) for one in (q, v))
        scores = b.node("Mul", [b.node("MatMul", [q, b.node("Transpose", [k], perm=[0, 2, 3, 1])]), scale])
        mixed = b.node("MatMul", [b.node("Softmax", [b.node("Add", [scores, mask])], axis=-1), v])
        mixed = b.node("Reshape", [b.node("Transpose", [mixed], perm=[0, 2, 1, 3]), join_heads])
        x = b.node("Add", [x, b.linear(mixed, width, width)])
        y = b.linear(b.norm(x, width), width, 4 * width)
        y = b.node("Mul", [y, b.node("Sigmoid", [b.node("Mul", [y, b.constant(1.702)])])])
        x = b.node("Add", [x, b.linear(y, 4 * width, width)])
    x = b.node("MatMul", [b.norm(x, width), b.weight(width, words)])
    return b.save(folder, "tokens", [1, tokens], x, [1, tokens, words], TensorProto.INT64)


def inception(folder, seed=3, growth=24):
    b = Builder("inception", seed)
    x, channels = b.conv(b.conv("image", 3, 32, kernel=3, stride=2), 32, 64, kernel=3), 64
    for level, layers in enumerate((6, 10, 12)):
        x = b.node("MaxPool", [x], kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1])
        width = 48 << level
        three = b.conv(b.conv(x, channels, width), width, 2 * width, kernel=3)
        five = b.conv(b.conv(x, channels, width // 2), width // 2, width, kernel=5)
        pooled = b.node("AveragePool", [x], kernel_shape=[3, 3], strides=[1, 1], pads=[1, 1, 1, 1])
        parts = [b.conv(x, channels, width), three, five, b.conv(pooled, channels, width)]
        x, channels = b.node("Concat", parts, axis=1), 5 * width
        for _ in range(layers):
            y = b.conv(b.conv(x, channels, 4 * growth), 4 * growth, growth, kernel=3)
            x, channels = b.node("Concat", [x, y], axis=1), channels + growth
        x, channels = b.conv(x, channels, channels // 2), channels // 2
    return b.save(folder, "image", [1, 3, 224, 224], classifier(b, x, channels, 1000), [1, 1000])


MODELS = {"resnet": resnet, "gpt": gpt, "inception": inception}


def write_models(folder, names=tuple(MODELS)):
    """The files of these models; those that are there already are left as they are."""
    Path(folder).mkdir(parents=True, exist_ok=True)
    paths = [Path(folder) / f"{name}.onnx" for name in names]
    return [path if path.is_file() else MODELS[name](folder) for name, path in zip(names, paths)]


if __name__ == "__main__":
    for made in write_models(sys.argv[1], sys.argv[2:] or tuple(MODELS)):
        print(f"{made}: {made.stat().st_size / 1e6:.0f} MB, {len(onnx.load(made).graph.node)} nodes")
