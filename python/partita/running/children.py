# SPDX-License-Identifier: Apache-2.0
"""Processes of devices, as the one that starts them sees them: started, watched, ended."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import partita
from partita.errors import InputError, RunError

_PATIENCE = 2.0  # seconds until a process that was asked to end is ended
_TAIL = 4096  # bytes of what a process wrote that are looked at


class Child:
    """The process of a device. What it prints goes into anonymous memory, and is shown only if it fails."""

    def __init__(self, device: str, stages: list[int], spec: dict, descriptors: list[int]):
        self.device = device
        self.stages = stages
        self.ready = False
        self._heard = b""
        self._process = None
        self._control = self.status = self._printed = -1
        opened = []
        try:
            control_end, self._control = os.pipe()
            opened.append(control_end)
            self.status, status_end = os.pipe()
            opened.append(status_end)
            self._printed = os.memfd_create("partita-output", os.MFD_CLOEXEC)
            told = os.memfd_create("partita-stage", os.MFD_CLOEXEC)
            opened.append(told)
            spec = {**spec, "control": control_end, "status": status_end, "parent": os.getpid()}
            os.pwrite(told, json.dumps(spec).encode(), 0)
            os.set_blocking(self.status, False)
            self._process = subprocess.Popen(
                [sys.executable, "-m", "partita.running.stage_process", str(told)], stdin=subprocess.DEVNULL,
                stdout=self._printed, stderr=self._printed, pass_fds=[control_end, status_end, told, *descriptors],
                start_new_session=True,  # Ctrl-C reaches only the process that started it, which ends it
                env=_environment())
        except OSError as error:
            self.end()
            raise RunError(f"{self.described()}: its process cannot start: {error}") from None
        except BaseException:
            self.end()
            raise
        finally:
            for descriptor in opened:
                os.close(descriptor)

    def described(self) -> str:
        """For messages: `a100 0 (stage 0)`."""
        return f"{self.device} (stage{'s' if len(self.stages) > 1 else ''} {', '.join(map(str, self.stages))})"

    @property
    def pid(self) -> int:
        return self._process.pid

    def listen(self) -> None:
        """Takes in what the process reports; raises what it died of."""
        while True:
            try:
                found = os.read(self.status, 65536)
            except BlockingIOError:
                return
            if not found:
                raise self._death()
            self._heard += found
            *lines, self._heard = self._heard.split(b"\n")
            for line in lines:
                message = json.loads(line)
                if "error" in message:
                    kind = InputError if message["kind"] == "input" else RunError
                    raise kind(f"{self.described()}: {message['error']}")
                self.ready = True

    def waited_for_core(self) -> float | None:
        """Seconds in which the thread that computes could have run, but others had its core; None where Linux does
        not say."""
        try:
            return int(Path(f"/proc/{self.pid}/schedstat").read_text().split()[1]) / 1e9
        except (OSError, IndexError, ValueError):
            return None

    def ask_to_end(self) -> None:
        """Closes the control pipe, on which the process ends itself."""
        if self._control >= 0:
            os.close(self._control)
            self._control = -1

    def end(self) -> None:
        """Ends the process, if it does not end itself, and gives back what it took."""
        self.ask_to_end()
        if self._process is not None:
            try:
                self._process.wait(_PATIENCE)
            except BaseException as error:
                self._process.kill()
                self._process.wait()
                if not isinstance(error, subprocess.TimeoutExpired):  # a second Ctrl-C
                    raise
        for descriptor in (self.status, self._printed):
            if descriptor >= 0:
                os.close(descriptor)
        self.status = self._printed = -1

    def _death(self) -> RunError:
        try:
            code = self._process.wait(_PATIENCE)
        except subprocess.TimeoutExpired:  # it has closed its end, and still runs
            self._process.kill()
            code = self._process.wait()
        how = f"was ended by {_signal_name(-code)}" if code < 0 else f"has ended with code {code}"
        words = self.last_words()
        when = "" if self.ready else " before it could start"
        return RunError(
            f"{self.described()}: its process {how}{when}" + (f"; its last words: {words}" if words else "")
        )

    def last_words(self) -> str:
        """The last line that the process printed."""
        size = os.fstat(self._printed).st_size
        text = os.pread(self._printed, _TAIL, max(0, size - _TAIL)).decode(errors="replace")
        lines = [line.strip() for line in text.splitlines() if line.strip()]
        return lines[-1] if lines else ""


def end_all(children: list[Child]) -> None:
    """Asks all first, so that they end side by side."""
    for child in children:
        child.ask_to_end()
    for child in children:
        child.end()


def wait_until_ready(children: list[Child], poll, timeout: float) -> None:
    """Until all have loaded their stages; raises what the first one died of."""
    until = time.monotonic() + timeout
    while waiting := [child for child in children if not child.ready]:
        left = until - time.monotonic()
        if left <= 0:
            raise RunError(f"{waiting[0].described()}: its process has not loaded its stages in {timeout:.0f} s")
        poll.poll(left * 1000)
        for child in waiting:
            child.listen()


def python_path() -> str:
    """PYTHONPATH with this very package in reach."""
    home = str(Path(partita.__file__).resolve().parent.parent)
    return os.pathsep.join([home, *(path for path in [os.environ.get("PYTHONPATH")] if path)])


def _environment() -> dict:
    """This one's, with the package in reach, and without the threads that libraries like to start."""
    return {**os.environ, "PYTHONPATH": python_path(), "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}

def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
