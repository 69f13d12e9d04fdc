# SPDX-License-Identifier: Apache-2.0
"""The pipeline on this machine: one process for each device, tensors in shared memory, results in order.

    with LocalEngine(pipeline, place_devices(pipeline.devices), feeds) as engine:
        for outputs in engine.stream():
            ...
        stamps = engine.stamps()

This process feeds and collects. It sleeps in between, as it shares the cores with the devices: of a sample that is
the same each time nothing is copied, and of results nothing that nobody wants.
"""

from __future__ import annotations

import os
import select
import time
from collections.abc import Iterator
from dataclasses import asdict

from partita.errors import InputError, RunError
from partita.pipeline import Pipeline
from partita.running.children import Child, end_all, wait_until_ready
from partita.running.devices import Device
from partita.running.feeds import Feeds
from partita.running.rings import FEEDER, Layout, SharedMemory, SlotTensor
from partita.running.stamps import StageStamps, bytes_for, read_stamps, rows_for
from partita.running.wiring import COLLECTOR, Arrivals, Posts, Wiring

_START_TIMEOUT = 600.0  # seconds: large weights take their time
_STAMPS_PATIENCE = 2.0  # seconds until the last stamp is written, after the last result


def default_window(pipeline: Pipeline) -> int:
    """Samples in flight: one in work and one waiting for each device, and two more for this process' delays."""
    return 2 * sum(len(stage.devices) for stage in pipeline.stages) + 2


