# SPDX-License-Identifier: Apache-2.0
"""ONNX models: measured (`profile`), cut along plans (`split`), and optimised as a whole before that (`optimise`).

measurement = partita.onnx.profile("model.onnx", devices=2)
partita.onnx.split(measurement.model, "plan.json", "stages")
"""

import importlib

_HOME = {
    "optimise": "optimising",
    "profile": "profiling",
    "split": "splitting",
    "Measurement": "measurement",
    "plan_measured": "planning_seam",
}

__all__ = list(_HOME)


def __getattr__(name):
    if name in _HOME:
        return getattr(importlib.import_module(f"partita.onnx.{_HOME[name]}"), name)
    raise AttributeError(f"module 'partita.onnx' has no attribute '{name}'")


def __dir__():
    return sorted({*globals(), *__all__})
