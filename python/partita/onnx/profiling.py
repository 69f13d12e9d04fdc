# SPDX-License-Identifier: Apache-2.0
"""Times of a model's operators on devices of this machine, such that plans made of them hold when they run.

1. The model is optimised as a whole; that graph is measured, and later planned, cut and run (optimising.py).
2. Each device is a process with cores of its own. All of them run the model at the same time, as they will in a
   pipeline: memory and caches are shared, and a device alone is faster than it will ever be. One alone is timed too, to
   show the ratio.
3. Turn by turn each process runs the model without and with ONNX Runtime's profiler. The profiler tells what part of
   the time each operator takes, the plain runs how much there is to share out (statistics.py).
4. Where the profiler's operators add up to over 1.1 of the plain runs, or runs differ by more than a tenth, pieces of
   the model are timed as well, and operators agree with them (segments.py).
5. Transfers are measured with the engine that will run the plan (transfers.py).
"""

from __future__ import annotations

import os
import tempfile
from collections import defaultdict
from pathlib import Path

from partita.errors import InputError
from partita.onnx.events import operator_times
from partita.onnx.measurement import Link, Measurement, OperatorTime
from partita.onnx.optimising import Optimised, optimise
from partita.onnx.runtime import load_model, provider_of
from partita.onnx.segments import agreeing, piece_of_each, write_pieces
from partita.onnx.statistics import center, without_bookkeeping
from partita.onnx.transfers import measure_link
from partita.onnx.workers import Workers
from partita.running.devices import place_devices
from partita.running.session import CPU

_TURNS = 5
_LARGE_RATIO = 1.1
_LARGE_SPREAD = 0.1
_PIECES = 6
_ALONE = Link(latency=0.0, bandwidth=1e10, stage_overhead=0.0)  # nothing is passed on


def profile(
    model,
    devices=2,
    cores_per_device: int = 1,
    inputs: dict | None = None,
    repetitions: int = 25,
    warmup: int = 3,
    busy: bool = True,
    providers=None,
    folder=None,
    level: str = "all",
    dims: dict | None = None,
) -> Measurement:
    """Measures `model` for a pipeline of `devices`, and writes what it found into `folder` (MODEL.measured without
    one).

    `devices` is how many there are, each with `cores_per_device` cores of its own, or what they are, as for `run`:
    ["cuda:0", "cuda:1"]. `providers` names the execution provider of ONNX Runtime to use; it must be there. Without
    `busy`, times are those of one device while the others stand idle. Each time is the median of at least `repetitions`
    runs on each device, after `warmup` runs. Example:

        measurement = partita.onnx.profile("model.onnx", devices=2)
        print(measurement)
    """
    if repetitions < 1 or warmup < 0:
        raise InputError(f"repetitions, warmup: found {repetitions} and {warmup}; expected at least 1 and 0")
    placed = find_devices(devices, cores_per_device, providers)
    model = Path(model)
    folder = Path(folder) if folder is not None else Path(f"{model.stem}.measured")
    optimised = optimise(
        model, folder / model.name, level=level, inputs=inputs, dims=dims, providers=placed[0].provider
    )
    with tempfile.TemporaryDirectory(prefix="partita-profile-") as work, Workers(placed) as workers:
        timing = _Timing(optimised, workers, Path(work), repetitions, warmup)
        together = len(placed) if busy else 1
        whole, operators = timing.operators(together)
        alone_whole, alone = timing.operators(1) if together > 1 else (None, {})
        names = timing.names
        measured = {name: center(operators.get(name) or [0.0]) for name in names}
        total = sum(time.seconds for time in measured.values())
        seconds = without_bookkeeping([measured[name].seconds for name in names], whole.seconds)
        pieces = 0
        if total / whole.seconds > _LARGE_RATIO or whole.relative > _LARGE_SPREAD:
            seconds, pieces = timing.agree_with_pieces(seconds, whole.seconds, together)
    link = measure_link(placed) if len(placed) > 1 else _ALONE
    # What the engine takes for each sample in a stage is shared out over the operators: stages of a good plan take
    # equal times, so each gets its part.
    factor = 1 + len(placed) * link.stage_overhead / sum(seconds) if sum(seconds) else 1.0
    rows = tuple(
        OperatorTime(
            name,
            op,
            one * factor,
            measured[name].spread,
            measured[name].seconds,
            center(alone[name]).seconds if alone.get(name) else None,
        )
        for (name, op), one in zip(timing.nodes, seconds)
    )
    measurement = Measurement(
        model=optimised.path,
        devices=tuple(device.name for device in placed),
        cores_per_device=cores_per_device,
        provider=placed[0].provider,
        operators=rows,
        whole=whole,
        whole_alone=alone_whole,
        sum_of_operators=total,
        link=link,
        segments=pieces,
        memory=_memory(len(placed)),
        settings={
            "repetitions": repetitions,
            "warmup": warmup,
            "level": level,
            "dims": dict(optimised.feeds.dimensions),
        },
    )
    measurement.save(folder)
    return measurement


