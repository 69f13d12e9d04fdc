# SPDX-License-Identifier: Apache-2.0
"""The examples in docstrings do what they say, the package loads fast, and its stubs and READMEs name what is there."""

import ast
import doctest
import importlib
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from partita.errors import MissingPackage
from partita.program import has_compiled

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "python" / "partita"


WITH_EXAMPLES = sorted(
    ".".join(file.relative_to(PACKAGE.parent).with_suffix("").parts)
    for file in PACKAGE.rglob("*.py")
    if ">>>" in file.read_text(encoding="utf-8")
)


@pytest.mark.parametrize("module", WITH_EXAMPLES)
def test_examples(module, monkeypatch):
    if module.startswith("partita.torch"):
        pytest.importorskip("torch")
    monkeypatch.chdir(ROOT)
    try:
        results = doctest.testmod(importlib.import_module(module))
    except MissingPackage as error:
        pytest.skip(str(error))
    assert results.failed == 0 and results.attempted > 0


def test_nothing_heavy_is_loaded_with_the_package():
    script = "import sys, time; t = time.perf_counter(); import partita; print(time.perf_counter() - t, *sys.modules)"
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "python")}
    output = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, env=environment)
    seconds, *modules = output.stdout.split()
    print(f"import partita: {float(seconds) * 1e3:.1f} ms")
    assert not {"numpy", "onnx", "onnxruntime", "ray", "torch", "pandas", "networkx"} & set(modules)
    assert float(seconds) < 5  # on any machine, however busy; the aim is 0.2 s


@pytest.mark.skipif(not has_compiled(), reason="the compiled module of partita is not there")
def test_a_star_import_takes_no_submodule():
    script = "from partita import *; import sys; print(*sys.modules); plan, Graph, run"
    output = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert not {"partita.onnx", "partita.torch", "onnx", "torch"} & set(output.stdout.split())


@pytest.mark.skipif(not has_compiled(), reason="the compiled module of partita is not there")
def test_stubs_name_what_the_module_has():
    stubs = ast.parse((PACKAGE / "_partita.pyi").read_text())
    named = {node.name for node in stubs.body if isinstance(node, (ast.ClassDef, ast.FunctionDef))}
    module = importlib.import_module("partita._partita")
    there = {name for name in dir(module) if not name.startswith("_")}
    assert there == named
    assert (PACKAGE / "py.typed").exists()


@pytest.mark.parametrize("folder", ["", "onnx", "running", "torch"])
def test_readmes_name_every_file(folder):
    page = (PACKAGE / folder / "README.md" if folder else PACKAGE.parent / "README.md").read_text(encoding="utf-8")
    there = {file.name for file in (PACKAGE / folder).glob("*.py")} - ({"__init__.py"} if folder else set())
    assert there == set(re.findall(r"`(\w+\.py)`", page))
