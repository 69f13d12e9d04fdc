# SPDX-License-Identifier: Apache-2.0
"""PyTorch modules: measured operator by operator, and cut into the stages of a plan.

    import partita.torch

    partita.torch.profile(module, (tokens,)).save("workload.json")  # then: partita plan workload.json -o plan.json
    parts = partita.torch.stages(module, (tokens,), "plan.json")    # one nn.Module for each stage

Needs the package torch, 2.4 or later, and no compiled module of Partita's.
"""

import importlib

from partita.torch.package import torch_package

_HOME = {  # name: the module that has it
    "capture": "capturing",
    "profile": "measuring",
    "stages": "cutting",
    "run_chain": "cutting",
    "split_policy": "pipelining",
    "pipeline_stage": "pipelining",
    "run_pipeline": "launching",
}

__all__ = list(_HOME)


def __getattr__(name):
    if name in _HOME:
        torch_package(f"partita.torch.{name}")
        return getattr(importlib.import_module(f"partita.torch.{_HOME[name]}"), name)
    raise AttributeError(f"module 'partita.torch' has no attribute '{name}'")


def __dir__():
    return sorted({*globals(), *__all__})
