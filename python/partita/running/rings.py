# SPDX-License-Identifier: Apache-2.0
"""Rings of slots in anonymous shared memory, through which tensors pass between processes without being copied.

Each stage has a ring, and so has the process that feeds the pipeline (for the model's inputs). A slot holds all
outputs of its stage for one sample, at fixed offsets; sample s is in slot s modulo the window, in every ring. As at
most `window` samples are in flight (local.py sees to that), whoever comes to a slot finds it free: no one waits for
space.

The memory is a memfd: it has no name in any file system, and is gone when the last process that has it open is gone,
also after SIGKILL.

A tensor of open shape has a header with the sample's shape in front of it, and space for the largest one reserved.
"""

from __future__ import annotations

import mmap
import os
import struct
from dataclasses import dataclass

from partita.dtypes import can_be_passed_on, numpy_dtype
from partita.errors import InputError, RunError
from partita.pipeline import Pipeline, Tensor

FEEDER = -1  # in place of a stage's number: who hands over the model's inputs

_LINE = 64  # bytes: tensors begin on cache lines of their own
_PAGE = 4096
_MOST_AXES = 15
_HEADER = struct.Struct(f"<{1 + _MOST_AXES}q")  # the number of axes, then their extents


@dataclass(frozen=True)
class Place:
    """Where a tensor lies: at `offset` of the memory for slot 0, and `stride` further for each next slot."""

    name: str
    dtype: str
    shape: tuple[int, ...] | None  # None: each sample has its own
    capacity: int  # bytes
    offset: int
    stride: int


def _rounded(size: int, to: int) -> int:
    return -(-size // to) * to


def resolved_shape(tensor: Tensor, dims: dict) -> tuple[int, ...] | None:
    """The shape with sizes of open dimensions put in; None where one is not known."""
    if tensor.shape is None:
        return None
    shape = tuple(dims.get(extent) if isinstance(extent, str) else extent for extent in tensor.shape)
    return None if None in shape else shape


def _bytes_of(shape, dtype: str) -> int:
    count = 1
    for extent in shape:
        count *= extent
    return count * numpy_dtype(dtype).itemsize


def check_can_pass(tensor: Tensor, whose: str) -> None:
    """Refuses text, sequences and types of less than a byte."""
    if tensor.sequence or not can_be_passed_on(tensor.dtype):
        raise InputError(
            f"{whose} hands over {tensor.described()}: only tensors of numbers can pass between stages; "
            "plan again with the nodes that make and read it kept together"
        )


class Layout:
    """Where everything is in the memory: rings of all stages, and whatever else is asked for with `reserve`."""

    def __init__(self, pipeline: Pipeline, window: int, dims: dict, same_dims: bool):
        """`dims`: sizes of open dimensions; `same_dims`: every sample has these, else they are the largest ones."""
        self.window = window
        self.size = 0
        self.places: dict[tuple[int, str], Place] = {}  # by maker and name
        self._dims, self._same = dims, same_dims
        self._add_ring(FEEDER, pipeline.needed_inputs, "the model")
        for stage in pipeline.stages:
            self._add_ring(stage.index, stage.outputs, f"stage {stage.index}")

    def reserve(self, size: int) -> int:
        """The offset of so many bytes more."""
        offset = self.size
        self.size += _rounded(size, _PAGE)
        return offset

    def _add_ring(self, maker: int, tensors: tuple[Tensor, ...], whose: str) -> None:
        inside = []
        stride = 0
        for tensor in tensors:
            shape, capacity = self._space_for(tensor, whose)
            inside.append((tensor, shape, capacity, stride))
            stride += _rounded(capacity + (_HEADER.size if shape is None else 0), _LINE)
        stride = _rounded(stride, _PAGE)
        base = self.reserve(stride * self.window)
        for tensor, shape, capacity, offset in inside:
            self.places[maker, tensor.name] = Place(tensor.name, tensor.dtype, shape, capacity, base + offset, stride)

    def _space_for(self, tensor: Tensor, whose: str):
        check_can_pass(tensor, whose)
        if tensor.shape is not None and len(tensor.shape) > _MOST_AXES:
            raise InputError(
                f"{whose} hands over {tensor.described()}: at most {_MOST_AXES} axes can pass between stages"
            )
        shape = resolved_shape(tensor, self._dims)
        if shape is not None:
            capacity = _bytes_of(shape, tensor.dtype)
            return (shape if self._same or tensor.static else None), capacity
        if tensor.bytes is None:
            raise InputError(
                f"{whose} hands over {tensor.described()}: how large it can be is not known; give the sizes of "
                "open dimensions: dims={...}, --dim NAME=SIZE"
            )
        return None, tensor.bytes


class SharedMemory:
    """Anonymous memory, made or, given a file descriptor, opened."""

    def __init__(self, size: int, descriptor: int | None = None):
        self.size = max(size, _PAGE)
        if descriptor is None:
            _check_fits(self.size)
            descriptor = os.memfd_create("partita", os.MFD_CLOEXEC)
            os.ftruncate(descriptor, self.size)
        self.descriptor = descriptor
        self.map = mmap.mmap(descriptor, self.size)

    def close(self) -> None:
        """Gives it back, as far as no array shows it any more."""
        if self.descriptor >= 0:
            os.close(self.descriptor)
            self.descriptor = -1
        try:
            self.map.close()
        except BufferError:
            pass  # goes with the last array that shows it


def _check_fits(size: int) -> None:
    with open("/proc/meminfo", encoding="ascii") as file:
        available = next((int(line.split()[1]) * 1024 for line in file if line.startswith("MemAvailable:")), None)
    if available is not None and size > 0.9 * available:
        raise InputError(
            f"the tensors in flight take {size / 2**20:.0f} MiB, but only {available / 2**20:.0f} MiB of memory are "
            "free; give a smaller window"
        )


class SlotTensor:
    """A tensor in all slots of its ring."""

    def __init__(self, memory: SharedMemory, place: Place, window: int):
        import numpy

        self._numpy = numpy
        self.place = place
        self.name = place.name
        self.dtype = numpy_dtype(place.dtype)
        self.static = place.shape is not None
        self._map, self._window = memory.map, window
        if self.static:
            self._views = [self._array(slot, place.shape) for slot in range(window)]

    def view(self, slot: int):
        """What lies in the slot, where it lies."""
        if self.static:
            return self._views[slot]
        rank, *extents = _HEADER.unpack_from(self._map, self._start(slot))
        return self._array(slot, extents[:rank])

    def space(self, slot: int, shape):
        """Where a tensor of this shape is to be written in the slot."""
        if self.static:
            return self._views[slot]
        size = _bytes_of(shape, self.place.dtype)
        if size > self.place.capacity:
            raise RunError(
                f"{self.name} of shape {list(shape)} takes {size} bytes, but {self.place.capacity} are reserved; give "
                "the largest sizes of open dimensions: dims={...}, --dim NAME=SIZE"
            )
        unused = (0,) * (_MOST_AXES - len(shape))
        _HEADER.pack_into(self._map, self._start(slot), len(shape), *shape, *unused)
        return self._array(slot, shape)

    def _start(self, slot: int) -> int:
        return self.place.offset + slot * self.place.stride

    def _array(self, slot: int, shape):
        start = self._start(slot) + (0 if self.static else _HEADER.size)
        count = 1
        for extent in shape:
            count *= extent
        if count == 0:
            return self._numpy.empty(shape, self.dtype)
        return self._numpy.frombuffer(self._map, self.dtype, count, start).reshape(shape)
