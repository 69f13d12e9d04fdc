# SPDX-License-Identifier: Apache-2.0
"""Stages under `torch.distributed.pipelining`: in processes that talk over gloo, and through its own tracer."""

import copy
import os

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: tests of partita.torch are skipped")
pytest.importorskip("torch.distributed.pipelining", reason="this PyTorch has no torch.distributed.pipelining")
if not torch.distributed.is_available() or not torch.distributed.is_gloo_available():
    pytest.skip("this PyTorch has no gloo: its pipelines are not tested", allow_module_level=True)

from partita.torch.package import version  # noqa: E402

if version(torch) < (2, 8):
    pytest.skip("pipelines are tested from torch 2.8 on", allow_module_level=True)

from torch_modules import ConvNet, Mlp, Transformer, even_plan  # noqa: E402

import partita.torch  # noqa: E402
from partita.errors import InputError, RunError  # noqa: E402
from partita.torch.forward import capture_forward  # noqa: E402

LONG = pytest.mark.skipif(not os.environ.get("PARTITA_LONG_TESTS"), reason="slow: runs with PARTITA_LONG_TESTS=1")
PARTS = 4


class Scores(torch.nn.Module):
    """ConvNet's first output alone: a pipeline's loss takes a tensor."""

    def __init__(self):
        super().__init__()
        self.net = ConvNet()

    def forward(self, image):
        return self.net(image)["scores"]


def batch_for(module):
    """Arguments for 4 microbatches, and targets."""
    if isinstance(module, Transformer):
        return (torch.randint(0, 13, (8, 6)),), {"scale": torch.rand(8, 6, 1)}, torch.randn(8, 6, 13)
    return (torch.randn(8, 3, 6, 6),), {}, torch.randn(8, 3)


def microbatches(args, kwargs, target):
    for i in range(PARTS):
        here = slice(2 * i, 2 * i + 2)
        yield tuple(one[here] for one in args), {name: one[here] for name, one in kwargs.items()}, target[here]


def refuse(output, target):
    raise ValueError("no loss today")


@pytest.fixture(autouse=True)
def one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    torch.manual_seed(1)
    yield
    torch.set_num_threads(before)


@pytest.mark.parametrize("schedule, count, make", [
    ("1f1b", 2, Transformer),
    ("gpipe", 3, Transformer),
    pytest.param("gpipe", 2, Scores, marks=LONG),
    pytest.param("1f1b", 3, Scores, marks=LONG),
])
def test_training_in_processes(schedule, count, make):
    module = make()
    args, kwargs, target = batch_for(module)
    loss = torch.nn.MSELoss()
    whole, outputs, losses = copy.deepcopy(module), [], []
    for some_args, some_kwargs, some_target in microbatches(args, kwargs, target):
        outputs.append(whole(*some_args, **some_kwargs))
        losses.append(loss(outputs[-1], some_target))
        (losses[-1] / PARTS).backward()
    first = next(microbatches(args, kwargs, target))
    plan = even_plan(capture_forward(module, first[0], first[1]), count)
    run = partita.torch.run_pipeline(module, args, plan, kwargs, microbatches=PARTS, schedule=schedule, loss=loss,
                                     target=target)
    assert torch.equal(run.output, torch.cat(outputs))
    assert run.losses == pytest.approx([float(one.detach()) for one in losses])
    for name, parameter in whole.named_parameters():
        torch.testing.assert_close(run.gradients[name], parameter.grad, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("count", [2, pytest.param(1, marks=LONG), pytest.param(3, marks=LONG)])
def test_inference_in_processes(count):
    module = Transformer().eval()
    args, kwargs, target = batch_for(module)
    some_args, some_kwargs, _ = next(microbatches(args, kwargs, target))
    plan = even_plan(capture_forward(module, some_args, some_kwargs), count)
    run = partita.torch.run_pipeline(module, args, plan, kwargs, microbatches=PARTS)
    with torch.no_grad():
        expected = torch.cat([module(*a, **k) for a, k, _ in microbatches(args, kwargs, target)])
    assert torch.equal(run.output, expected)


def test_stage_that_fails_is_reported():
    module = Scores()
    args, kwargs, target = batch_for(module)
    plan = even_plan(capture_forward(module, (args[0][:2],)), 2)
    with pytest.raises(RunError, match="stage 1 failed: ValueError: no loss today"):
        partita.torch.run_pipeline(module, args, plan, microbatches=PARTS, schedule="gpipe", loss=refuse, target=target)


@pytest.mark.parametrize("count", [2, 3])
def test_split_policy(count):
    from torch.distributed.pipelining import pipeline

    module = Transformer().eval()
    args, kwargs, _ = batch_for(module)
    pipe = pipeline(module, mb_args=args, mb_kwargs=kwargs,
                    split_policy=partita.torch.split_policy(even_plan(capture_forward(module, args, kwargs), count)))
    assert pipe.num_stages == count
    output = pipe(*args, **kwargs)
    assert torch.equal(output[0] if isinstance(output, tuple) else output, module(*args, **kwargs))


def test_split_policy_of_another_module():
    from torch.distributed.pipelining import pipeline

    x = torch.randn(4, 8)
    policy = partita.torch.split_policy(even_plan(capture_forward(Mlp(depth=2), (x,)), 2))
    with pytest.raises(InputError, match="plan of another module"):
        pipeline(Mlp(depth=3), mb_args=(x,), split_policy=policy)


def test_bad_input():
    def message(**options):
        with pytest.raises(InputError) as caught:
            partita.torch.run_pipeline(Mlp(), (torch.randn(8, 8),), {}, **{"microbatches": 4, **options})
        assert "\n" not in str(caught.value)
        return str(caught.value)

    assert "expected one of forward, gpipe, 1f1b" in message(schedule="zigzag")
    assert "loss, target: needed" in message(schedule="gpipe")
    assert "cannot be cut into 3 equal microbatches" in message(microbatches=3)
