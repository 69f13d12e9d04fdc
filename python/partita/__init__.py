# SPDX-License-Identifier: Apache-2.0
"""Splits neural networks over devices: optimally, with proof, and runs the split.

Names are loaded when they are first used. Planning needs the compiled module; measuring, cutting and running need only
model and plan files, so that a worker needs no solver.
"""

import importlib

_HOME = {  # name: the module that has it
    "Error": "errors",
    "Graph": "graph",
    "InputError": "errors",
    "MissingPackage": "errors",
    "Plan": "result",
    "Platform": "platform",
    "RunError": "errors",
    "Stage": "result",
    "check": "studies",
    "compare": "studies",
    "map": "many",
    "plan": "planning",
    "simulate": "studies",
    "sweep": "studies",
    "run": "running",
    "RunResult": "running",
}
_MODULES = ("onnx", "running", "torch")

__all__ = [*_HOME, *_MODULES]


def __getattr__(name):
    if name in _HOME:
        return getattr(importlib.import_module(f"partita.{_HOME[name]}"), name)
    if name in _MODULES:
        return importlib.import_module(f"partita.{name}")
    raise AttributeError(f"module 'partita' has no attribute '{name}'")


def __dir__():
    return sorted({*globals(), *__all__})
