# SPDX-License-Identifier: Apache-2.0
"""The samples that go into a pipeline: given ones, one again and again, or random ones; each checked before it
enters."""

from __future__ import annotations

import itertools
from collections.abc import Mapping

from partita.dtypes import numpy_dtype
from partita.errors import InputError
from partita.pipeline import Pipeline, Tensor
from partita.running.rings import resolved_shape

_DEFAULT_SAMPLES = 100


class Feeds:
    """Iterates over checked samples, dicts of arrays.

    `constant`: the one sample that all are, or None. `count`: how many there are, None where only the end will tell.
    `dims`: sizes of open dimensions; `same_dims`: whether every sample has these.
    """

    def __init__(
        self, pipeline: Pipeline, inputs=None, samples: int | None = None, dims: dict | None = None, seed: int = 0
    ):
        if samples is not None and samples < 1:
            raise InputError(f"samples: found {samples}, expected at least 1")
        self._tensors = {tensor.name: tensor for tensor in pipeline.needed_inputs}
        self._optional = {tensor.name for tensor in pipeline.inputs if tensor.optional}
        self.dims = dict(dims or {})
        self.constant = None
        self.same_dims = False
        if inputs is None:
            inputs = random_sample(pipeline, self.dims, seed)
        if isinstance(inputs, Mapping):
            self.constant = self.checked(inputs, 0)
            self.same_dims = True
            self.dims |= _sizes(self._tensors.values(), self.constant)
            self.count = samples or _DEFAULT_SAMPLES
            self._samples = itertools.repeat(self.constant, self.count)
        else:
            try:
                self._samples = iter(inputs)
            except TypeError:
                raise InputError(
                    f"inputs: found {type(inputs).__name__}, expected a dict of arrays or an iterable of them"
                ) from None
            self.count = len(inputs) if hasattr(inputs, "__len__") else None
            if samples is not None:
                self.count = samples if self.count is None else min(samples, self.count)
                self._samples = itertools.islice(self._samples, samples)

    def __iter__(self):
        if self.constant is not None:
            yield from self._samples
            return
        for number, sample in enumerate(self._samples):
            yield self.checked(sample, number)

    def checked(self, sample, number: int) -> dict:
        """The sample as arrays, or the error that says what is wrong with it."""
        import numpy

        if not isinstance(sample, Mapping):
            raise InputError(f"sample {number}: found {type(sample).__name__}, expected a dict of arrays for "
                             f"{', '.join(self._tensors) or 'no inputs'}")
        if sample.keys() != self._tensors.keys():
            raise InputError(f"sample {number}: {self._wrong_names(sample)}")
        found = {}
        sizes = dict(self.dims) if self.same_dims else {}
        for name, tensor in self._tensors.items():
            array = found[name] = numpy.asarray(sample[name])
            if array.dtype != numpy_dtype(tensor.dtype) or not _fits(array.shape, tensor, sizes):
                raise InputError(
                    f"sample {number}: input {name}: found {array.dtype}[{','.join(map(str, array.shape))}], "
                    f"expected {numpy_dtype(tensor.dtype)}{tensor.described().partition(tensor.dtype)[2]}"
                    + _as_found(tensor, sizes)
                )
        return found

    def _wrong_names(self, sample) -> str:
        missing = [name for name in self._tensors if name not in sample]
        unknown = [str(name) for name in sample if name not in self._tensors]
        if missing:
            return f"the input {missing[0]} is missing; the model reads {', '.join(self._tensors)}"
        if unknown[0] in self._optional:
            return f"{unknown[0]} has a value in the model, which stages cannot be given anew; leave it out"
        return f"the model has no input {unknown[0]}; it reads {', '.join(self._tensors) or 'none'}"


def random_sample(pipeline: Pipeline, dims: dict | None = None, seed: int = 0) -> dict:
    """Random inputs of the model's types and shapes: normally distributed, integers 0 and 1. Open dimensions that
    `dims` does not have are 1."""
    import numpy

    generator = numpy.random.default_rng(seed)
    made = {}
    for tensor in pipeline.needed_inputs:
        if tensor.shape is None or None in tensor.shape and not tensor.static:
            raise InputError(
                f"the input {tensor.described()} has no known shape: random inputs cannot be made; give inputs"
            )
        sizes = {extent: (dims or {}).get(extent, 1) for extent in tensor.shape if isinstance(extent, str)}
        shape = resolved_shape(tensor, sizes)
        dtype = numpy_dtype(tensor.dtype)
        if tensor.dtype.startswith(("int", "uint", "bool")):
            made[tensor.name] = generator.integers(0, 2, shape).astype(dtype)
        else:
            made[tensor.name] = numpy.asarray(generator.standard_normal(shape)).astype(dtype)
    return made


def _fits(shape, tensor: Tensor, sizes: dict) -> bool:
    """Whether the shape is the tensor's; sizes of named dimensions are kept, and must be the same wherever they are
    named."""
    if tensor.shape is None:
        return True
    if len(shape) != len(tensor.shape):
        return False
    for found, expected in zip(shape, tensor.shape):
        if isinstance(expected, str):
            expected = sizes.setdefault(expected, found)
        if expected is not None and found != expected:
            return False
    return True


def _as_found(tensor: Tensor, sizes: dict) -> str:
    named = [
        f"{extent} = {sizes[extent]}" for extent in tensor.shape or () if isinstance(extent, str) and extent in sizes
    ]
    return f" with {', '.join(named)}" if named else ""


def _sizes(tensors, sample: dict) -> dict:
    sizes: dict = {}
    for tensor in tensors:
        _fits(sample[tensor.name].shape, tensor, sizes)
    return sizes