class LocalEngine:
    """A running pipeline. Use it in a `with` block, or `close()` it."""

    name = "local"
    _children: list[Child] = []  # these for `close`, where not even the arguments fit
    _memory = _wiring = None

    def __init__(self, pipeline: Pipeline, devices: list[Device], feeds: Feeds, *, window: int | None = None,
                 optimize: bool = False):
        self._children = []
        self._listeners: dict[int, Child] = {}
        self._fed = self._collected = 0
        self.pipeline = pipeline
        self.devices = devices
        self.feeds = feeds
        self.window = default_window(pipeline) if window is None else window
        if self.window < 1:
            raise InputError(f"window: found {self.window}, expected at least 1 sample in flight")
        if not hasattr(os, "eventfd"):
            raise RunError("running stages on this machine needs Linux (eventfd and memfd)")
        try:
            self._start(optimize)
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> LocalEngine:
        return self

    def __exit__(self, *_) -> None:
        self.close()

    def __del__(self) -> None:
        self.close()  # where nobody has

    def close(self) -> None:
        """Ends all processes and gives back the memory. May be called again."""
        end_all(self._children)
        self._children = []
        self._inputs = self._outputs = []
        if self._wiring is not None:
            self._wiring.close()
            self._wiring = None
        if self._memory is not None:
            self._memory.close()
            self._memory = None

    def pids(self) -> dict[str, int]:
        """The process of each device."""
        return {child.device: child.pid for child in self._children}

    def stream(self, *, keep_outputs: bool = True) -> Iterator[dict]:
        """Runs all samples, and yields the outputs of each in order: dicts of arrays, empty ones without
        `keep_outputs`."""
        samples = iter(self.feeds)
        more = True
        while True:
            while more and self._fed - self._collected < self.window:
                sample = next(samples, None)
                if sample is None:
                    more = False
                else:
                    self._feed(sample)
            if self._collected == self._fed:
                return
            self._wait_for(self._collected)
            slot = self._collected % self.window
            outputs = {one.name: one.view(slot).copy() for one in self._outputs} if keep_outputs else {}
            self._collected += 1
            yield outputs

    def stamps(self) -> list[StageStamps]:
        """What each stage did when, for the samples that were collected."""
        self._wait_for_stamps()
        return self._read_stamps()

    def settings(self) -> dict:
        """How each device ran: on what, and which share of the time others had its core."""
        elapsed = time.monotonic() - self._started
        found = {device.name: device.settings() for device in self.devices}
        for child in self._children:
            before, now = self._waited[child.device], child.waited_for_core()
            if before is not None and now is not None:
                found[child.device]["core_taken"] = round((now - before) / elapsed, 4)
        return found

    # Starting

    def _start(self, optimize: bool) -> None:
        layout = Layout(self.pipeline, self.window, self.feeds.dims, self.feeds.same_dims)
        rows = rows_for(self.feeds.count)
        self._stamps_at = {(stage.index, copy): (layout.reserve(bytes_for(rows)), rows, name)
                           for stage in self.pipeline.stages for copy, name in enumerate(stage.devices)}
        self._memory = SharedMemory(layout.size)
        held = {name: [] for name in self.pipeline.devices}  # stages and copies
        for stage in self.pipeline.stages:
            for copy, name in enumerate(stage.devices):
                held[name].append((stage, copy))
        holders = {(stage.index, copy): name for name, tasks in held.items() for stage, copy in tasks}
        self._wiring = Wiring(
            self.pipeline, lambda reader, copy: reader == COLLECTOR or len(held[holders[reader, copy]]) > 1
        )
        self._inputs = [self._slot_tensor(layout, FEEDER, tensor.name) for tensor in self.pipeline.needed_inputs]
        self._outputs = [self._slot_tensor(layout, FEEDER if tensor.source is None else tensor.source, tensor.name)
                         for tensor in self.pipeline.outputs]
        self._posts = Posts(self._wiring.posts(FEEDER, 0))
        self._arrivals = Arrivals(self._wiring.waits(COLLECTOR, 0))
        self._poll = select.poll()
        for device in self.devices:
            self._start_child(device, held[device.name], layout, optimize)
        wait_until_ready(self._children, self._poll, _START_TIMEOUT)
        for descriptor in self._arrivals.descriptors:
            self._poll.register(descriptor, select.POLLIN)
        if self.feeds.constant is not None:
            for slot in range(self.window):
                self._write(self.feeds.constant, slot)
        self._started = time.monotonic()
        self._waited = {child.device: child.waited_for_core() for child in self._children}

    def _start_child(self, device: Device, tasks: list, layout: Layout, optimize: bool) -> None:
        stages = [self._task_spec(stage, copy, layout) for stage, copy in tasks]
        descriptors = {
            one for stage in stages for edge in (*stage["waits"], *stage["posts"]) for one in edge if one is not None
        }
        spec = {
            "memory": self._memory.descriptor,
            "memory_size": self._memory.size,
            "window": self.window,
            "stages": stages,
            "cores": list(device.cores),
            "provider": device.provider,
            "provider_options": device.provider_options,
            "optimize": optimize,
        }
        child = Child(device.name, [stage.index for stage, _ in tasks], spec, [self._memory.descriptor, *descriptors])
        self._children.append(child)
        self._listeners[child.status] = child
        self._poll.register(child.status, select.POLLIN)

    def _task_spec(self, stage, copy: int, layout: Layout) -> dict:
        offset, rows, _ = self._stamps_at[stage.index, copy]
        places = [layout.places[FEEDER if one.source is None else one.source, one.name] for one in stage.needed_inputs]
        return {"stage": stage.index, "copy": copy, "copies": len(stage.devices), "file": str(stage.file),
                "inputs": [asdict(place) for place in places],
                "outputs": [asdict(layout.places[stage.index, tensor.name]) for tensor in stage.outputs],
                "waits": self._wiring.waits(stage.index, copy), "posts": self._wiring.posts(stage.index, copy),
                "stamps_offset": offset, "stamps_rows": rows,
                "expected_inputs": [asdict(tensor) for tensor in stage.inputs],
                "expected_outputs": [asdict(tensor) for tensor in stage.outputs]}

    def _slot_tensor(self, layout: Layout, maker: int, name: str) -> SlotTensor:
        return SlotTensor(self._memory, layout.places[maker, name], self.window)

    # Running

    def _feed(self, sample: dict) -> None:
        if self.feeds.constant is None:
            self._write(sample, self._fed % self.window)
        self._posts.tell(self._fed)
        self._fed += 1

    def _write(self, sample: dict, slot: int) -> None:
        for one in self._inputs:
            array = sample[one.name]
            one.space(slot, array.shape)[...] = array

    def _wait_for(self, sample: int) -> None:
        """Sleeps until the sample is through, or a process is gone."""
        while not self._arrivals.take(sample):
            for descriptor, _ in self._poll.poll():
                if descriptor in self._listeners:
                    self._listeners[descriptor].listen()
                else:
                    self._arrivals.absorb(descriptor)

    def _read_stamps(self) -> list[StageStamps]:
        return [read_stamps(self._memory.map, offset, rows, stage, name)
                for (stage, _), (offset, rows, name) in self._stamps_at.items()]

    def _wait_for_stamps(self) -> None:
        """A stage writes its last stamp just after it has handed over its last result."""
        until = time.monotonic() + _STAMPS_PATIENCE
        while time.monotonic() < until:
            ends = {}
            for one in self._read_stamps():
                if len(one.samples):
                    ends[one.stage] = max(ends.get(one.stage, -1), int(one.samples[-1]))
            if all(ends.get(stage.index, -1) >= self._collected - 1 for stage in self.pipeline.stages):
                return
            time.sleep(0.001)
