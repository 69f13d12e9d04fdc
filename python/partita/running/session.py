# SPDX-License-Identifier: Apache-2.0
"""A stage in ONNX Runtime: pinned, without spinning threads, on buffers that somebody else owns.

    session = StageSession("stage_0.onnx", cores=[0])
    made = session.run({"x": x})                                 # a dict of new arrays
    bound = session.bind({"x": x}, {"y": y})                     # or: reads x and writes y where they lie
    bound.run()

Graph optimisation is off unless asked for: stages are parts of a model that was optimised before it was measured and
cut, and what runs must be what was measured.
"""

from __future__ import annotations

import ctypes
import os

from partita.dtypes import from_runtime_type, numpy_dtype, onnx_type
from partita.errors import InputError, RunError, needs
from partita.pipeline import Stage, Tensor

CPU = "CPUExecutionProvider"
_ERRORS_ONLY = 3  # of ONNX Runtime's levels of logging


def onnxruntime_module():
    """ONNX Runtime, or the error that says how to install it."""
    try:
        import onnxruntime
    except ImportError:
        raise needs("onnxruntime", "running stages", "run") from None
    return onnxruntime


def check_provider(provider: str) -> None:
    """Refuses an execution provider that this installation of ONNX Runtime does not have."""
    there = onnxruntime_module().get_available_providers()
    if provider not in there:
        raise InputError(f"the execution provider {provider} is not there; this installation of ONNX Runtime has "
                         f"{', '.join(there)}")


def pin_to(cores) -> None:
    """Keeps the calling thread, which computes too, on the first of the cores; the session's other threads take the
    rest."""
    os.sched_setaffinity(0, {cores[0]})


class StageSession:
    """One ONNX file, loaded. `cores`: as many threads as cores, the n-th on the n-th; the caller's thread is the
    first of them, and pins itself (`pin_to`). Without cores there are `threads` of them, anywhere."""

    def __init__(self, file, *, provider: str = CPU, provider_options: dict | None = None, threads: int = 1, cores=None,
                 optimize: bool = False, profile_prefix: str | None = None):
        onnxruntime = onnxruntime_module()
        check_provider(provider)
        options = onnxruntime.SessionOptions()
        options.log_severity_level = _ERRORS_ONLY
        options.intra_op_num_threads = len(cores) if cores else threads
        options.inter_op_num_threads = 1
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        options.add_session_config_entry("session.inter_op.allow_spinning", "0")
        if cores and len(cores) > 1:  # the caller's thread has no entry; ids of processors are from 1 on
            entries = ";".join(str(core + 1) for core in cores[1:])
            options.add_session_config_entry("session.intra_op_thread_affinities", entries)
        levels = onnxruntime.GraphOptimizationLevel
        options.graph_optimization_level = levels.ORT_ENABLE_ALL if optimize else levels.ORT_DISABLE_ALL
        if profile_prefix is not None:
            options.enable_profiling = True
            options.profile_file_prefix = profile_prefix
        providers = [(provider, provider_options or {})] + ([] if provider == CPU else [(CPU, {})])
        try:
            self.session = onnxruntime.InferenceSession(os.fspath(file), options, providers=providers)
        except Exception as error:  # ONNX Runtime has a type of its own for each of its codes
            raise RunError(f"{file}: ONNX Runtime cannot load it: {_one_line(error)}") from None
        if self.session.get_providers()[0] != provider:
            raise RunError(f"{file}: the execution provider {provider} could not start; ONNX Runtime fell back to "
                           f"{self.session.get_providers()[0]}")
        self.file = file
        self.inputs = [_tensor(value) for value in self.session.get_inputs()]
        self.outputs = [_tensor(value) for value in self.session.get_outputs()]

    def check_is(self, stage: Stage) -> None:
        """Refuses a file that does not read and make what pipeline.json says of it: it was changed since."""
        optional = {tensor.name for tensor in stage.inputs if tensor.optional}
        for what, found, expected in (
            ("reads", self.inputs, stage.needed_inputs),
            ("makes", self.outputs, stage.outputs),
        ):
            has = {tensor.name: tensor for tensor in found if tensor.name not in optional}
            says = {tensor.name: tensor for tensor in expected}
            if set(has) != set(says):
                raise InputError(f"{self.file}: {what} {', '.join(has) or 'nothing'}, but pipeline.json says "
                                 f"{', '.join(says) or 'nothing'}: the file was changed; split the model again")
            for name, tensor in says.items():
                if not _agree(has[name], tensor):
                    raise InputError(f"{self.file}: {what} {has[name].described()}, but pipeline.json says "
                                     f"{tensor.described()}: the file was changed; split the model again")

    def run(self, feeds: dict) -> dict:
        """Outputs by name, as new arrays. Inputs must have the right types and shapes."""
        import numpy

        bound = self.bind({name: numpy.ascontiguousarray(array) for name, array in feeds.items()}, {})
        bound.run()
        return {name: array.copy() for name, array in bound.results().items()}

    def bind(self, inputs: dict, outputs: dict) -> BoundRun:
        """Runs that read contiguous arrays and write into those given for outputs, whose shapes must be the results'.
        Outputs without an array are ONNX Runtime's own memory: `results()` shows them until the next run."""
        return BoundRun(self, inputs, outputs)


