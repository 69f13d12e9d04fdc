# SPDX-License-Identifier: Apache-2.0
"""Types of tensors: Partita's names for them, and what NumPy, ONNX and ONNX Runtime call them."""

from partita.errors import InputError

# Our name: NumPy's, ONNX's number (TensorProto.DataType), ONNX Runtime's name. bf16 is no type of NumPy's own.
_TYPES = {
    "fp32": ("float32", 1, "float"),
    "fp64": ("float64", 11, "double"),
    "fp16": ("float16", 10, "float16"),
    "bf16": ("bfloat16", 16, "bfloat16"),
    "int64": ("int64", 7, "int64"),
    "int32": ("int32", 6, "int32"),
    "int16": ("int16", 5, "int16"),
    "int8": ("int8", 3, "int8"),
    "uint64": ("uint64", 13, "uint64"),
    "uint32": ("uint32", 12, "uint32"),
    "uint16": ("uint16", 4, "uint16"),
    "uint8": ("uint8", 2, "uint8"),
    "bool": ("bool", 9, "bool"),
    "complex64": ("complex64", 14, "complex64"),
    "complex128": ("complex128", 15, "complex128"),
}


def can_be_passed_on(name: str | None) -> bool:
    """Whether tensors of this type are plain memory: text, sequences and types of less than a byte are not."""
    return name in _TYPES


def numpy_dtype(name: str):
    """The NumPy type of "fp32", "int64", ...

    >>> numpy_dtype("fp32")
    dtype('float32')
    """
    import numpy

    if name not in _TYPES:
        raise InputError(f"the type {name} cannot be passed between stages; those that can are {', '.join(_TYPES)}")
    if name == "bf16":
        import ml_dtypes  # comes with the package onnx

        return numpy.dtype(ml_dtypes.bfloat16)
    return numpy.dtype(_TYPES[name][0])


def onnx_type(name: str) -> int:
    """The number that ONNX files have for a type."""
    return _TYPES[name][1]


def from_onnx_type(number: int) -> str | None:
    """Our name for a number of ONNX files, None where it is no type that can be passed on."""
    return next((name for name, row in _TYPES.items() if row[1] == number), None)


def from_runtime_type(text: str) -> str | None:
    """Our name for what ONNX Runtime calls "tensor(float)"; None where it is no type that can be passed on."""
    return next((name for name, row in _TYPES.items() if f"tensor({row[2]})" == text), None)
