# SPDX-License-Identifier: Apache-2.0
"""A PyTorch module as a pipeline: measure, plan, cut, train.

    python examples/torch_pipeline.py                                            # starts its own processes, on the CPU
    torchrun --nproc-per-node 2 examples/torch_pipeline.py --plan plan.json      # a process for each stage

The first needs the program `partita` for planning, or a plan. With torchrun, each process runs its own stage, on its
own GPU where there is one for each. For the plan:

    python examples/torch_pipeline.py --workload workload.json                   # measures only
    partita plan workload.json --shape staged -o plan.json
"""

from __future__ import annotations

import argparse
import os
import tempfile
from pathlib import Path

import torch
from torch import nn

import partita.torch
from partita.program import run_program

MICROBATCHES, ROWS, WIDTH, CLASSES = 8, 32, 256, 10


class Residual(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm, self.up, self.down = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, x):
        return x + self.down(nn.functional.gelu(self.up(self.norm(x))))


class Classifier(nn.Module):
    """Residual layers, and a skip from the input to the head."""

    def __init__(self, depth: int = 6):
        super().__init__()
        self.layers = nn.ModuleList(Residual() for _ in range(depth))
        self.head = nn.Linear(2 * WIDTH, CLASSES)

    def forward(self, x):
        begin = x
        for layer in self.layers:
            x = layer(x)
        return self.head(torch.cat([x, begin], dim=1))


def make():
    """The same module and data in every process."""
    torch.manual_seed(1)
    rows = MICROBATCHES * ROWS
    return Classifier(), torch.randn(rows, WIDTH), torch.randint(0, CLASSES, (rows,))


def measure(module, x, path) -> None:
    measured = partita.torch.profile(module, (x[:ROWS],), training=True, devices=2, output=path)
    print(f"measured: {measured.whole.seconds * 1e3:.2f} ms a microbatch; operators one by one: "
          f"{measured.sum * 1e3:.2f} ms")


def plan_with_program(module, x, folder: Path) -> Path:
    measure(module, x, folder / "workload.json")
    print(run_program("planning", "plan", folder / "workload.json", "--shape", "staged", "-o", folder / "plan.json"))
    return folder / "plan.json"


def train_here(plan) -> None:
    """All stages at once, in processes that `run_pipeline` starts."""
    module, x, target = make()
    with tempfile.TemporaryDirectory() as folder:
        plan = plan or plan_with_program(module, x, Path(folder))
        run = partita.torch.run_pipeline(module, (x,), plan, microbatches=MICROBATCHES, schedule="1f1b",
                                         loss=nn.CrossEntropyLoss(), target=target)
    nn.CrossEntropyLoss()(module(x), target).backward()
    worst = max(float((run.gradients[name] - one.grad).abs().max()) for name, one in module.named_parameters())
    print(f"losses: {', '.join(f'{loss:.4f}' for loss in run.losses)}")
    print(f"gradients differ from the whole module's by at most {worst:.1e}")


def train_with_torchrun(plan, steps: int) -> None:
    """This process's stage: the loop of a real training."""
    import torch.distributed as dist
    from torch.distributed.pipelining import Schedule1F1B

    rank, world = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    on_gpu = torch.cuda.is_available() and torch.cuda.device_count() >= world
    device = torch.device("cuda", rank) if on_gpu else torch.device("cpu")
    dist.init_process_group("nccl" if on_gpu else "gloo")
    module, x, target = make()
    parts = partita.torch.stages(module, (x[:ROWS],), plan, training=True)
    if len(parts) != world:
        raise SystemExit(f"the plan has {len(parts)} stages, but torchrun started {world} processes: "
                         f"--nproc-per-node {len(parts)}")
    part = parts[rank].to(device)
    schedule = Schedule1F1B(partita.torch.pipeline_stage(part, rank, world, device), n_microbatches=MICROBATCHES,
                            loss_fn=nn.CrossEntropyLoss())
    optimizer = torch.optim.Adam(part.parameters(), lr=1e-3)
    for step in range(steps):
        optimizer.zero_grad()
        losses: list = []
        if rank == 0:
            schedule.step(x.to(device))
        elif rank == world - 1:
            schedule.step(target=target.to(device), losses=losses)
        else:
            schedule.step()
        optimizer.step()
        if losses:
            print(f"step {step}: loss {sum(float(loss.detach()) for loss in losses) / len(losses):.4f}", flush=True)
    dist.barrier()
    dist.destroy_process_group()


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--plan", help="a plan of this module, by `partita plan -o`")
    options.add_argument("--workload", help="measure, write the workload here, and stop")
    options.add_argument("--steps", type=int, default=5)
    chosen = options.parse_args()
    if chosen.workload:
        module, x, _ = make()
        measure(module, x, chosen.workload)
    elif "RANK" in os.environ:
        if not chosen.plan:
            raise SystemExit("with torchrun, give a plan: --plan plan.json")
        train_with_torchrun(chosen.plan, chosen.steps)
    else:
        train_here(chosen.plan)


if __name__ == "__main__":
    main()
