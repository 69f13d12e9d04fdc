# SPDX-License-Identifier: Apache-2.0
"""Which tensors travel together: those of one maker that have the same readers."""

from __future__ import annotations

from dataclasses import dataclass

from partita.pipeline import Pipeline
from partita.running.ray_stage import HostedStage
from partita.running.wiring import COLLECTOR


@dataclass(frozen=True)
class Bundle:
    """Tensors of one maker (a stage; None: the model's inputs) that the same stages, or the collector, read."""

    maker: int | None
    names: tuple[str, ...]
    readers: frozenset


class Bundles:
    """All bundles of a pipeline. What nobody reads is in none."""

    def __init__(self, pipeline: Pipeline):
        readers: dict[tuple, set] = {}  # by maker and name, in the order of reading
        for stage in pipeline.stages:
            for tensor in stage.needed_inputs:
                readers.setdefault((tensor.source, tensor.name), set()).add(stage.index)
        for tensor in pipeline.outputs:
            if tensor.source is None:
                continue  # the collector has what was given
            readers.setdefault((tensor.source, tensor.name), set()).add(COLLECTOR)
        together: dict[tuple, list] = {}
        for (maker, name), who in readers.items():
            together.setdefault((maker, frozenset(who)), []).append(name)
        self._all = [Bundle(maker, tuple(names), who) for (maker, who), names in together.items()]

    def made_by(self, maker: int | None) -> list[Bundle]:
        """Those of a stage, or (None) the model's inputs."""
        return [bundle for bundle in self._all if bundle.maker == maker]

    def read_by(self, reader) -> list[Bundle]:
        """Those that a stage, or the collector, reads."""
        return [bundle for bundle in self._all if reader in bundle.readers]

    def hosted(self, stage) -> HostedStage:
        """What the stage's actor must know."""
        return HostedStage(stage, tuple(bundle.names for bundle in self.read_by(stage.index)),
                           tuple(bundle.names for bundle in self.made_by(stage.index)))
