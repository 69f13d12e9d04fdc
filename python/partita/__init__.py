# SPDX-License-Identifier: Apache-2.0
"""Splits neural networks over devices: optimally, with proof, and runs the split.

Names are loaded when they are first used. Planning needs the compiled module; measuring, cutting and running need only
model and plan files, so that a worker needs no solver.
"""

from partita.lazy import lazy_names

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
_MODULES = ("onnx", "running", "torch")  # not in __all__: `from partita import *` would load them

__all__ = list(_HOME)
__getattr__, __dir__ = lazy_names(__name__, _HOME, _MODULES)
