# SPDX-License-Identifier: Apache-2.0
"""A model in a handful of consecutive pieces, each timed as one session.

Where the profiler's own cost is a good part of an operator's time, or operators differ much from run to run, their sum
misleads. A piece of the model that is timed as a whole does not: the operators in it are scaled such that they add up
to it.
"""

from __future__ import annotations

from pathlib import Path

from partita.dtypes import from_onnx_type
from partita.onnx.cut import Cutter
from partita.onnx.inputs import Feeds
from partita.onnx.runtime import onnx_package, open_session


def piece_of_each(seconds: list[float], pieces: int) -> list[int]:
    """For each operator, in running order, its piece: rows of about the same time.

    >>> piece_of_each([1, 1, 1, 1], 2)
    [0, 0, 1, 1]
    """
    total, done, places = sum(seconds) or 1.0, 0.0, []
    for one in seconds:
        places.append(min(pieces - 1, int(pieces * (done + one / 2) / total)))
        done += one
    numbers = {piece: i for i, piece in enumerate(dict.fromkeys(places))}
    return [numbers[piece] for piece in places]


def write_pieces(model: Path, feeds: Feeds, piece_of: list[int], folder: Path) -> list[dict]:
    """Files of the pieces, and of what each is given, as timing_worker.py loads them. None where a cut goes through a
    sequence or a text, which cannot be handed to a session in memory."""
    onnx = onnx_package("measuring pieces of a model")
    proto = onnx.load(model, load_external_data=False)
    weights = {tensor.name for tensor in proto.graph.initializer if tensor.external_data}
    if weights:
        onnx.load_external_data_for_model(proto, str(model.parent))
    values = dict(feeds.arrays)
    stages = Cutter(proto, [[piece] for piece in piece_of], max(piece_of) + 1).cut()
    if not all(from_onnx_type(v.type.tensor_type.elem_type) for stage in stages for v in stage.model.graph.input):
        return []
    made = []
    for number, stage in enumerate(stages):
        path = folder / f"piece_{number}.onnx"
        onnx.save(stage.model, path)
        given = {name: values[name] for name in stage.inputs}
        Feeds(given).save(folder / f"piece_{number}.npz")
        session = open_session(path)
        values.update(zip(stage.outputs, session.run(stage.outputs, given)))
        made.append({"model": str(path), "feeds": str(folder / f"piece_{number}.npz"), "profile": None})
    return made


def agreeing(seconds: list[float], piece_of: list[int], pieces: list[float], whole: float) -> list[float]:
    """Operators' times such that they add up to their pieces'.

    A session costs something however little it does, the whole as much as a piece: what the pieces take together beyond
    the whole is taken off each of them first.
    """
    cost = max(0.0, (sum(pieces) - whole) / (len(pieces) - 1)) if len(pieces) > 1 else 0.0
    sums = [0.0] * len(pieces)
    for one, piece in zip(seconds, piece_of):
        sums[piece] += one
    wanted = [max(piece - cost, piece / 10) for piece in pieces]
    factor = whole / sum(wanted)
    return [one * wanted[piece] * factor / sums[piece] if sums[piece] else one for one, piece in zip(seconds, piece_of)]
