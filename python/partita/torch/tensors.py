# SPDX-License-Identifier: Apache-2.0
"""Bytes and words for tensors, lists of them, and what is none."""

from __future__ import annotations

_NAMES = {"float32": "fp32", "float64": "fp64", "float16": "fp16", "bfloat16": "bf16"}


def tensors_in(value) -> list:
    """The tensors of an operator's result."""
    if isinstance(value, (tuple, list)):
        return [one for part in value for one in tensors_in(part)]
    return [value] if hasattr(value, "dtype") else []


def bytes_of(value) -> int:
    """How large a result is: what moving it takes, whatever it is a view of."""
    return sum(int(one.numel()) * one.element_size() for one in tensors_in(value))


def text_of(value) -> str:
    """"fp32[8,128]"; several, with commas between them."""
    return ",".join(f"{dtype_name(one.dtype)}[{','.join(str(int(size)) for size in one.shape)}]"
                    for one in tensors_in(value))


def dtype_name(dtype) -> str:
    """Partita's name for a type: fp32, bf16, int64."""
    name = str(dtype).removeprefix("torch.")
    return _NAMES.get(name, name)
