# SPDX-License-Identifier: Apache-2.0
"""The actor of one device: runs its stages on groups of samples. This is the part that runs on the cluster's nodes;
these need the package with `onnxruntime` and `numpy`, and no solver.

A *bundle* is what travels as one object: of each sample of a group, those tensors of one maker that have the same
readers. So a tensor that skips stages goes only to the nodes that read it. NumPy arrays in bundles are views of the
node's object store: nothing is copied on the way into a session.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from partita.dtypes import numpy_dtype
from partita.errors import Error, RunError
from partita.pipeline import Stage
from partita.running.devices import Device


@dataclass(frozen=True)
class HostedStage:
    """A stage, the names in each bundle that it reads, and in each that it makes."""

    stage: Stage
    reads: tuple[tuple[str, ...], ...]
    makes: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class FileMark:
    """By which a file is known again on another node: equal there means that it is the same file of a shared file
    system."""

    size: int
    modified: int  # ns
    inode: int

    @staticmethod
    def of(path) -> FileMark | None:
        try:
            found = os.stat(path)
        except OSError:
            return None
        return FileMark(found.st_size, found.st_mtime_ns, found.st_ino)


class StageHost:
    """What the driver calls, one call at a time: hello, then files (has_files or receive), load, and run again and
    again."""

    def __init__(self, device: str):
        self.device = device
        self._received: str | None = None
        self._stages: dict[int, tuple] = {}
        self._alive: list = []

    def hello(self) -> dict:
        """Who and where it is, and what its clock says."""
        import ray

        return {"pid": os.getpid(), "node": ray.get_runtime_context().get_node_id(), "machine": machine_id(),
                "cores": sorted(os.sched_getaffinity(0)), "clock": time.monotonic_ns()}

    def has_files(self, marks: dict[str, FileMark]) -> bool:
        """Whether all these files are here too, and are the same."""
        return all(FileMark.of(path) == mark for path, mark in marks.items())

    def receive(self, name: str, offset: int, data) -> None:
        """Takes in a part of a file that is not here."""
        if self._received is None:
            self._received = tempfile.mkdtemp(prefix="partita-ray-files-")
        descriptor = os.open(os.path.join(self._received, name), os.O_WRONLY | os.O_CREAT, 0o600)
        try:
            left = memoryview(data)
            while len(left):
                written = os.pwrite(descriptor, left, offset)
                left, offset = left[written:], offset + written
        finally:
            os.close(descriptor)

    def load(self, hosted: list[HostedStage], device: Device, threads: int, optimize: bool) -> None:
        """Loads the stages, all that takes time. Files that were received are gone afterwards: sessions need them no
        more, and nothing is left if this process is killed."""
        from partita.running.session import StageSession, pin_to

        if device.cores:
            pin_to(device.cores)
        try:
            for one in hosted:
                stage = one.stage
                file = Path(self._received) / stage.file.name if self._received else stage.file
                session = StageSession(file, provider=device.provider, provider_options=device.provider_options,
                                       threads=threads, cores=device.cores, optimize=optimize)
                session.check_is(stage)
                types = {tensor.name: tensor.dtype for tensor in session.inputs}
                self._stages[stage.index] = (session, one.reads, one.makes, types)
        finally:
            if self._received is not None:
                shutil.rmtree(self._received, ignore_errors=True)
                self._received = None

    def run(self, stage: int, first: int, count: int, *bundles) -> tuple:
        """Runs `count` samples, of which the first has number `first`. Returns the moments (entered; computing and
        computed of each sample; returned; ns), then each bundle that the stage makes."""
        import numpy

        clock = time.monotonic_ns
        moments = numpy.empty(2 * count + 2, numpy.int64)
        moments[0] = clock()
        session, reads, makes, types = self._stages[stage]
        made = tuple([] for _ in makes)
        alive = []
        for place in range(count):
            feeds = {name: unpacked(array, types[name])
                     for names, bundle in zip(reads, bundles) for name, array in zip(names, bundle[place])}
            try:
                bound = session.bind(feeds, {})
                moments[2 * place + 1] = clock()
                bound.run()
                moments[2 * place + 2] = clock()
            except Exception as error:  # ONNX Runtime has a type of its own for each of its codes
                text = str(error) if isinstance(error, Error) else f"ONNX Runtime: {error}"
                where = f"{self.device} (stage {stage}), sample {first + place}"
                raise RunError(f"{where}: {' '.join(text.split())}") from None
            results = bound.results()
            for names, bundle in zip(makes, made):
                bundle.append(tuple(packed(results[name]) for name in names))
            alive.append(bound)
        # The results are ONNX Runtime's own memory, which Ray copies into its store after this method: they live until
        # then.
        self._alive = alive
        moments[-1] = clock()
        return (moments, *made)


def packed(array):
    """As Ray moves it without pickling: bf16, no type of NumPy's own, goes as integers of the same bits."""
    return array.view("uint16") if array.dtype.name == "bfloat16" else array


def unpacked(array, dtype: str):
    """What was packed."""
    return array.view(numpy_dtype(dtype)) if dtype == "bf16" else array


def machine_id() -> str:
    """The same for all processes that share this machine's clock."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except OSError:
        return ""
