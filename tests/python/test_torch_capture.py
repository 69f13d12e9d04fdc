# SPDX-License-Identifier: Apache-2.0
"""What `partita.torch.capture` finds: operators, bytes, colours, layers, and backward parts with their owners."""

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: tests of partita.torch are skipped")

from torch_modules import ConvNet, Mlp, RandomDag, Transformer  # noqa: E402

import partita.torch  # noqa: E402
from partita.errors import InputError  # noqa: E402

FLOAT = 4  # bytes


def by_name(capture):
    assert len({node.name for node in capture.nodes}) == len(capture.nodes)
    return {node.name: node for node in capture.nodes}


def check_graph(capture):
    """No circles, no edges from the backward to the forward pass, colours of two nodes or more, all sources before."""
    reads = {place: set() for place in range(len(capture.nodes))}
    for source, target in capture.edges:
        assert capture.nodes[target].backward or not capture.nodes[source].backward
        reads[target].add(source)
    done = set()
    while len(done) < len(reads):
        ready = {place for place, sources in reads.items() if place not in done and sources <= done}
        assert ready, "a circle"
        done |= ready
    colours = [node.colour for node in capture.nodes if node.colour is not None]
    assert all(colours.count(colour) > 1 for colour in set(colours))


def test_inference_of_mlp():
    capture = partita.torch.capture(Mlp(width=8, depth=2), (torch.randn(4, 8),))
    nodes = by_name(capture)
    check_graph(capture)
    assert list(nodes)[0] == "x" and nodes["x"].op == "input"
    linear = nodes["layers.0/linear"]
    assert (linear.op, linear.output, linear.output_bytes) == ("aten.linear.default", "fp32[4,8]", 4 * 8 * FLOAT)
    assert linear.weights == (8 * 8 + 8) * FLOAT
    assert (linear.gradients, linear.optimizer_state, linear.activation) == (0, 0, 0)
    assert capture.layers[linear.layer] == "layers.0" and nodes["relu"].layer is None
    places = {node.name: place for place, node in enumerate(capture.nodes)}
    assert (places["x"], places["layers.0/linear"]) in capture.edges
    assert (places["relu"], places["layers.1/linear_1"]) in capture.edges


def test_training_of_mlp():
    capture = partita.torch.capture(Mlp(width=8, depth=2), (torch.randn(4, 8),), training=True,
                                    loss=lambda output: output.square().mean())
    nodes = by_name(capture)
    check_graph(capture)
    linear, back = nodes["layers.0/linear"], nodes["layers.0/linear.backward"]
    assert not linear.backward and back.backward and linear.colour == back.colour is not None
    assert linear.layer == back.layer
    weights = (8 * 8 + 8) * FLOAT
    assert (linear.weights, linear.gradients, linear.optimizer_state) == (weights, weights, 2 * weights)
    assert back.weights == back.activation == 0
    assert nodes["relu"].activation == 4 * 8 * FLOAT, "relu keeps its output"
    assert nodes["x"].activation == 4 * 8 * FLOAT, "the first layer keeps its input"
    assert linear.activation == 0, "nothing reads a linear layer's output in the backward pass here"
    assert nodes["loss.forward"].colour == nodes["loss.backward"].colour
    assert not nodes["loss.forward"].backward and nodes["loss.backward"].backward
    members = [name for node in capture.nodes for name in node.members]
    assert len(members) == len(set(members)), "every traced operator is in one node"
    computed = [node.name for node in capture.graph_module.graph.nodes if node.op == "call_function"]
    assert set(members) == set(computed), "and in a node at all"


def test_input_called_loss():
    class Odd(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.fc = torch.nn.Linear(8, 8)

        def forward(self, loss):
            return self.fc(loss)

    nodes = by_name(partita.torch.capture(Odd(), (torch.randn(4, 8),), training=True, loss=lambda output: output.sum()))
    assert nodes["loss"].op == "input" and not nodes["loss"].members
    assert nodes["loss.forward"].members and nodes["loss.backward"].members


def test_optimizers():
    def state(optimizer):
        capture = partita.torch.capture(Mlp(), (torch.randn(4, 8),), training=True, optimizer=optimizer)
        return sum(node.optimizer_state for node in capture.nodes) / sum(node.weights for node in capture.nodes)

    assert [state(name) for name in ("adam", "momentum", "sgd")] == [2, 1, 0]


def test_joint_graph_computes_the_gradients():
    module, x = Mlp(), torch.randn(4, 8)
    capture = partita.torch.capture(module, (x,), training=True, loss=lambda output: output.square().mean())
    module(x).square().mean().backward()
    with torch.no_grad():
        output, *gradients = capture.graph_module(*capture.values)
    assert torch.equal(output, module(x))
    for gradient, parameter in zip(gradients, module.parameters()):
        torch.testing.assert_close(gradient, parameter.grad)


def test_transformer_keeps_names_of_modules():
    args = (torch.randint(0, 13, (2, 6)),)
    capture = partita.torch.capture(Transformer(), args, {"scale": torch.rand(2, 6, 1)}, training=True)
    check_graph(capture)
    assert {"tokens", "blocks.0", "blocks.1", "norm", "head"} == set(capture.layers.values())
    attention = [node for node in capture.nodes if "scaled_dot_product" in node.op]
    assert len(attention) == 4 and {node.name.split("/")[0] for node in attention} == {"blocks.0", "blocks.1"}
    total = sum(p.numel() for p in Transformer().parameters()) * FLOAT
    assert sum(node.gradients for node in capture.nodes) == total


def test_shared_weights():
    args = (torch.randint(0, 13, (2, 6)),)
    training = by_name(partita.torch.capture(Transformer(tied=True), args, training=True))
    assert training["tokens/embedding"].colour == training["head/" + last_linear(training)].colour is not None
    assert training["tokens/embedding"].weights == 13 * 8 * FLOAT
    inference = by_name(partita.torch.capture(Transformer(tied=True), args))
    head = inference["head/" + last_linear(inference)]
    assert head.colour is None and head.weights == inference["tokens/embedding"].weights == 13 * 8 * FLOAT


def last_linear(nodes):
    return [name.split("/")[1] for name in nodes if name.startswith("head/linear") and "." not in name][-1]


def test_what_changes_in_place_stays_together():
    nodes = by_name(partita.torch.capture(ConvNet(), (torch.randn(2, 3, 6, 6),)))
    norm = nodes["stem.1/batch_norm"]
    assert norm.colour == nodes["stem.1/add_"].colour == nodes["stem.2/relu_"].colour is not None
    assert nodes["stem.0/conv2d"].colour is None


@pytest.mark.parametrize("seed", range(0, 30, 5))
def test_random_modules_for_training(seed):
    module = RandomDag(seed)
    if any(p.requires_grad for p in module.parameters()):
        check_graph(partita.torch.capture(module, (torch.randn(4, 6), torch.randn(4, 6)), training=True))


def test_bad_input():
    x = torch.randn(4, 8)

    def message(**options):
        with pytest.raises(InputError) as caught:
            partita.torch.capture(options.pop("module", Mlp()), (x,), **options)
        assert "\n" not in str(caught.value)
        return str(caught.value)

    assert "expected one of adam" in message(optimizer="lion")
    assert "training=True" in message(loss=torch.sum)
    assert "expected a tensor with one number" in message(training=True, loss=lambda output: output)
    assert "no parameter that is trained" in message(module=Mlp().requires_grad_(False), training=True)
