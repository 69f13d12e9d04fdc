# SPDX-License-Identifier: Apache-2.0
"""The program `partita`, for what the package leaves to it."""

from __future__ import annotations

import os
import shutil
import subprocess

from partita.errors import InputError, MissingPackage


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
