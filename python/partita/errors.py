# SPDX-License-Identifier: Apache-2.0
"""What can go wrong: one clear line each, as the command line says it."""


class Error(Exception):
    """Anything that Partita refuses or fails at."""


class InputError(Error, ValueError):
    """What was given is wrong: a file, a field, an option. Nothing was run."""


class MissingPackage(Error, ImportError):
    """A package that this needs is not installed; the message says how to install it."""


class RunError(Error, RuntimeError):
    """A pipeline could not start, or broke while it ran."""


def input_error(text, kind=2):
    """The exception for an input that the library refuses; `kind` is the exit code of the command line for it."""
    error = InputError(text.replace("`partita platforms` lists", "Platform.presets() lists"))
    error.kind = kind
    return error


def needs(package, what, extra=None):
    """The error for a package that `what` needs and that is not there."""
    how = f'pip install "partita[{extra}]"' if extra else f"pip install {package}"
    return MissingPackage(f"{what} needs the package {package}: {how}")
