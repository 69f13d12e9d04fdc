# SPDX-License-Identifier: Apache-2.0
"""Processes that time models, each pinned to cores of its own; see timing_worker.py for what they are told.

    with Workers([[0], [1]]) as workers:
        workers.ask_all({"do": "load", ...})
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from partita.errors import InputError, RunError

_END_SECONDS = 10


def cores_for(devices: int, cores_per_device: int) -> list[list[int]]:
    """Cores for each device: neighbours, of those that this process may use."""
    if devices < 1 or cores_per_device < 1:
        raise InputError(f"devices: found {devices} of {cores_per_device} cores; expected at least one of one")
    there = sorted(os.sched_getaffinity(0))
    wanted = devices * cores_per_device
    if wanted > len(there):
        raise InputError(f"devices: {devices} of {cores_per_device} core(s) need {wanted} cores, but this process may use "
                         f"{len(there)}; ask for fewer")
    return [there[i * cores_per_device:(i + 1) * cores_per_device] for i in range(devices)]


class Workers:
    """One process for each list of cores. Leaving the `with` block ends them all."""

    def __init__(self, cores: list[list[int]]):
        self.cores = cores
        self._processes: list[subprocess.Popen] = []

    def __enter__(self) -> Workers:
        environment = dict(os.environ)
        package = str(Path(__file__).parents[2])
        environment["PYTHONPATH"] = os.pathsep.join(p for p in (package, environment.get("PYTHONPATH")) if p)
        try:
            for cores in self.cores:
                self._processes.append(subprocess.Popen(
                    [sys.executable, "-m", "partita.onnx.timing_worker", ",".join(map(str, cores))], env=environment,
                    stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True))
        except OSError as error:
            self.close()
            raise RunError(f"a process that times models cannot be started: {error}") from None
        return self

    def __exit__(self, *_) -> None:
        self.close()

    def close(self) -> None:
        for process in self._processes:
            process.stdin.close()
        for process in self._processes:
            try:
                process.wait(_END_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            process.stdout.close()
        self._processes = []

    def send(self, index: int, request: dict) -> None:
        process = self._processes[index]
        try:
            process.stdin.write(json.dumps(request) + "\n")
            process.stdin.flush()
        except OSError:
            raise self._died(index) from None

    def answer(self, index: int) -> dict:
        line = self._processes[index].stdout.readline()
        if not line:
            raise self._died(index)
        answer = json.loads(line)
        if "error" in answer:
            raise RunError(f"measuring on core(s) {_listed(self.cores[index])} failed: {answer['error']}")
        return answer

    def ask_all(self, requests: list[dict]) -> list[dict]:
        """Each of the first workers gets its request, all at once; their answers."""
        for index, request in enumerate(requests):
            self.send(index, request)
        return [self.answer(index) for index in range(len(requests))]

    def run(self, request: dict, count: int) -> list[list[dict]]:
        """Lets the first `count` workers run what they have loaded at the same time: for each, the result of each session."""
        answers = self.ask_all([request] * count)
        self.ask_all([{"do": "stop"}] * count)
        return [answer["results"] for answer in answers]

    def _died(self, index: int) -> RunError:
        code = self._processes[index].wait()
        how = f"was killed by signal {-code}" if code < 0 else f"ended with exit code {code}"
        return RunError(f"the process that measures on core(s) {_listed(self.cores[index])} {how}; is there enough memory?")


def _listed(cores: list[int]) -> str:
    return ", ".join(map(str, cores))
