# SPDX-License-Identifier: Apache-2.0
"""The process of one device: `python -m partita.running.stage_process DESCRIPTOR`, started by local.py, which hands
over file descriptors and, in the file behind DESCRIPTOR, what to do with them as JSON.

It ends when the process that started it closes its end of the control pipe, or is gone. Results and stamps are in
shared memory by then, so there is nothing to put in order.
"""

from __future__ import annotations

import json
import os
import select
import sys
import threading
import time

from partita.errors import Error, InputError
from partita.pipeline import Stage, Tensor
from partita.running.rings import Place, SharedMemory, SlotTensor
from partita.running.stamps import StampWriter
from partita.running.wiring import Arrivals, Posts

_LOOK_FOR_PARENT = 2000  # ms: in case a third process holds the control pipe open


def end_with_parent(control: int, parent: int) -> None:
    """Watches from a thread of its own, which sleeps, as the main thread may be deep in a computation."""

    def watch():
        poll = select.poll()
        poll.register(control, select.POLLIN)
        while not poll.poll(_LOOK_FOR_PARENT):
            if os.getppid() != parent:
                break
        os._exit(0)

    threading.Thread(target=watch, daemon=True).start()


class StageTask:
    """One stage in this process: what it reads, runs and writes, sample by sample."""

    def __init__(self, spec: dict, memory: SharedMemory, window: int, session):
        self.window = window
        self.session = session
        self.inputs = [SlotTensor(memory, _place(one), window) for one in spec["inputs"]]
        self.outputs = [SlotTensor(memory, _place(one), window) for one in spec["outputs"]]
        self.arrivals = Arrivals(spec["waits"])
        self.posts = Posts(spec["posts"])
        self.stamps = StampWriter(memory.map, spec["stamps_offset"], spec["stamps_rows"])
        self.sample = spec["copy"]
        self.step = spec["copies"]
        self.static = all(tensor.static for tensor in (*self.inputs, *self.outputs))
        self._bound = [None] * window

    def bound(self, slot: int):
        """The session on the tensors of a slot. Where shapes are fixed it is bound once; else each time, to the
        shapes that are there, and outputs of open shape stay in ONNX Runtime's memory at first."""
        found = self._bound[slot]
        if found is None:
            found = self.session.bind({one.name: one.view(slot) for one in self.inputs},
                                      {one.name: one.view(slot) for one in self.outputs if one.static})
            if self.static:
                self._bound[slot] = found
        return found

    def run_next(self, began: int) -> None:
        """Runs the next sample, whose inputs are there."""
        clock = time.monotonic_ns
        ready = clock()
        slot = self.sample % self.window
        bound = self.bound(slot)
        computing = clock()
        bound.run()
        computed = clock()
        if not self.static:
            self._move_open_outputs(bound, slot)
        self.posts.tell(self.sample)
        self.stamps.write(self.sample, began, ready, computing, computed, clock())
        self.sample += self.step

    def _move_open_outputs(self, bound, slot: int) -> None:
        results = bound.results()
        for one in self.outputs:
            if not one.static:
                found = results[one.name]
                one.space(slot, found.shape)[...] = found


def run_one(task: StageTask) -> None:
    """A device with one stage sleeps in the counter that it waits for."""
    clock, wait, run_next = time.monotonic_ns, task.arrivals.wait, task.run_next
    while True:
        began = clock()
        wait(task.sample)
        run_next(began)


def run_several(tasks: list[StageTask]) -> None:
    """A device with several stages runs whichever is ready, the oldest sample first, so that samples leave early."""
    poll = select.poll()
    arrivals = {}
    for task in tasks:
        for descriptor in task.arrivals.descriptors:
            arrivals[descriptor] = task.arrivals
            poll.register(descriptor, select.POLLIN)
    began = time.monotonic_ns()
    while True:
        for descriptor, _ in poll.poll(0):
            arrivals[descriptor].absorb(descriptor)
        for task in sorted(tasks, key=lambda task: task.sample):
            if task.arrivals.take(task.sample):
                task.run_next(began)
                began = time.monotonic_ns()
                break
        else:
            poll.poll()


def _place(fields: dict) -> Place:
    shape = fields.pop("shape")
    return Place(shape=None if shape is None else tuple(shape), **fields)


def _tensors(rows: list[dict]) -> tuple[Tensor, ...]:
    return tuple(Tensor(**{**row, "shape": None if row["shape"] is None else tuple(row["shape"])}) for row in rows)


def load_tasks(spec: dict) -> list[StageTask]:
    """Sessions and memory, all that takes time, before the first sample."""
    from partita.running.session import StageSession, pin_to

    if spec["cores"]:
        pin_to(spec["cores"])
    memory = SharedMemory(spec["memory_size"], spec["memory"])
    tasks = []
    for one in spec["stages"]:
        session = StageSession(one["file"], provider=spec["provider"], provider_options=spec["provider_options"],
                               cores=spec["cores"], optimize=spec["optimize"])
        session.check_is(
            Stage(one["stage"], "", one["file"], _tensors(one["expected_inputs"]), _tensors(one["expected_outputs"]))
        )
        tasks.append(StageTask(one, memory, spec["window"], session))
    return tasks


def main() -> None:
    descriptor = int(sys.argv[1])
    with open(descriptor, encoding="utf-8") as file:
        spec = json.load(file)
    end_with_parent(spec["control"], spec["parent"])

    def report(message: dict) -> None:
        os.write(spec["status"], json.dumps(message).encode() + b"\n")

    try:
        tasks = load_tasks(spec)
        report({"ready": True})
        run_one(tasks[0]) if len(tasks) == 1 else run_several(tasks)
    except BaseException as error:
        kind = "input" if isinstance(error, InputError) else "run"
        text = str(error) if isinstance(error, Error) else f"{type(error).__name__}: {error}"
        report({"error": " ".join(text.split())[:2000], "kind": kind})
        sys.exit(1)


if __name__ == "__main__":
    main()
