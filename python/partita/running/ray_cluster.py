# SPDX-License-Identifier: Apache-2.0
"""Ray, as far as the engine needs it: a cluster that is joined, or started on this machine and ended again; and in it a
place for each device.

Ray is started here only if no address is given, the environment has none (RAY_ADDRESS), and the program has not joined
a cluster itself. Only a Ray that was started here is ended, with its processes and its folder of logs.
"""

from __future__ import annotations

import contextlib
import logging
import os
import shutil
import signal
import socket
import sys
import tempfile
import time
from dataclasses import dataclass, field, fields

from partita.errors import InputError, RunError, needs
from partita.running.children import python_path

_STORE_AT_LEAST = 200 << 20  # bytes
_STORE_AT_MOST = 0.3  # of the memory that is free
_LONGEST_FOLDER = 40  # characters: the names of Ray's sockets, which begin with it, may have 107
# What Ray prints on the death of a worker or node: the engine handles it, and says so if it cannot.
_SILENT = "A worker died or was killed|The node with node id|Raylet is terminated|has been marked dead"
_SKIPPED_LINES = "RAY_DEDUP_LOGS_SKIP_REGEX"
_UNREAD_ERRORS = "RAY_IGNORE_UNHANDLED_ERRORS"  # of references that are dropped without a look at them
_QUIET = {"log_to_driver": False, "logging_level": logging.ERROR, "configure_logging": False}
_TRIES = 3
_ANSWER_SECONDS = 10.0
_REMOVAL_SECONDS = 10.0
_SETTINGS = {"worker_niceness": 0}  # of a Ray that is started here; Ray's own 15 would let all else go first
STRATEGIES = ("PACK", "SPREAD", "STRICT_PACK", "STRICT_SPREAD")


@dataclass(frozen=True)
class RayOptions:
    """How the pipeline lies in the cluster."""

    address: str | None = None  # of a cluster: "auto", "10.0.0.1:6379"; None: RAY_ADDRESS, else Ray is started here
    gpus_per_device: float = 0  # that a device asks the cluster for, beside its cores
    resources: dict = field(default_factory=dict)  # and others, by name
    strategy: str = "PACK"  # "SPREAD": on as many nodes as there are
    group: int | None = None  # samples that travel in one message; None: as many as take about 20 ms
    restarts: int = 5  # losses in a row, without a result in between, after which the run is given up
    start_timeout: float = 120.0  # seconds for a device to be found in the cluster, and to load its stages

    @staticmethod
    def of(given: dict) -> RayOptions:
        """The options by name, checked."""
        known = [one.name for one in fields(RayOptions)]
        for name in given:
            if name not in known:
                raise InputError(f"{name}: is no option of the engine ray; it has {', '.join(known)}")
        options = RayOptions(**given)
        options.check()
        return options

    def check(self) -> None:
        if self.strategy not in STRATEGIES:
            raise InputError(f"strategy: found {self.strategy!r}, expected one of {', '.join(STRATEGIES)}")
        if self.group is not None and self.group < 1:
            raise InputError(f"group: found {self.group}, expected at least 1 sample in a message")


def ray_module():
    """Ray, or the error that says how to install it."""
    hushed = "ray" not in sys.modules and _SKIPPED_LINES not in os.environ
    if hushed:  # Ray reads it when it is imported
        os.environ[_SKIPPED_LINES] = _SILENT
    try:
        import ray
    except ImportError:
        raise needs("ray", "running over a cluster", "ray") from None
    finally:
        if hushed:
            del os.environ[_SKIPPED_LINES]
    return ray


def starts_here(options: RayOptions) -> bool:
    """Whether Ray will be started on this machine: there is no cluster to join."""
    return not (ray_module().is_initialized() or options.address or os.environ.get("RAY_ADDRESS"))


