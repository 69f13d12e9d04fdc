# SPDX-License-Identifier: Apache-2.0
"""What plans beside the package's own Python: the compiled module where it is there, else the program `partita`."""

from __future__ import annotations

import os
import shutil
import subprocess

from partita.errors import InputError, MissingPackage


def has_compiled() -> bool:
    """Whether the compiled module is there, and can be loaded."""
    try:
        import partita.compiled  # noqa: F401
    except MissingPackage:
        return False
    return True


def find_program(what: str) -> str:
    """The program that PARTITA names, or the one on the PATH; `what` is what needs it."""
    program = os.environ.get("PARTITA") or shutil.which("partita")
    if program is None:
        raise MissingPackage(f"{what} needs the program partita: it is not on the PATH, nor named by PARTITA")
    return program


def run_program(what: str, *arguments) -> str:
    """What the program prints. What it refuses is an InputError with its own words."""
    program = find_program(what)
    try:
        done = subprocess.run([program, *map(os.fspath, arguments)], capture_output=True, text=True, check=False)
    except OSError as error:
        why = error.strerror
        raise MissingPackage(f"{what} needs the program partita, but {program} cannot be run: {why}") from None
    if done.returncode != 0:
        words = " ".join(done.stderr.split()).removeprefix("partita: ")
        raise InputError(words or f"{program} {arguments[0]} has ended with code {done.returncode}")
    return done.stdout
