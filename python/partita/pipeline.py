# SPDX-License-Identifier: Apache-2.0
"""A folder of stages, as `partita split` writes it: pipeline.json (docs/split.md) and an ONNX file for each stage.

    pipeline = Pipeline.read("stages")
    for stage in pipeline.stages:
        print(stage.index, stage.device, [tensor.name for tensor in stage.inputs])
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from pathlib import Path

from partita.errors import InputError
from partita.json_file import Fields, read_json

FILE_NAME = "pipeline.json"
VERSION = 1


@dataclass(frozen=True)
class Tensor:
    """What is passed on: an input or output of the model or of a stage."""

    name: str
    dtype: str | None  # "fp32"; None where it is not known
    shape: tuple[int | str | None, ...] | None  # numbers, names of open dimensions, None for what is not known
    bytes: int | None  # with the sizes that the plan was made for
    source: int | None = None  # the stage that makes it; None: the model's input
    optional: bool = False  # an initializer, which may be given instead
    sequence: bool = False

    @property
    def static(self) -> bool:
        """Whether every sample has the same, known shape."""
        return self.shape is not None and all(isinstance(extent, int) for extent in self.shape)

    def described(self) -> str:
        """For messages: `x: fp32[batch,64]`."""
        extents = "?" if self.shape is None else ",".join("?" if e is None else str(e) for e in self.shape)
        return f"{self.name}: {'sequence of ' if self.sequence else ''}{self.dtype or 'unknown type'}[{extents}]"


@dataclass(frozen=True)
class Stage:
    """A part of the model that runs without a break on a device."""

    index: int
    device: str
    file: Path
    inputs: tuple[Tensor, ...]
    outputs: tuple[Tensor, ...]
    copies: tuple[str, ...] = ()  # further devices that run it, in turns
    nodes: int = 0
    weight_bytes: int = 0
    data: str | None = None  # the file of its own weights, where it has one
    crc32: str | None = None  # of the stage's file, 8 hexadecimal digits

    @property
    def devices(self) -> tuple[str, ...]:
        """Every device that runs it: sample s runs on the one at s modulo their number."""
        return (self.device, *self.copies)

    @property
    def needed_inputs(self) -> tuple[Tensor, ...]:
        """Those that must be given."""
        return tuple(tensor for tensor in self.inputs if not tensor.optional)


@dataclass(frozen=True)
class Pipeline:
    """The stages of a model, in an order in which they can run."""

    folder: Path
    model: str
    inputs: tuple[Tensor, ...]
    outputs: tuple[Tensor, ...]
    stages: tuple[Stage, ...]
    fingerprint: str | None = None  # of the graph that was planned, where the file says it
    files: tuple[str, ...] = ()  # all in the folder but pipeline.json: of stages, and of weights

    @staticmethod
    def read(folder) -> Pipeline:
        """Reads and checks pipeline.json. Every file it names must be there, and unchanged where it has checksums."""
        folder = Path(folder)
        if not folder.is_dir():
            raise InputError(f"{folder}: is no folder of stages; `partita split MODEL PLAN -o {folder}` makes one")
        path = folder / FILE_NAME
        if not path.is_file():
            raise InputError(f"{folder}: has no {FILE_NAME}; expected a folder that `partita split` has written")
        pipeline = _pipeline(folder, Fields(read_json(path, "pipeline", VERSION), str(path)))
        pipeline.check_files()
        return pipeline

    @property
    def devices(self) -> tuple[str, ...]:
        """The devices that run stages, in the order of their first ones."""
        return tuple(dict.fromkeys(name for stage in self.stages for name in stage.devices))

    @property
    def needed_inputs(self) -> tuple[Tensor, ...]:
        """Inputs of the model that must be given."""
        return tuple(tensor for tensor in self.inputs if not tensor.optional)

    def check_files(self) -> None:
        """Every stage's file is there; where pipeline.json has checksums, with the same content."""
        for stage in self.stages:
            if not stage.file.is_file():
                raise InputError(
                    f"{self.folder}: {stage.file.name} of stage {stage.index} is missing; split the model again"
                )
            if stage.crc32 is not None and checksum(stage.file) != stage.crc32:
                raise InputError(
                    f"{stage.file}: was changed since it was written (its CRC-32 is another than in {FILE_NAME}); "
                    "split the model again"
                )


