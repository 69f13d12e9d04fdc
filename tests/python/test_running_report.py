# SPDX-License-Identifier: Apache-2.0
"""The page of a run is made by the program: what it is given, and what is said when it is not there."""

import json
import os
import stat
import sys

import pytest

pytest.importorskip("numpy")
pytest.importorskip("onnx", reason="the package onnx is not installed")
pytest.importorskip("onnxruntime", reason="the package onnxruntime is not installed")

import partita
from models import chain, chain_groups, cut, plan_of
from partita.__main__ import main


@pytest.fixture(name="folder")
def two_stages(tmp_path):
    return cut(chain(layers=2), tmp_path / "stages", chain_groups(2, 2))


def stand_in(tmp_path, monkeypatch, body):
    """A program that does what the text says, in place of partita."""
    program = tmp_path / "partita-stand-in"
    program.write_text(f"#!{sys.executable}\nimport sys\n{body}\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PARTITA", str(program))


def test_the_program_is_given_the_plan_and_the_trace(folder, tmp_path, monkeypatch, capsys):
    stand_in(tmp_path, monkeypatch, "a = sys.argv; open(a[6], 'w').write(repr(a[1:3]) + open(a[4]).read())")
    plan = plan_of(folder, tmp_path / "plan.json")
    page = tmp_path / "page.html"
    assert main(["run", str(folder), str(plan), "--samples", "4", "--oversubscribe", "--report", str(page)]) == 0
    assert f"wrote {page}" in capsys.readouterr().out
    called, _, trace = page.read_text().partition("]")
    assert called == f"['simulate', '{plan}'"
    assert json.loads(trace)["otherData"]["workload"] == "model"


def test_what_the_program_refuses_is_said_in_its_words(folder, tmp_path, monkeypatch):
    stand_in(tmp_path, monkeypatch, "sys.exit('partita: the plan is odd')")
    result = partita.run(folder, plan_of(folder, tmp_path / "plan.json"), samples=3, oversubscribe=True)
    with pytest.raises(partita.InputError, match="^the plan is odd$"):
        result.write_report(tmp_path / "page.html")


def test_no_plan_or_no_program_is_said_before_the_run(folder, tmp_path, monkeypatch, capsys):
    stand_in(tmp_path, monkeypatch, "")
    assert main(["run", str(folder), "--report", str(tmp_path / "page.html")]) == 2
    assert "a report compares a run with its plan, and there is none" in capsys.readouterr().err
    monkeypatch.delenv("PARTITA")
    monkeypatch.setenv("PATH", os.fspath(tmp_path / "nothing"))
    plan = plan_of(folder, tmp_path / "plan.json")
    assert main(["run", str(folder), str(plan), "--report", str(tmp_path / "page.html")]) == 1
    printed = capsys.readouterr()
    assert "a report needs the program partita" in printed.err and printed.out == ""
