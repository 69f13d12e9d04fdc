# SPDX-License-Identifier: Apache-2.0
"""Random ONNX models with everything that makes cutting hard, from a seed. Runs where `onnx` and `numpy` are installed.

Values are float matrices [batch, WIDTH]; batch is a name in half of the models. Blocks make new ones of those there are: plain
operators, shapes that are computed, several outputs, optional inputs, If, Loop and Scan that capture, functions in functions,
sequences, weights that are shared, external, sparse, or inputs too. Names are odd in some models."""

import os
import random

import numpy as np
import onnx
from onnx import TensorProto, helper as h, numpy_helper

WIDTH = 6
BATCH = 4
DOMAIN = "own.functions"


class Model:
    def __init__(self, seed, folder):
        self.random = random.Random(seed)
        self.numbers = np.random.default_rng(seed)
        self.folder = folder
        self.nodes, self.weights, self.sparse, self.inputs, self.outputs = [], [], [], [], []
        self.functions = []
        self.overridable = []
        self.batch = self.random.choice(["batch", BATCH])
        self.odd = self.random.random() < 0.3
        self.count = 0
        self.values = []  # float matrices that anything may read
        self.external = bytearray() if self.random.random() < 0.5 else None

    # Names and values.
    def name(self, stem="v"):
        self.count += 1
        if not self.odd:
            return f"{stem}{self.count}"
        return self.random.choice(["{} {}", "{}/../{}", "{}'\"{}", "{}:{}", "{}\n{}", "ü{}→{}", "-{}${}"]).format(stem, self.count)

    def node(self, kind, inputs, outputs=1, **attributes):
        made = [self.name() for _ in range(outputs)] if isinstance(outputs, int) else outputs
        domain = attributes.pop("domain", "")
        name = self.name("node") if self.random.random() < 0.8 else ""
        self.nodes.append(h.make_node(kind, inputs, made, name=name, domain=domain, **attributes))
        return made[0] if len(made) == 1 else made

    def weight(self, *shape, dtype=np.float32):
        array = self.numbers.standard_normal(shape).astype(dtype)
        name = self.name("w")
        tensor = numpy_helper.from_array(array, name)
        if self.external is not None and self.random.random() < 0.6:
            raw = tensor.raw_data
            self.external.extend(b"\0" * (-len(self.external) % 64))
            tensor.ClearField("raw_data")
            tensor.data_location = TensorProto.EXTERNAL
            for key, value in (("location", "weights/all.bin"), ("offset", len(self.external)), ("length", len(raw))):
                entry = tensor.external_data.add()
                entry.key, entry.value = key, str(value)
            self.external.extend(raw)
        self.weights.append(tensor)
        if self.random.random() < 0.1:
            self.overridable.append(h.make_tensor_value_info(name, TensorProto.FLOAT, list(shape)))
        return name

    def shared(self):
        """A weight that blocks share."""
        if not getattr(self, "_shared", None):
            self._shared = self.weight(WIDTH, WIDTH)
        return self._shared

    def constant(self, array):
        array = np.asarray(array)
        if self.random.random() < 0.5:
            return self.node("Constant", [], value=numpy_helper.from_array(array))
        name = self.name("c")
        self.weights.append(numpy_helper.from_array(array, name))
        return name

    def pick(self):
        return self.random.choice(self.values[-6:] if self.random.random() < 0.7 else self.values)

    def sub(self, nodes, inputs, outputs, initializers=()):
        return h.make_graph(nodes, self.name("body"), inputs, outputs, list(initializers))

    @staticmethod
    def info(name, kind=TensorProto.FLOAT, shape=None):
        return h.make_tensor_value_info(name, kind, shape)

    # Blocks: each returns a float matrix [batch, WIDTH].
    def unary(self):
        return self.node(self.random.choice(["Relu", "Sigmoid", "Tanh", "Neg", "Abs", "Softplus", "Erf", "Softsign"]), [self.pick()])

    def binary(self):
        return self.node(self.random.choice(["Add", "Sub", "Mul", "Max", "Min"]), [self.pick(), self.pick()])

    def product(self):
        weight = self.shared() if self.random.random() < 0.4 else self.weight(WIDTH, WIDTH)
        if self.random.random() < 0.3:
            weight = self.node("Transpose", [weight], perm=[1, 0])
        return self.node("MatMul", [self.pick(), weight])

    def gemm(self):
        inputs = [self.pick(), self.weight(WIDTH, WIDTH)]
        if self.random.random() < 0.5:
            inputs.append(self.weight(WIDTH))
        return self.node("Gemm", inputs, transB=1)

    def sparse_product(self):
        name = self.name("s")
        values = numpy_helper.from_array(self.numbers.standard_normal(5).astype(np.float32), name)
        indices = numpy_helper.from_array(np.sort(self.numbers.choice(WIDTH * WIDTH, 5, replace=False)).astype(np.int64), name + "_i")
        self.sparse.append(h.make_sparse_tensor(values, indices, [WIDTH, WIDTH]))
        return self.node("MatMul", [self.pick(), name])

    def normalisation(self):
        return self.node("LayerNormalization", [self.pick(), self.weight(WIDTH), self.weight(WIDTH)], axis=-1)

    def clip(self):
        low, high = self.constant(np.float32(-0.5)), self.constant(np.float32(0.7))
        return self.node("Clip", self.random.choice([[self.pick(), "", high], [self.pick(), low], [self.pick(), low, high]]))

    def split(self):
        a, b = self.node("Split", [self.pick()], 2, axis=1, num_outputs=2)
        kind = self.random.choice(["Relu", "Tanh", "Identity"])
        return self.node("Concat", [b, self.node(kind, [a])], axis=1)

    def dynamic_reshape(self):
        """[batch, WIDTH] -> [batch, 2, WIDTH / 2] -> transposed -> back, with shapes taken from other values."""
        source, other = self.pick(), self.pick()
        shape = self.node("Shape", [other])
        batch = self.node("Gather", [shape, self.constant(np.array([0], dtype=np.int64))])
        width = self.node("Gather", [shape, self.constant(np.int64(1))])
        half = self.node("Unsqueeze", [self.node("Div", [width, self.constant(np.int64(2))]), self.constant(np.array([0], dtype=np.int64))])
        wide = self.node("Concat", [batch, self.constant(np.array([2], dtype=np.int64)), half], axis=0)
        apart = self.node("Transpose", [self.node("Reshape", [source, wide])], perm=[0, 2, 1])
        back = self.node("Concat", [batch, self.constant(np.array([-1], dtype=np.int64))], axis=0)
        return self.node("Reshape", [apart, back])

    def weight_view(self):
        """A weight in a shape that is computed from an activation's."""
        size = self.node("Gather", [self.node("Shape", [self.pick()]), self.constant(np.array([1], dtype=np.int64))])
        shape = self.node("Concat", [self.constant(np.array([1], dtype=np.int64)), size], axis=0)
        return self.node("Add", [self.pick(), self.node("Reshape", [self.weight(WIDTH), shape])])

    def filled(self):
        shape = self.node("Shape", [self.pick()])
        zeros = self.node("ConstantOfShape", [shape], value=numpy_helper.from_array(np.array([0.25], dtype=np.float32)))
        return self.node("Where", [self.node("Greater", [self.pick(), zeros]), self.pick(), zeros])

    def top(self):
        values, places = self.node("TopK", [self.pick(), self.constant(np.array([WIDTH], dtype=np.int64))], 2, axis=1)
        return self.node("Add", [values, self.node("Cast", [places], to=TensorProto.FLOAT)])

    def sequence(self):
        parts = self.node("SplitToSequence", [self.pick(), self.constant(np.int64(2))], axis=1)
        first = self.node("SequenceAt", [parts, self.constant(np.int64(0))])
        more = self.node("SequenceInsert", [self.node("SequenceErase", [parts, self.constant(np.int64(0))]), first])
        return self.node("ConcatFromSequence", [more], axis=1)

    def condition(self, value):
        total = self.node("ReduceSum", [value], keepdims=0)
        return self.node("Greater", [total, self.constant(np.float32(0))])

    def branch(self):
        """Both branches capture activations and weights; one has an If of its own that captures through two graphs."""
        first, second, weight = self.pick(), self.pick(), self.shared()
        condition = self.condition(first)
        a, b, c, inner = (self.name("b") for _ in range(4))
        deep = self.sub([h.make_node("Add", [second, a], [c])], [], [self.info(c)])
        other = self.name("b")
        flat = self.sub([h.make_node("Identity", [first], [other])], [], [self.info(other)])
        local = numpy_helper.from_array(self.numbers.standard_normal((WIDTH,)).astype(np.float32), self.name("lw"))
        then = self.sub([h.make_node("MatMul", [first, weight], [b]), h.make_node("Add", [b, local.name], [a]),
                         h.make_node("If", [condition], [inner], then_branch=deep, else_branch=flat)],
                        [], [self.info(inner)], [local])
        d = self.name("b")
        otherwise = self.sub([h.make_node("Sub", [second, first], [d])], [], [self.info(d)])
        return self.node("If", [condition], then_branch=then, else_branch=otherwise)

    def loop(self):
        state, captured = self.pick(), self.pick()
        i, keep, old, new, out = (self.name("l") for _ in range(5))
        body = self.sub([h.make_node("Add", [old, captured], [new + "t"]), h.make_node("Tanh", [new + "t"], [new]),
                         h.make_node("Identity", [keep], [out])],
                        [self.info(i, TensorProto.INT64, []), self.info(keep, TensorProto.BOOL, []), self.info(old)],
                        [self.info(out, TensorProto.BOOL, []), self.info(new)])
        return self.node("Loop", [self.constant(np.int64(3)), "", state], body=body)

    def scan(self):
        rows, weight = self.pick(), self.weight(WIDTH)
        old, row, new, made = (self.name("s") for _ in range(4))
        body = self.sub([h.make_node("Add", [old, row], [new]), h.make_node("Mul", [new, weight], [made])],
                        [self.info(old, shape=[WIDTH]), self.info(row, shape=[WIDTH])],
                        [self.info(new, shape=[WIDTH]), self.info(made, shape=[WIDTH])])
        start = self.constant(np.zeros(WIDTH, dtype=np.float32))
        _, stacked = self.node("Scan", [start, rows], 2, body=body, num_scan_inputs=1)
        return stacked

    def function(self):
        """Calls of one function: an attribute with a default, a nested call, a body, a constant, two outputs."""
        opsets = [h.make_opsetid("", 18), h.make_opsetid(DOMAIN, 1)]
        if not self.functions:
            leaky = h.make_node("LeakyRelu", ["x"], ["y"])
            alpha = leaky.attribute.add()
            alpha.name, alpha.type, alpha.ref_attr_name = "alpha", onnx.AttributeProto.FLOAT, "slope"
            self.functions.append(h.make_function(DOMAIN, "Leaky", ["x"], ["y"], [leaky], opsets[:1], ["slope"]))
            inner = h.make_node("Leaky", ["sum"], ["leaky"], name="call", domain=DOMAIN)
            slope = inner.attribute.add()
            slope.name, slope.type, slope.ref_attr_name = "slope", onnx.AttributeProto.FLOAT, "slope"
            then = h.make_graph([h.make_node("Add", ["leaky", "b"], ["t"])], "then", [], [self.info("t")])
            other = h.make_graph([h.make_node("Mul", ["leaky", "b"], ["t"])], "other", [], [self.info("t")])
            nodes = [h.make_node("Add", ["a", "b"], ["sum"], name="add"), inner,
                     h.make_node("Constant", [], ["zero"], value_float=0.0),
                     h.make_node("ReduceSum", ["leaky"], ["total"], keepdims=0),
                     h.make_node("Less", ["total", "zero"], ["less"]),
                     h.make_node("If", ["less"], ["chosen"], then_branch=then, else_branch=other),
                     h.make_node("Softmax", ["chosen"], ["y"], axis=-1),
                     h.make_node("Identity", ["a"], ["same"])]
            default = onnx.helper.make_attribute("slope", 0.3)
            outer = h.make_function(DOMAIN, "Outer", ["a", "b"], ["y", "same"], nodes, opsets, [], [default])
            self.functions.append(outer)
        attributes = {"slope": self.random.choice([0.1, 0.2])} if self.random.random() < 0.6 else {}
        made, same = self.node("Outer", [self.pick(), self.pick()], 2, domain=DOMAIN, **attributes)
        self.values.append(same)
        return made

    def build(self, blocks):
        for i in range(self.random.randint(1, 3)):
            name = self.name("in")
            self.inputs.append(self.info(name, shape=[self.batch, WIDTH]))
            self.values.append(name)
        kinds = [self.unary, self.binary, self.product, self.gemm, self.sparse_product, self.normalisation, self.clip, self.split,
                 self.dynamic_reshape, self.dynamic_reshape, self.weight_view, self.filled, self.top, self.sequence,
                 self.branch, self.loop, self.scan, self.function, self.function]
        for i in range(blocks):
            self.values.append(self.random.choice(kinds)())
        made = [v for v in self.values if v not in {i.name for i in self.inputs}]
        outputs = {made[-1], *self.random.sample(made, min(4, len(made)))}
        if self.random.random() < 0.2:
            outputs.add(self.inputs[0].name)  # an output that is an input
        self.outputs = [self.info(v, shape=[self.batch, WIDTH]) for v in sorted(outputs)]
        if self.random.random() < 0.2:
            array = self.numbers.standard_normal((2,)).astype(np.float32)
            name = self.name("w")
            self.weights.append(numpy_helper.from_array(array, name))
            self.outputs.append(self.info(name, shape=[2]))
        graph = h.make_graph(self.nodes, self.name("graph"), self.inputs + self.overridable, self.outputs, self.weights,
                             sparse_initializer=self.sparse)
        opsets = [h.make_opsetid("", 18)] + ([h.make_opsetid(DOMAIN, 1)] if self.functions else [])
        model = h.make_model(graph, opset_imports=opsets, ir_version=10, functions=self.functions, producer_name="random")
        entry = model.metadata_props.add()
        entry.key, entry.value = "made by", "random_models.py"
        return model


def write_model(seed, folder, blocks=24):
    """Returns the path of the model, and what to feed it."""
    maker = Model(seed, folder)
    model = maker.build(blocks)
    path = os.path.join(folder, "model.onnx")
    os.makedirs(folder, exist_ok=True)
    with open(path, "wb") as file:
        file.write(model.SerializeToString())
    if maker.external:
        os.makedirs(os.path.join(folder, "weights"), exist_ok=True)
        with open(os.path.join(folder, "weights", "all.bin"), "wb") as file:
            file.write(maker.external)
    feeds = {i.name: maker.numbers.standard_normal((BATCH, WIDTH)).astype(np.float32) for i in maker.inputs}
    return path, feeds
