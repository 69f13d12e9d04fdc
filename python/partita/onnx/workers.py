# SPDX-License-Identifier: Apache-2.0
"""Processes that time models, each pinned to cores of its own; see timing_worker.py for what they are told.

with Workers(place_devices(["core 0", "core 1"])) as workers:
    workers.ask_all({"do": "load", ...})
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from partita.errors import RunError
from partita.running.devices import Device

_END_SECONDS = 10


class Workers:
    """One process for each device. Leaving the `with` block ends them all."""

    def __init__(self, devices: list[Device]):
        self.devices = devices
        self._processes: list[subprocess.Popen] = []

    def __enter__(self) -> Workers:
        environment = dict(os.environ)
        package = str(Path(__file__).parents[2])
        environment["PYTHONPATH"] = os.pathsep.join(p for p in (package, environment.get("PYTHONPATH")) if p)
        try:
            for device in self.devices:
                said = {
                    "cores": list(device.cores),
                    "provider": device.provider,
                    "provider_options": device.provider_options,
                }
                self._processes.append(
                    subprocess.Popen(
                        [sys.executable, "-m", "partita.onnx.timing_worker", json.dumps(said)],
                        env=environment,
                        stdin=subprocess.PIPE,
                        stdout=subprocess.PIPE,
                        text=True,
                    )
                )
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
            raise RunError(f"measuring on {self.devices[index].name} failed: {answer['error']}")
        return answer

    def ask_all(self, requests: list[dict]) -> list[dict]:
        """Each of the first workers gets its request, all at once; their answers."""
        for index, request in enumerate(requests):
            self.send(index, request)
        return [self.answer(index) for index in range(len(requests))]

    def run(self, request: dict, count: int) -> list[list[dict]]:
        """Lets the first `count` workers run what they have loaded at the same time: for each, results by session."""
        answers = self.ask_all([request] * count)
        self.ask_all([{"do": "stop"}] * count)
        return [answer["results"] for answer in answers]

    def _died(self, index: int) -> RunError:
        code = self._processes[index].wait()
        how = f"was killed by signal {-code}" if code < 0 else f"ended with exit code {code}"
        return RunError(f"the process that measures on {self.devices[index].name} {how}; is there enough memory?")
