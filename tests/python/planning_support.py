# SPDX-License-Identifier: Apache-2.0
"""Shared by the tests of planning: the compiled module, the command line, and examples."""

import json
import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
EXAMPLES = ROOT / "examples"

pytest.importorskip("numpy")
try:
    import partita.compiled  # noqa: F401
except ImportError as error:
    pytest.skip(f"the compiled module of partita is not there: {error}", allow_module_level=True)


def program():
    """The command line to compare with; its tests are skipped without one."""
    path = os.environ.get("PARTITA")
    if not path:
        pytest.skip("PARTITA does not name the command line to compare with")
    return path


def planned_by_program(*arguments, tmp_path):
    """The plan that the command line writes."""
    output = tmp_path / "cli.json"
    subprocess.run([program(), "plan", *map(str, arguments), "-q", "-o", str(output)], check=True, timeout=120)
    return json.loads(output.read_text())


def without_times(document):
    """A plan without what differs from run to run."""
    return {name: value for name, value in document.items() if name != "seconds"}


def chain(count, cost=0.25):
    """A graph in a row, with times 1, 2, 3, 1, 2, 3 ..."""
    from partita import Graph

    return Graph.from_arrays(
        [1.0 + i % 3 for i in range(count)], [(i, i + 1) for i in range(count - 1)], [cost] * (count - 1), unit="ms"
    )


def hard_graph(count=220, seed=3):
    """A graph whose best free split takes far longer to prove than any test waits."""
    import numpy
    from partita import Graph

    random = numpy.random.default_rng(seed)
    edges = sorted({(int(random.integers(0, i)), i) for i in range(1, count) for _ in range(3)})
    return Graph.from_arrays(random.uniform(1, 9, count), edges, random.uniform(0.1, 3, len(edges)), unit="ms")
