# SPDX-License-Identifier: Apache-2.0
"""Many questions at once: on all cores, on any executor of concurrent.futures, or on a cluster of Ray."""

from __future__ import annotations

import concurrent.futures
import dataclasses
import json
import multiprocessing
import os
from typing import Any, Iterable, Mapping

from partita.errors import InputError, needs
from partita.planning import plan

_IN_PROCESS = ("callback", "progress")  # arguments that mean nothing where somebody else searches


@dataclasses.dataclass(frozen=True)
class Answer:
    """A plan as it comes back from another process: what is known of it, and its text."""

    question: dict[str, Any]
    status: str
    value: float
    bound: float
    gap: float
    unit: str
    ended: str
    seconds: float
    json: str

    def to_dict(self) -> dict[str, Any]:
        """The plan as a dict (docs/formats.md)."""
        return json.loads(self.json)

    def save(self, path: str | os.PathLike) -> None:
        """Writes the plan as `partita plan -o` does."""
        from partita.result import write_text

        write_text(path, self.json)


def answer(question: Mapping[str, Any]) -> Answer:
    """One question, wherever this runs."""
    found = plan(**question, progress=False)
    return Answer(
        question=dict(question),
        status=found.status,
        value=found.value,
        bound=found.bound,
        gap=found.gap,
        unit=found.unit,
        ended=found.ended,
        seconds=found.seconds,
        json=found.to_json(),
    )


def _checked(questions: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    checked = []
    for number, question in enumerate(questions):
        if not isinstance(question, Mapping) or "graph" not in question:
            raise InputError(f"questions[{number}]: found {question!r}; expected arguments of plan, with 'graph'")
        for argument in _IN_PROCESS:
            if argument in question:
                raise InputError(f"questions[{number}]: {argument} is not for what others answer; leave it out")
        checked.append(dict(question))
    return checked


def _on_ray(questions: list[dict[str, Any]]) -> list[Any]:
    try:
        import ray
    except ImportError:
        raise needs("ray", 'partita.map(executor="ray")', "ray") from None
    if not ray.is_initialized():
        ray.init()
    task = ray.remote(answer)
    waiting = [task.options(num_cpus=question.get("threads", 1)).remote(question) for question in questions]
    results = []
    for one in waiting:
        try:
            results.append(ray.get(one))
        except ray.exceptions.RayTaskError as error:
            results.append(error.cause if isinstance(error.cause, Exception) else error)
        except ray.exceptions.RayError as error:
            results.append(error)
    return results


def _on_executor(questions: list[dict[str, Any]], executor: concurrent.futures.Executor) -> list[Any]:
    futures = [executor.submit(answer, question) for question in questions]
    try:
        concurrent.futures.wait(futures)
    except BaseException:  # Ctrl-C: what has not begun is not begun
        for future in futures:
            future.cancel()
        raise
    return [future.exception() or future.result() for future in futures]


def map(  # noqa: A001: partita.map, as the map of executors
    questions: Iterable[Mapping[str, Any]],
    executor: concurrent.futures.Executor | str | None = None,
    workers: int | None = None,
    errors: str = "raise",
) -> list[Answer | Exception]:
    """Answers many questions, each a dict of arguments of `plan`, and returns the answers in their order.

    Without `executor`, processes on this machine search side by side, `workers` of them (default: one for each core).
    Else an executor of concurrent.futures, or "ray". `errors`: "raise" raises the first error once all have been
    answered; "return" puts it in the place of the answer.

    >>> questions = [{"graph": "model.json", "platform": f"{n}xa100"} for n in (1, 2, 4)]
    >>> answers = partita.map(questions)                                              # doctest: +SKIP
    """
    if errors not in ("raise", "return"):
        raise InputError(f"errors: found {errors!r}; expected 'raise' or 'return'")
    asked = _checked(questions)
    if executor == "ray":
        results = _on_ray(asked)
    elif isinstance(executor, str):
        raise InputError(f"executor: found {executor!r}; expected 'ray', an executor of concurrent.futures, or None")
    elif executor is not None:
        results = _on_executor(asked, executor)
    else:
        count = min(workers or len(os.sched_getaffinity(0)), max(len(asked), 1))
        context = multiprocessing.get_context("spawn")  # a fork would copy threads that hold locks
        with concurrent.futures.ProcessPoolExecutor(count, mp_context=context) as pool:
            results = _on_executor(asked, pool)
    if errors == "raise":
        for result in results:
            if isinstance(result, BaseException):
                raise result
    return results
