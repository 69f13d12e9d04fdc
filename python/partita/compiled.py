# SPDX-License-Identifier: Apache-2.0
"""The compiled module, with an error that says what to do where it is not there."""

from partita.errors import MissingPackage

try:
    from partita import _partita as library
except ImportError as error:
    raise MissingPackage(
        f"planning needs the compiled module of partita, which cannot be loaded ({error}): pip install partita, "
        "or ./dev python in a clone"
    ) from error

__all__ = ["library"]