class Cluster:
    """Joins or starts Ray, and reserves a place for each device: bundle n is for device n."""

    def __init__(self, bundles: list[dict], options: RayOptions, *, store_bytes: int = 0, cores: int = 1):
        """`store_bytes` and `cores`: what a Ray that is started here should have."""
        self.started_here = False
        self._joined_here = False
        self._folder = self._places = None
        self.options = options
        self.bundles = bundles
        self.ray = ray_module()
        self._quiet = _Quiet()
        try:
            self._join(store_bytes, cores)
            self._reserve()
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Gives the places back, and ends what was started. May be called again."""
        if self._places is not None and self.ray.is_initialized():
            from ray.util.placement_group import remove_placement_group

            try:
                remove_placement_group(self._places)
            except Exception:  # the cluster is gone: there is nothing to give back
                pass
        self._places = None
        if self._folder is not None:
            end_ray(self._folder)
        elif self._joined_here:
            self.ray.shutdown()
        self._folder, self._joined_here, self.started_here = None, False, False
        self._quiet.end()

    def place(self, number: int) -> dict:
        """Options for an actor that takes the place of device `number`."""
        from ray.util.scheduling_strategies import PlacementGroupSchedulingStrategy

        bundle = self.bundles[number]
        others = {name: amount for name, amount in bundle.items() if name not in ("CPU", "GPU")}
        return {"num_cpus": bundle.get("CPU", 0), "num_gpus": bundle.get("GPU", 0), "resources": others or None,
                "scheduling_strategy": PlacementGroupSchedulingStrategy(self._places, number)}

    def store_bytes(self) -> int:
        """The object store of the node that has the smallest."""
        return int(min((node["Resources"].get("object_store_memory", 0) for node in self.ray.nodes() if node["Alive"]),
                       default=0))

    def described(self) -> str:
        """For messages: what the cluster has."""
        nodes = [node for node in self.ray.nodes() if node["Alive"]]
        shown = {name: amount for name, amount in self.ray.cluster_resources().items()
                 if name in ("CPU", "GPU") or any(name in bundle for bundle in self.bundles)}
        return f"{len(nodes)} node{'s' if len(nodes) != 1 else ''} with {_listed(shown)}"

    def _join(self, store_bytes: int, cores: int) -> None:
        if self.ray.is_initialized():
            return
        address = self.options.address or os.environ.get("RAY_ADDRESS")
        try:
            if address:
                _check_answers(address)
                self.ray.init(address=address, **_QUIET)
            else:
                self._joined_here = self.started_here = True  # also a start that fails half-way is to be undone
                self._folder = short_folder()
                start_ray(self._folder, cores, store_bytes)
        except Exception as error:  # Ray has types of its own for some, and Python's for others
            where = f"the cluster at {address} cannot be joined" if address else "Ray cannot be started on this machine"
            raise RunError(f"{where}: {_first_line(error)}") from None
        self._joined_here = True

    def _reserve(self) -> None:
        from ray.util.placement_group import placement_group

        self._places = placement_group(self.bundles, strategy=self.options.strategy)
        if not self._places.wait(self.options.start_timeout):
            raise RunError(
                f"the cluster has no room for {len(self.bundles)} devices of {_listed(self.bundles[0])} each "
                f"({self.options.strategy}): it has {self.described()}, and none became free in "
                f"{self.options.start_timeout:.0f} s")


class _Quiet:
    """Keeps Ray's remarks off the terminal: the engine handles errors, and says itself what it cannot handle."""

    def __init__(self):
        self._logger = logging.getLogger("ray")
        self._level = self._logger.level
        self._logger.setLevel(logging.ERROR)
        self._heard = os.environ.get(_UNREAD_ERRORS)
        os.environ[_UNREAD_ERRORS] = "1"

    def end(self) -> None:
        self._logger.setLevel(self._level)
        if self._heard is None:
            os.environ.pop(_UNREAD_ERRORS, None)
        else:
            os.environ[_UNREAD_ERRORS] = self._heard


def _check_answers(address: str) -> None:
    """Ray itself would try for minutes. Names such as "auto" are left to it."""
    host, _, port = address.rpartition(":")
    if port.isdigit() and host and "/" not in host:
        with socket.create_connection((host.strip("[]"), int(port)), _ANSWER_SECONDS):
            pass


@contextlib.contextmanager
def _package_in_reach():
    """What is started within inherits it: Ray's processes, and from them the actors."""
    before = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = python_path()
    try:
        yield
    finally:
        if before is None:
            del os.environ["PYTHONPATH"]
        else:
            os.environ["PYTHONPATH"] = before


def short_folder() -> str:
    """For files of a Ray that is started here."""
    place = tempfile.gettempdir()
    return tempfile.mkdtemp(prefix="partita-ray-", dir=place if len(place) < _LONGEST_FOLDER else "/tmp")


def start_ray(folder: str, cores: int, store_bytes: int) -> None:
    """Starts Ray on this machine. It allows itself half a minute, which on a busy machine may be too little: it is
    tried again."""
    ray = ray_module()
    for tries_left in reversed(range(_TRIES)):
        try:
            with _package_in_reach():
                ray.init(address="local", num_cpus=cores, include_dashboard=False, _temp_dir=folder,
                         object_store_memory=_store_size(store_bytes), _system_config=_SETTINGS, **_QUIET)
            return
        except Exception:
            if not tries_left:
                raise
            ray.shutdown()
            _end_processes(folder)


def end_ray(folder: str) -> None:
    """Ends what start_ray has started, as far as it got, and removes its files."""
    ray_module().shutdown()
    _end_processes(folder)
    until = time.monotonic() + _REMOVAL_SECONDS
    while os.path.exists(folder) and time.monotonic() < until:  # the last of Ray's processes may still be writing
        shutil.rmtree(folder, ignore_errors=True)
        time.sleep(0.05)


def _end_processes(folder: str) -> None:
    """What a start that failed has left: processes that this one started, with the folder among their arguments."""
    for entry in os.listdir("/proc"):
        try:
            with open(f"/proc/{entry}/stat", encoding="ascii", errors="replace") as file:
                parent = int(file.read().rsplit(")", 1)[1].split()[1])
            with open(f"/proc/{entry}/cmdline", "rb") as file:
                is_ours = parent == os.getpid() and folder.encode() in file.read()
        except (OSError, ValueError, IndexError):  # no process, or one that has just ended
            continue
        if is_ours:
            os.kill(int(entry), signal.SIGKILL)


def _store_size(wanted: int) -> int:
    free = os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return max(_STORE_AT_LEAST, min(wanted, int(_STORE_AT_MOST * free)))


def _listed(resources: dict) -> str:
    return ", ".join(f"{amount:g} {name}" for name, amount in resources.items()) or "nothing"


def _first_line(error) -> str:
    return next((line.strip() for line in str(error).splitlines() if line.strip()), type(error).__name__)
