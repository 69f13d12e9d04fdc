# SPDX-License-Identifier: Apache-2.0
"""`partita.torch.run_pipeline`: the stages of a plan as processes on this machine's CPU, in one call.

This shows that a plan runs and gives the module's results; whoever trains for real writes the loop of
examples/torch_pipeline.py for torchrun. The processes talk over gloo and meet in a temporary folder, through which
stages and results pass too; it and they are gone when the call returns. Python's helper that starts them ends with
the program.
"""

from __future__ import annotations

import tempfile
import time
import traceback
from dataclasses import dataclass
from pathlib import Path

import torch
from torch.utils import _pytree

from partita.errors import InputError, RunError
from partita.torch.cutting import stages
from partita.torch.package import torch_package

SCHEDULES = ("forward", "gpipe", "1f1b")
OLDEST = (2, 8)  # manual stages over gloo wait for ever in 2.5


@dataclass(frozen=True)
class PipelineRun:
    """What came out: the outputs of all microbatches together, and in training losses and gradients by name."""

    output: object
    losses: tuple[float, ...]
    gradients: dict[str, torch.Tensor]


@dataclass(frozen=True)
class _Job:
    """What one process does."""

    part: torch.fx.GraphModule
    args: tuple
    kwargs: dict
    target: object
    loss: object
    schedule: str
    microbatches: int
    threads: int


def run_pipeline(module, args, plan, kwargs=None, *, microbatches: int, schedule: str = "forward", loss=None,
                 target=None, threads: int = 1, timeout: float = 300.0) -> PipelineRun:
    """Runs a batch through the stages of `plan`, one process each.

    `args` and `kwargs` are the whole batch; `microbatches` divides their first dimension, and the plan is of a module
    with arguments of that part. `schedule` is forward, gpipe or 1f1b; the last two train, with `loss(output,
    target)`, and leave the module as it is: gradients are returned. `loss` must be a function that processes can
    import. `timeout` is in seconds.
    """
    torch_package("partita.torch.run_pipeline", OLDEST)
    if schedule not in SCHEDULES:
        raise InputError(f"schedule: found {schedule!r}, expected one of {', '.join(SCHEDULES)}")
    if (schedule == "forward") != (loss is None) or (loss is None) != (target is None):
        raise InputError("loss, target: needed by the schedules gpipe and 1f1b, and by them alone")
    args, kwargs = tuple(args), dict(kwargs or {})
    one_args, one_kwargs = _pytree.tree_map_only(torch.Tensor, lambda one: _part(one, microbatches), (args, kwargs))
    parts = stages(module, one_args, plan, one_kwargs, training=schedule != "forward")
    jobs = [_Job(part, args if part is parts[0] else (), kwargs if part is parts[0] else {},
                 target if part is parts[-1] else None, loss, schedule, microbatches, threads) for part in parts]
    with tempfile.TemporaryDirectory(prefix="partita-") as folder:
        for rank, job in enumerate(jobs):
            torch.save(job, Path(folder) / f"job{rank}")
        _run_all(len(jobs), folder, timeout)
        results = [torch.load(Path(folder) / f"result{rank}", weights_only=False) for rank in range(len(jobs))]
    gradients: dict[str, torch.Tensor] = {}
    for found in results:
        for name, gradient in found["gradients"].items():  # a weight that two stages share has a part of it in each
            gradients[name] = gradients[name] + gradient if name in gradients else gradient
    return PipelineRun(results[-1]["output"], tuple(results[-1]["losses"]), gradients)


def _part(value: torch.Tensor, microbatches: int) -> torch.Tensor:
    if value.dim() == 0 or value.shape[0] % microbatches:
        raise InputError(f"args: a tensor of shape {list(value.shape)} cannot be cut into {microbatches} equal "
                         "microbatches along its first dimension")
    return value[:value.shape[0] // microbatches].clone()


def _run_all(count: int, folder: str, timeout: float) -> None:
    context = torch.multiprocessing.get_context("forkserver" if "forkserver" in _start_methods() else "spawn")
    if context.get_start_method() == "forkserver":  # torch is then loaded once, not by each process
        context.set_forkserver_preload(["torch.distributed.pipelining"])
    processes = [context.Process(target=_work, args=(rank, count, folder, timeout), daemon=True)
                 for rank in range(count)]
    try:
        for process in processes:
            process.start()
        end = time.monotonic() + timeout
        while any(process.is_alive() for process in processes):
            failed = next((rank for rank, process in enumerate(processes) if process.exitcode not in (None, 0)), None)
            if failed is not None:
                raise RunError(f"stage {failed} failed: {_last_words(folder, failed, processes[failed].exitcode)}")
            if time.monotonic() > end:
                raise RunError(f"the pipeline has not finished in {timeout:g} s; give it more time (timeout=)")
            time.sleep(0.02)
        for rank, process in enumerate(processes):
            if process.exitcode != 0:
                raise RunError(f"stage {rank} failed: {_last_words(folder, rank, process.exitcode)}")
    finally:
        for process in processes:
            if process.pid is not None:
                process.kill()
                process.join()


def _start_methods() -> list[str]:
    return torch.multiprocessing.get_all_start_methods()


def _last_words(folder: str, rank: int, code: int) -> str:
    path = Path(folder) / f"error{rank}"
    if not path.exists():
        return f"it ended with exit code {code}"
    return path.read_text(encoding="utf-8").strip().splitlines()[-1]


def _work(rank: int, count: int, folder: str, timeout: float) -> None:
    import datetime

    import torch.distributed as dist

    try:
        job = torch.load(Path(folder) / f"job{rank}", weights_only=False)
        torch.set_num_threads(job.threads)
        dist.init_process_group("gloo", init_method=f"file://{folder}/meeting", rank=rank, world_size=count,
                                timeout=datetime.timedelta(seconds=timeout))
        torch.save(_run_stage(job, rank, count), Path(folder) / f"result{rank}")
        dist.barrier()  # nobody leaves while others still talk to it
        dist.destroy_process_group()
    except BaseException:
        (Path(folder) / f"error{rank}").write_text(traceback.format_exc(), encoding="utf-8")
        raise SystemExit(1) from None


def _run_stage(job: _Job, rank: int, count: int) -> dict:
    from torch.distributed.pipelining import Schedule1F1B, ScheduleGPipe

    from partita.torch.pipelining import pipeline_stage

    stage = pipeline_stage(job.part, rank, count)
    make = Schedule1F1B if job.schedule == "1f1b" else ScheduleGPipe
    is_last = rank == count - 1
    losses: list = []
    if job.schedule == "forward":
        with torch.no_grad():
            output = make(stage, n_microbatches=job.microbatches).step(*job.args, **job.kwargs)
    else:
        schedule = make(stage, n_microbatches=job.microbatches, loss_fn=job.loss)
        ends = {"target": job.target, "losses": losses} if is_last else {}
        output = schedule.step(*job.args, **job.kwargs, **ends)
    gradients = {name: parameter.grad for name, parameter in job.part.named_parameters() if parameter.grad is not None}
    return {"output": _pytree.tree_map_only(torch.Tensor, torch.Tensor.detach, output) if is_last else None,
            "losses": [float(loss.detach()) for loss in losses], "gradients": gradients}