class BoundRun:
    """A session with its inputs and outputs, to run again and again. Keeps the arrays alive."""

    def __init__(self, session: StageSession, inputs: dict, outputs: dict):
        self._session = session.session._sess  # the wrapper around it costs time and adds only conversions
        binding = session.session.io_binding()
        self._binding = binding
        self._raw = binding._iobinding
        self._arrays = (inputs, outputs)
        self._outputs = session.outputs
        types = {tensor.name: tensor.dtype for tensor in (*session.inputs, *session.outputs)}
        for name, array in inputs.items():
            binding.bind_input(name, "cpu", 0, onnx_type(types[name]), array.shape, array.ctypes.data)
        for tensor in session.outputs:
            array = outputs.get(tensor.name)
            if array is None:
                binding.bind_output(tensor.name, "cpu", 0)
            else:
                binding.bind_output(
                    tensor.name, "cpu", 0, onnx_type(types[tensor.name]), array.shape, array.ctypes.data
                )
        self._elsewhere = None  # outputs that ONNX Runtime does not write where it was told to: known after a run

    def run(self) -> None:
        """Computes one sample."""
        self._session.run_with_iobinding(self._raw, None)
        if self._elsewhere is None:
            self._elsewhere = self._find_elsewhere()
        if self._elsewhere:
            values = self._binding.get_outputs()
            for position, target in self._elsewhere:
                target[...] = _view(values[position], self._outputs[position].dtype)

    def results(self) -> dict:
        """Views of all outputs of the last run."""
        values = self._binding.get_outputs()
        return {tensor.name: _view(value, tensor.dtype) for tensor, value in zip(self._outputs, values)}

    def _find_elsewhere(self) -> list:
        """An output that is an input or an initializer of the stage is not moved to the buffer bound for it."""
        found = []
        for position, (tensor, value) in enumerate(zip(self._outputs, self._binding.get_outputs())):
            target = self._arrays[1].get(tensor.name)
            if target is not None and target.nbytes and value.data_ptr() != target.ctypes.data:
                found.append((position, target))
        return found


def _view(value, dtype: str):
    """The memory of a tensor of ONNX Runtime's, as an array. Its own conversion copies, and does not know bf16."""
    import numpy

    kind = numpy_dtype(dtype)
    shape = value.shape()
    count = 1
    for extent in shape:
        count *= extent
    if count == 0:
        return numpy.empty(shape, kind)
    memory = (ctypes.c_byte * (count * kind.itemsize)).from_address(value.data_ptr())
    return numpy.frombuffer(memory, kind).reshape(shape)


def _tensor(value) -> Tensor:
    return Tensor(name=value.name, dtype=from_runtime_type(value.type), shape=tuple(value.shape), bytes=None)


def _agree(found: Tensor, said: Tensor) -> bool:
    if said.dtype and found.dtype and said.dtype != found.dtype:
        return False
    if found.shape is None or said.shape is None or not found.shape:  # ONNX Runtime shows no shape as an empty one
        return True
    fixed = [(a, b) for a, b in zip(found.shape, said.shape) if isinstance(a, int) and isinstance(b, int)]
    return len(found.shape) == len(said.shape) and all(a == b for a, b in fixed)


def _one_line(error) -> str:
    return " ".join(str(error).split())
