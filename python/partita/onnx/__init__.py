# SPDX-License-Identifier: Apache-2.0
"""ONNX models: measured (`profile`), cut along plans (`split`), and optimised as a whole before that (`optimise`).

measurement = partita.onnx.profile("model.onnx", devices=2)
partita.onnx.split(measurement.model, "plan.json", "stages")
"""

from partita.lazy import lazy_names

_HOME = {  # name: the module that has it
    "optimise": "optimising",
    "profile": "profiling",
    "split": "splitting",
    "Measurement": "measurement",
    "plan_measured": "planning_seam",
}

__all__ = list(_HOME)
__getattr__, __dir__ = lazy_names(__name__, _HOME)
