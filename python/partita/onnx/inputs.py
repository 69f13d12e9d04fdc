# SPDX-License-Identifier: Apache-2.0
"""What a model is given when it is measured: the caller's arrays, or made-up ones of the right types and sizes."""

from __future__ import annotations

from dataclasses import dataclass, field

from partita.errors import InputError
from partita.onnx.runtime import load_model, onnx_package
from partita.running.session import onnxruntime_module


@dataclass(frozen=True)
class Feeds:
    """Arrays by name, and the sizes that they give to the model's named dimensions."""

    arrays: dict
    dimensions: dict = field(default_factory=dict)

    def values(self) -> dict:
        """The same as values of ONNX Runtime."""
        runtime = onnxruntime_module()
        return {name: runtime.OrtValue.ortvalue_from_numpy(array) for name, array in self.arrays.items()}

    def save(self, path) -> None:
        """One file of all arrays; names of inputs may be anything, so the file counts them."""
        import numpy as np

        np.savez(
            path, names=np.array(list(self.arrays)), **{f"array_{i}": a for i, a in enumerate(self.arrays.values())}
        )

    @staticmethod
    def read(path) -> Feeds:
        import numpy as np

        with np.load(path) as file:
            return Feeds({str(name): file[f"array_{i}"] for i, name in enumerate(file["names"])})


def feeds_for(model, inputs: dict | None = None, dims: dict | None = None, seed: int = 1) -> Feeds:
    """Inputs of `model`: those of `inputs`, checked, and random ones for the rest.

    Floating-point inputs are normally distributed. Integers are 0 and 1, as what they mean (tokens, masks, places) is
    not known, and those are in range almost everywhere.
    """
    import numpy as np

    onnx = onnx_package("reading a model's inputs")
    proto = load_model(model)
    has_value = {tensor.name for tensor in proto.graph.initializer}
    wanted = {value.name: value for value in proto.graph.input if value.name not in has_value}
    given = dict(inputs or {})
    for name in given:
        if name not in wanted:
            raise InputError(f"inputs: {name!r} is no input of {model}, whose inputs are {', '.join(wanted) or 'none'}")
    numbers = np.random.default_rng(seed)
    arrays, sizes = {}, dict(dims or {})
    named = {d.dim_param for value in wanted.values() for d in value.type.tensor_type.shape.dim if d.dim_param}
    for name in sizes:
        if name not in named:
            raise InputError(
                f"dims: {name!r} is no dimension of {model}, whose dimensions are {', '.join(sorted(named)) or 'none'}"
            )
    for name, array in given.items():  # they say what open dimensions are
        array = given[name] = np.asarray(array)
        _check(name, array, wanted[name], sizes, onnx)
    for name, value in wanted.items():
        if name in given:
            arrays[name] = np.ascontiguousarray(given[name])
            continue
        if not value.type.HasField("tensor_type"):
            raise InputError(f"inputs: {name!r} of {model} is no tensor; give it a value")
        shape = [
            d.dim_value if d.HasField("dim_value") else sizes.setdefault(d.dim_param, 1) if d.dim_param else 1
            for d in value.type.tensor_type.shape.dim
        ]
        arrays[name] = _made_up(shape, onnx.helper.tensor_dtype_to_np_dtype(value.type.tensor_type.elem_type), numbers)
    return Feeds(arrays, sizes)


def _made_up(shape, dtype, numbers):
    import numpy as np

    if dtype.kind == "b":
        return np.ones(shape, dtype)
    if dtype.kind in "iu":
        return numbers.integers(0, 2, shape).astype(dtype)
    if dtype.kind == "O":
        return np.full(shape, "", dtype)
    return numbers.standard_normal(shape).astype(dtype)


def _check(name, array, value, sizes, onnx) -> None:
    """The type and the known extents of an input; open ones are learnt from it."""
    wanted = value.type.tensor_type
    dtype = onnx.helper.tensor_dtype_to_np_dtype(wanted.elem_type)
    if array.dtype != dtype:
        raise InputError(f"inputs: {name!r} is of {array.dtype}; expected {dtype}")
    if not wanted.HasField("shape"):
        return
    dimensions = wanted.shape.dim
    expected = [
        d.dim_value if d.HasField("dim_value") else sizes.get(d.dim_param, d.dim_param or "?") for d in dimensions
    ]
    fits = len(dimensions) == array.ndim and all(
        not isinstance(e, int) or e == found for e, found in zip(expected, array.shape)
    )
    if not fits:
        raise InputError(
            f"inputs: {name!r} has the shape {list(array.shape)}; expected [{', '.join(map(str, expected))}]"
        )
    for dimension, found in zip(dimensions, array.shape):
        if dimension.dim_param:
            sizes[dimension.dim_param] = found
