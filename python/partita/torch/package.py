# SPDX-License-Identifier: Apache-2.0
"""The package torch, which may be missing or too old."""

from __future__ import annotations

from partita.errors import MissingPackage, needs

OLDEST = (2, 4)


def torch_package(what: str, oldest: tuple[int, int] = OLDEST):
    """The module torch; `what` says who needs it, `oldest` from which version on."""
    try:
        import torch
    except ImportError:
        raise needs("torch", what) from None
    if version(torch) < oldest:
        raise MissingPackage(f"{what} needs torch {oldest[0]}.{oldest[1]} or later, but {torch.__version__} is "
                             "installed: pip install --upgrade torch")
    return torch


def version(torch) -> tuple[int, int]:
    """(2, 8) of "2.8.0+cu128"."""
    major, minor = torch.__version__.split(".")[:2]
    return int(major), int(minor)
