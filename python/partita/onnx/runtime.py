# SPDX-License-Identifier: Apache-2.0
"""The packages onnx and onnxruntime, loaded when they are first needed, and sessions that optimise."""

from __future__ import annotations

from pathlib import Path

from partita.errors import InputError, RunError, needs
from partita.running.session import CPU, check_provider, onnxruntime_module

LEVELS = ("none", "basic", "extended", "all")
_ERRORS_ONLY = 3


def onnx_package(what: str):
    """The package onnx, or the error that says how to install it."""
    try:
        import onnx
        import onnx.helper
    except ImportError:
        raise needs("onnx", what, extra="run") from None
    return onnx


def load_model(path):
    """The model in a file, its external weights left where they are."""
    onnx = onnx_package("reading a model")
    path = Path(path)
    if not path.is_file():
        raise InputError(f"{path}: there is no such file; expected an ONNX model")
    try:
        model = onnx.load(path, load_external_data=False)
    except Exception as error:  # of the protocol buffers' own, which has no public name
        raise InputError(f"{path}: is no ONNX model: {' '.join(str(error).split())[:200]}") from None
    if not model.graph.node:
        raise InputError(f"{path}: is no ONNX model with nodes to run")
    return model


def provider_of(providers) -> str:
    """The execution provider to measure: the first one named, else the CPU's. All that are named must be there."""
    names = [CPU] if providers is None else [providers] if isinstance(providers, str) else list(providers)
    for name in names:
        check_provider(name)
    return names[0]


def open_session(
    model,
    level: str = "none",
    provider: str = CPU,
    save_as: str | None = None,
    dimensions: dict | None = None,
    entries: dict | None = None,
):
    """A session of ONNX Runtime on one thread that says nothing, of a file or of a model's bytes. `level`: how far it
    optimises the graph; `save_as`: where it saves what that made of it; `dimensions`: sizes of those that the model
    leaves open."""
    runtime = onnxruntime_module()
    options = runtime.SessionOptions()
    levels = runtime.GraphOptimizationLevel
    options.graph_optimization_level = {
        "none": levels.ORT_DISABLE_ALL,
        "basic": levels.ORT_ENABLE_BASIC,
        "extended": levels.ORT_ENABLE_EXTENDED,
        "all": levels.ORT_ENABLE_ALL,
    }[level]
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = _ERRORS_ONLY
    for key, value in (entries or {}).items():
        options.add_session_config_entry(key, value)
    for name, extent in (dimensions or {}).items():
        options.add_free_dimension_override_by_name(name, extent)
    if save_as:
        options.optimized_model_filepath = save_as
    try:
        content = model if isinstance(model, bytes) else str(model)
        return runtime.InferenceSession(content, options, providers=[provider] if provider == CPU else [provider, CPU])
    except Exception as error:  # ONNX Runtime has a type of its own for each of its codes
        label = "the model" if isinstance(model, bytes) else Path(model)
        raise RunError(f"{label}: ONNX Runtime cannot open it: {' '.join(str(error).split())[:300]}") from None
