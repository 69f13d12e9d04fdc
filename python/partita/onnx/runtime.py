# SPDX-License-Identifier: Apache-2.0
"""The packages onnx and onnxruntime, loaded when they are first needed, and sessions as measuring wants them."""

from __future__ import annotations

from pathlib import Path

from partita.errors import InputError, RunError, needs

LEVELS = ("none", "basic", "extended", "all")
CPU = "CPUExecutionProvider"


def onnx_package(what: str):
    try:
        import onnx
        import onnx.helper
    except ImportError:
        raise needs("onnx", what, extra="run") from None
    return onnx


def runtime_package(what: str):
    try:
        import onnxruntime
    except ImportError:
        raise needs("onnxruntime", what, extra="run") from None
    return onnxruntime


def check_providers(providers) -> list[str]:
    """The execution providers to use, the first one first; those that are not there are an error."""
    if providers is None:
        return [CPU]
    names = [providers] if isinstance(providers, str) else list(providers)
    there = runtime_package("measuring").get_available_providers()
    for name in names:
        if name not in there:
            raise InputError(f"providers: {name} is not in this ONNX Runtime, which has {', '.join(there)}; "
                             "install the package of ONNX Runtime that has it, or name another")
    return names if CPU in names else [*names, CPU]


def open_session(model, level: str = "none", threads: int = 1, providers: list | None = None,
                 optimized_model_filepath: str | None = None, dimensions: dict | None = None, entries: dict | None = None,
                 profile: str | None = None):
    """A session of ONNX Runtime that neither spins nor prints; `level` says how far it optimises the graph."""
    runtime = runtime_package("running a model")
    options = runtime.SessionOptions()
    levels = runtime.GraphOptimizationLevel
    options.graph_optimization_level = {
        "none": levels.ORT_DISABLE_ALL, "basic": levels.ORT_ENABLE_BASIC, "extended": levels.ORT_ENABLE_EXTENDED,
        "all": levels.ORT_ENABLE_ALL}[level]
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    for key, value in (entries or {}).items():
        options.add_session_config_entry(key, value)
    for name, extent in (dimensions or {}).items():
        options.add_free_dimension_override_by_name(name, extent)
    if optimized_model_filepath:
        options.optimized_model_filepath = optimized_model_filepath
    if profile:
        options.enable_profiling = True
        options.profile_file_prefix = profile
    try:
        return runtime.InferenceSession(str(model), options, providers=providers or [CPU])
    except Exception as error:  # ONNX Runtime has a class of its own for each of its codes
        first = str(error).strip().splitlines()[0]
        raise RunError(f"{Path(model)}: ONNX Runtime cannot open it: {first}") from None