def checksum(file: Path) -> str:
    """The CRC-32 of a file, as pipeline.json has it: 8 hexadecimal digits."""
    found = 0
    with open(file, "rb") as opened:
        while block := opened.read(1 << 20):
            found = zlib.crc32(block, found)
    return f"{found:08x}"


def _tensor(fields: Fields, with_source: bool) -> Tensor:
    source = fields.get("from", "input") if with_source else "input"
    if source != "input":
        source = Fields(source, f"{fields.where}.from").integer("stage") if isinstance(source, dict) else source
        if not isinstance(source, int):
            raise fields.error("from", source, '"input" or {"stage": N}')
    shape = fields.get("shape", None)
    if shape is not None:
        valid = isinstance(shape, list) and all(e is None or isinstance(e, (int, str)) for e in shape)
        if not valid:
            raise fields.error("shape", shape, "a list of numbers, names and null")
        shape = tuple(shape)
    return Tensor(
        name=fields.text("name"), dtype=fields.get("dtype", None), shape=shape, bytes=fields.get("bytes", None),
        source=None if source == "input" else source, optional=bool(fields.get("optional", False)),
        sequence=bool(fields.get("sequence", False)))


def _stage(folder: Path, fields: Fields, index: int) -> Stage:
    file = fields.text("file")
    if Path(file).name != file:
        raise fields.error("file", file, "the name of a file in the folder")
    return Stage(
        index=index, device=fields.text("device"), file=folder / file,
        inputs=tuple(_tensor(one, True) for one in fields.rows("inputs")),
        outputs=tuple(_tensor(one, False) for one in fields.rows("outputs")),
        copies=tuple(fields.get("copies", ())), nodes=fields.get("nodes", 0),
        weight_bytes=fields.get("weight_bytes", 0), data=fields.get("data", None),
        crc32=fields.get("crc32", None))


def _pipeline(folder: Path, fields: Fields) -> Pipeline:
    if fields.get("annotated", False):
        raise InputError(f"{folder}: holds one annotated model, not stages; split it without --annotate")
    stages = tuple(_stage(folder, one, index) for index, one in enumerate(fields.rows("stages")))
    if not stages:
        raise InputError(f"{folder}: has no stages")
    pipeline = Pipeline(
        folder=folder, model=fields.text("model"),
        inputs=tuple(_tensor(one, False) for one in fields.rows("inputs")),
        outputs=tuple(_tensor(one, True) for one in fields.rows("outputs")),
        stages=stages, fingerprint=fields.get("fingerprint", None),  files=tuple(fields.get("files", ())))
    _check_sources(pipeline)
    return pipeline


def _check_sources(pipeline: Pipeline) -> None:
    """What is read is made: by an earlier stage, or given."""
    made = [{tensor.name for tensor in stage.outputs} for stage in pipeline.stages]
    given = {tensor.name for tensor in pipeline.inputs}
    readers = [(f"stage {stage.index}", stage.index, stage.inputs) for stage in pipeline.stages]
    for reader, before, tensors in [*readers, ("the model", len(made), pipeline.outputs)]:
        for tensor in tensors:
            if tensor.source is None:
                there = tensor.name in given
            else:
                there = 0 <= tensor.source < before and tensor.name in made[tensor.source]
            if not there:
                where = "the model's inputs" if tensor.source is None else f"the outputs of stage {tensor.source}"
                raise InputError(
                    f"{pipeline.folder / FILE_NAME}: {reader} reads {tensor.name}, which is not among {where}"
                )
