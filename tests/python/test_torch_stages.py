# SPDX-License-Identifier: Apache-2.0
"""Stages of a plan compute what the module computes: forward to the bit, gradients within rounding."""

import copy
import pickle

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: tests of partita.torch are skipped")

from torch.utils import _pytree  # noqa: E402
from torch_modules import ConvNet, Mlp, RandomDag, Transformer, even_plan, plan_of, random_plan  # noqa: E402

import partita.torch  # noqa: E402
from partita.errors import InputError  # noqa: E402
from partita.torch.cutting import cut  # noqa: E402
from partita.torch.forward import capture_forward  # noqa: E402

CASES = {
    "mlp": (lambda: Mlp(), lambda: ((torch.randn(4, 8),), {})),
    "transformer": (lambda: Transformer(), lambda: ((torch.randint(0, 13, (2, 6)),), {"scale": torch.rand(2, 6, 1)})),
    "tied": (lambda: Transformer(tied=True), lambda: ((torch.randint(0, 13, (2, 6)),), {})),
    "conv": (lambda: ConvNet(), lambda: ((torch.randn(2, 3, 6, 6),), {})),
}


@pytest.fixture(autouse=True)
def one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    torch.manual_seed(1)
    yield
    torch.set_num_threads(before)


def total(output):
    """A loss that every output has its own part in."""
    return sum((i + 1) * one.square().sum() for i, one in enumerate(_pytree.tree_leaves(output)))


def run_apart(parts, args, kwargs, training):
    """Runs stages as an engine does: everything passed on is copied, and backward runs stage by stage."""
    passed, taken = None, []
    for place, part in enumerate(parts):
        if place:
            assert [(tuple(one.shape), one.dtype, one.requires_grad) for one in passed] == \
                [(one.shape, one.dtype, one.gradient) for one in part.passed_in]
            assert all(one.is_contiguous() for one in passed)
            args = tuple(one.detach().clone().requires_grad_(training) for one in passed)
        passed = part(*args, **(kwargs if place == 0 else {}))
        taken.append((args, passed))
    output = passed
    if training:
        total(output).backward()
        for (args, _), (_, before) in zip(reversed(taken[1:]), reversed(taken[:-1])):
            assert all(one.grad is not None for one in args)
            torch.autograd.backward(before, [one.grad for one in args])
    return output


