# SPDX-License-Identifier: Apache-2.0
"""The examples in docstrings do what they say, the package loads fast, and its stubs name what is there."""

import ast
import doctest
import importlib
import os
import subprocess
import sys

import pytest
from planning_support import ROOT

PACKAGE = ROOT / "python" / "partita"


@pytest.mark.parametrize("module", ["arrays", "graph", "many", "planning", "platform", "progress", "result", "studies"])
def test_examples(module, monkeypatch):
    monkeypatch.chdir(ROOT)
    results = doctest.testmod(importlib.import_module(f"partita.{module}"))
    assert results.failed == 0


def test_nothing_heavy_is_loaded_with_the_package():
    script = "import sys, time; t = time.perf_counter(); import partita; print(time.perf_counter() - t, *sys.modules)"
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "python")}
    output = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, env=environment)
    seconds, *modules = output.stdout.split()
    print(f"import partita: {float(seconds) * 1e3:.1f} ms")
    assert not {"numpy", "onnx", "onnxruntime", "ray", "torch", "pandas", "networkx"} & set(modules)
    assert float(seconds) < 5  # on any machine, however busy; the aim is 0.2 s


def test_stubs_name_what_the_module_has():
    stubs = ast.parse((PACKAGE / "_partita.pyi").read_text())
    named = {node.name for node in stubs.body if isinstance(node, (ast.ClassDef, ast.FunctionDef))}
    module = importlib.import_module("partita._partita")
    there = {name for name in dir(module) if not name.startswith("_")}
    assert there == named
    assert (PACKAGE / "py.typed").exists()