def find_devices(devices, cores_per_device: int, providers) -> list:
    """Equal devices of this machine: `core 0`, `core 1`, ... or what their provider is called."""
    provider = provider_of(providers) if providers is not None else None
    if isinstance(devices, int):
        if devices < 1:
            raise InputError(f"devices: found {devices}, expected at least 1")
        kinds = [provider or "cpu"] * devices
        if provider not in (None, CPU):
            kinds = [f"{provider}:{number}" for number in range(devices)]
    else:
        kinds = list(devices)
    word = "core" if cores_per_device == 1 else "cores"
    if kinds and kinds[0].lower() not in ("cpu", CPU.lower()):
        word = kinds[0].partition(":")[0]
    placed = place_devices(
        [f"{word} {number}" for number in range(len(kinds))], kinds, cores_per_device=cores_per_device
    )
    if len({device.provider for device in placed}) > 1:
        raise InputError(
            f"devices: found {', '.join(kinds)}; expected devices of one kind: measure others on their own"
        )
    return placed


class _Timing:
    """Runs of one model on workers."""

    def __init__(self, optimised: Optimised, workers: Workers, work: Path, repetitions: int, warmup: int):
        self.model, self.feeds, self.workers, self.work = optimised.path, optimised.feeds, workers, work
        self.run = {"do": "run", "turns": _TURNS, "runs": -(-repetitions // _TURNS), "warmup": warmup}
        graph = load_model(self.model).graph
        self.nodes = [(node.name, node.op_type) for node in graph.node]
        self.names = [name for name, _ in self.nodes]
        self.feeds.save(work / "feeds.npz")

    def _session(self, profile: Path | None) -> dict:
        return {
            "model": str(self.model.resolve()),
            "feeds": str(self.work / "feeds.npz"),
            "profile": profile and str(profile),
        }

    def operators(self, together: int) -> tuple:
        """The time of a plain run, and the times of each operator, of so many devices at the same time."""
        self.workers.ask_all(
            [
                {
                    "do": "load",
                    "sessions": [self._session(None), self._session(self.work / f"events_{together}_{device}")],
                }
                for device in range(together)
            ]
        )
        plain: list[float] = []
        by_name: dict[str, list[float]] = defaultdict(list)
        for unprofiled, profiled in self.workers.run(self.run, together):
            plain += unprofiled["seconds"]
            for name, seconds in operator_times(profiled["profile"], set(self.names), profiled["counted"]).items():
                by_name[name] += seconds
            os.unlink(profiled["profile"])
        return center(plain), by_name

    def agree_with_pieces(self, seconds: list[float], whole: float, together: int) -> tuple[list[float], int]:
        """Operators that add up to pieces timed as a whole, and the number of pieces."""
        piece_of = piece_of_each(seconds, min(_PIECES, len(seconds) // 2))
        if len(set(piece_of)) < 2:
            return seconds, 0
        sessions = write_pieces(self.model, self.feeds, piece_of, self.work)
        if not sessions:
            return seconds, 0
        self.workers.ask_all([{"do": "load", "sessions": [self._session(None), *sessions]}] * together)
        results = self.workers.run(self.run, together)
        times = [
            center([s for device in results for s in device[number]["seconds"]]).seconds
            for number in range(len(sessions) + 1)
        ]
        # Both were timed now, the whole has been before: the machine may be faster or slower by now.
        pieces = [time * whole / times[0] for time in times[1:]]
        return agreeing(seconds, piece_of, pieces, whole), len(sessions)


def _memory(devices: int) -> int:
    """Bytes for each device: its share of the machine's."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // devices
