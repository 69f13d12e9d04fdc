# SPDX-License-Identifier: Apache-2.0
"""Errors of Ray's, told apart: losses of actors, nodes and objects, after which work is done again; and all else, which
would come again."""

from __future__ import annotations

from partita.errors import Error, RunError


def is_loss(ray, error) -> bool:
    """Whether an actor, a node or an object went."""
    exceptions = ray.exceptions
    return not getattr(error, "actor_init_failed", False) and isinstance(error, (
        exceptions.RayActorError, exceptions.ObjectLostError, exceptions.NodeDiedError, exceptions.WorkerCrashedError,
        exceptions.OutOfMemoryError))


def losses_among(ray, references: list) -> list:
    """The losses that are known by now. Others show later."""
    done, _ = ray.wait(references, num_returns=len(references), timeout=0, fetch_local=False)
    losses = []
    for reference in done:
        try:
            ray.get(reference)
        except ray.exceptions.RayError as error:
            if is_loss(ray, error):
                losses.append(error.with_traceback(None))
    return losses


def own_words(error) -> Error:
    """The error that an actor raised, without Ray's wrapping."""
    cause = getattr(error, "cause", None) or error
    if isinstance(cause, Error):
        return type(cause)(str(cause))
    lines = [line.strip() for line in str(cause).splitlines() if line.strip()]
    if getattr(error, "actor_init_failed", False):  # above are the calls that led there
        return RunError(f"an actor cannot start on its node: {lines[-1]}; every node needs the package: "
                        'pip install "partita[run]"')
    return RunError(f"Ray: {type(cause).__name__}: {' '.join(lines)[:2000]}")