def check_equal(module, args, kwargs, parts, training):
    """Stages, run as one program and apart, against a copy of the module."""
    whole = copy.deepcopy(module)
    expected = whole(*args, **kwargs)
    if training:
        total(expected).backward()
    state = copy.deepcopy(module.state_dict())
    for run in (lambda: run_apart(parts, args, kwargs, training),
                lambda: partita.torch.run_chain(parts, *args, **kwargs)):
        module.load_state_dict(state)
        module.zero_grad()
        with torch.set_grad_enabled(training):
            found = run()
        assert _pytree.tree_structure(found) == _pytree.tree_structure(expected)
        for one, other in zip(_pytree.tree_leaves(found), _pytree.tree_leaves(expected)):
            assert torch.equal(one, other)
        for name, buffer in whole.named_buffers():
            assert torch.equal(buffer, module.get_buffer(name)), name
    if training:
        total(found).backward()
        for name, parameter in whole.named_parameters():
            gradient = module.get_parameter(name).grad
            if parameter.grad is None:
                assert gradient is None or not gradient.any()
            else:
                torch.testing.assert_close(gradient, parameter.grad, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("training", [True, False])
def test_stages_equal_module(name, training):
    make, inputs = CASES[name]
    module, (args, kwargs) = make().train(training), inputs()
    forward = capture_forward(module, args, kwargs)
    for count in (1, 2, 3):
        parts = cut(forward, even_plan(forward, count))
        assert len(parts) == count
        check_equal(module, args, kwargs, parts, training)
        owned = {id(p) for part in parts for p in part.parameters()}
        assert owned == {id(p) for p in module.parameters()}, "stages own the module's own parameters"
        names = {key for part in parts for key in part.state_dict()}
        assert names <= set(module.state_dict())


@pytest.mark.parametrize("seed", range(30))
def test_random_modules_cut_at_random(seed):
    module = RandomDag(seed)
    args = (torch.randn(4, 6), torch.randn(4, 6))
    forward = capture_forward(module, args)
    parts = cut(forward, random_plan(forward, 2 + seed % 3, seed))
    check_equal(module, args, {}, parts, training=any(p.requires_grad for p in module.parameters()))


def test_stages_can_be_pickled():
    module = Transformer()
    args, kwargs = CASES["transformer"][1]()
    forward = capture_forward(module, args, kwargs)
    parts = [pickle.loads(pickle.dumps(part)) for part in cut(forward, even_plan(forward, 3))]
    assert torch.equal(partita.torch.run_chain(parts, *args, **kwargs), module(*args, **kwargs))
    assert all(part.passed_in and part.passed_on for part in parts)


def test_frozen_parts_can_be_trained_behind():
    module = Transformer()
    module.tokens.requires_grad_(False)
    module.places.requires_grad_(False)
    args, kwargs = CASES["transformer"][1]()
    forward = capture_forward(module, args, kwargs)
    check_equal(module, args, kwargs, cut(forward, even_plan(forward, 4)), training=True)


def test_plan_by_file_content_or_object(tmp_path):
    import json
    from types import SimpleNamespace

    module, x = Mlp(), torch.randn(4, 8)
    plan = even_plan(capture_forward(module, (x,)), 2)
    path = tmp_path / "plan.json"
    path.write_text(json.dumps(plan))
    for given in (plan, path, str(path), SimpleNamespace(content=plan), SimpleNamespace(to_dict=lambda: plan)):
        assert torch.equal(partita.torch.run_chain(partita.torch.stages(module, (x,), given), x), module(x))


def test_contiguous_split_without_stages_is_put_in_order():
    module, x = Mlp(depth=2), torch.randn(4, 8)
    forward = capture_forward(module, (x,))
    wanted = {node.name: 1 if i < 2 else 0 for i, node in enumerate(forward.operators())}  # device 1 comes first
    parts = cut(forward, plan_of(forward, wanted, 2, shape="contiguous"))
    assert [len(list(part.parameters())) for part in parts] == [2, 2]
    assert torch.equal(partita.torch.run_chain(parts, x), module(x))


def message_of(call):
    with pytest.raises(InputError) as caught:
        call()
    text = str(caught.value)
    assert "\n" not in text
    return text


def test_free_split_that_is_no_pipeline():
    module, x = Mlp(depth=3), torch.randn(4, 8)
    forward = capture_forward(module, (x,))
    stage = {node.name: i % 2 for i, node in enumerate(forward.operators())}
    text = message_of(lambda: cut(forward, plan_of(forward, stage, 2, shape="free")))
    assert "is no pipeline" in text and "--shape staged" in text and "accelerator 0 needs" in text
    assert "later stage" in message_of(lambda: cut(forward, plan_of(forward, stage, 2)))


def test_plan_of_another_module():
    x = torch.randn(4, 8)
    deep, shallow = capture_forward(Mlp(depth=4), (x,)), capture_forward(Mlp(depth=2), (x,))
    plan = even_plan(deep, 2)
    text = message_of(lambda: cut(shallow, plan))
    assert "another module than this Mlp" in text and "places 6 that it has not" in text
    assert "lacks 6 of its operators" in message_of(lambda: cut(deep, even_plan(shallow, 2)))


def test_fingerprint_of_another_module():
    x = torch.randn(4, 8)
    forward = capture_forward(Mlp(), (x,))
    plan = even_plan(forward, 2)
    plan["model"] = {"fingerprint": "0123456789abcdef"}
    assert "fingerprints 0123456789abcdef and" in message_of(lambda: cut(forward, plan))


def test_parting_what_is_changed_in_place():
    module = ConvNet()
    forward = capture_forward(module, (torch.randn(2, 3, 6, 6),))
    before = True
    stage = {}
    for node in forward.operators():
        before = before and not node.name.startswith("relu_")
        stage[node.name] = 0 if before else 1
    assert "share memory that is changed in place" in message_of(lambda: cut(forward, plan_of(forward, stage, 2)))


def test_bad_plans(tmp_path):
    module, x = Mlp(), torch.randn(4, 8)
    forward = capture_forward(module, (x,))
    plan = even_plan(forward, 2)
    bad = tmp_path / "bad.json"
    bad.write_text("{")
    assert "is not JSON" in message_of(lambda: cut(forward, bad))
    assert "cannot be read" in message_of(lambda: cut(forward, tmp_path / "none.json"))
    assert "is no plan" in message_of(lambda: cut(forward, {"nodes": []}))
    assert "is no plan" in message_of(lambda: cut(forward, 7))
    assert "holds no split" in message_of(lambda: cut(forward, {**plan, "value": None, "status": "infeasible"}))
    assert "version 9" in message_of(lambda: cut(forward, {**plan, "partita": {"format": "plan", "version": 9}}))
    assert "does not list" in message_of(lambda: cut(forward, {**plan, "devices": plan["devices"][:1]}))


def test_modules_that_cannot_be_cut():
    class Branches(torch.nn.Module):
        def forward(self, x):
            return x * 2 if x.sum() > 0 else x

    class Changes(torch.nn.Module):
        def forward(self, x):
            return x.mul_(2)

    class Nested(torch.nn.Module):
        def forward(self, pair):
            return pair[0] + pair[1]

    x = torch.randn(3)
    assert "torch.export cannot capture Branches" in message_of(lambda: capture_forward(Branches(), (x,)))
    assert "changes its input x" in message_of(lambda: partita.torch.capture(Changes(), (x,)))
    assert "expected a tuple" in message_of(lambda: partita.torch.stages(Mlp(), x, {}))
    assert "expected a torch.nn.Module" in message_of(lambda: partita.torch.stages(len, (x,), {}))
    forward = capture_forward(Nested(), ((x, x),))
    assert "takes tensors" in message_of(lambda: cut(forward, even_plan(forward, 1)))
