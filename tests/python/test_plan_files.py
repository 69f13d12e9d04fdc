# SPDX-License-Identifier: Apache-2.0
"""Plans that are written, read again, shown, cut and exported."""

import json
import subprocess

import pytest
from planning_support import EXAMPLES, chain, program

from partita import Graph, InputError, Plan, Platform, plan

RESNET = EXAMPLES / "models" / "resnet50.onnx"


@pytest.fixture(scope="module")
def resnet():
    return plan(RESNET, "2xa100", time_limit=5, gap=0.01)


def test_a_plan_is_read_with_the_model_that_it_names(resnet, tmp_path):
    resnet.save(tmp_path / "plan.json")
    again = Plan.read(tmp_path / "plan.json")
    assert (again.value, again.bound, again.status) == (resnet.value, resnet.bound, resnet.status)
    assert again.device_of.tolist() == resnet.device_of.tolist()
    assert [stage.device for stage in again.stages] == [stage.device for stage in resnet.stages]


def test_a_plan_of_a_graph_in_memory(tmp_path):
    graph = chain(6)
    best = plan(graph, Platform.of(accelerators=2))
    best.save(tmp_path / "plan.json")
    with pytest.raises(InputError, match="does not say which model it is for"):
        Plan.read(tmp_path / "plan.json")
    again = Plan.read(tmp_path / "plan.json", graph=graph)
    assert again.device_of.tolist() == best.device_of.tolist() and again.status == "optimal"
    with pytest.raises(InputError, match="is a plan for another graph"):
        Plan.read(tmp_path / "plan.json", graph=chain(7))


def test_the_command_line_takes_the_plan(resnet, tmp_path):
    resnet.save(tmp_path / "plan.json")
    subprocess.run([program(), "check", RESNET, tmp_path / "plan.json", "-q"], check=True, timeout=60)


def test_files_that_are_no_plan(tmp_path):
    with pytest.raises(InputError, match="cannot be opened"):
        Plan.read(tmp_path / "missing.json")
    (tmp_path / "broken.json").write_text("{")
    with pytest.raises(InputError, match="broken.json"):
        Plan.read(tmp_path / "broken.json")


def test_the_page_and_the_picture(resnet, tmp_path):
    resnet.report(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    assert page.startswith("<!doctype html>") or page.lower().startswith("<!doctype html>")
    assert "resnet50" in page
    assert resnet.svg().startswith("<svg") and "</svg>" in resnet.svg()
    shown = resnet._repr_html_()
    assert shown.startswith('<iframe srcdoc="') and shown.count('"') < 20  # all of the page's own are escaped
    assert not list(tmp_path.glob(".partita*"))
    with pytest.raises(InputError, match="cannot be written"):
        resnet.report(tmp_path / "nowhere" / "page.html")


def test_a_model_is_cut_as_the_command_line_cuts_it(resnet, tmp_path):
    resnet.save(tmp_path / "plan.json")
    resnet.split(tmp_path / "stages")
    command = [program(), "split", RESNET, tmp_path / "plan.json", "-o", tmp_path / "cli", "-q"]
    subprocess.run(command, check=True, timeout=60)
    names = sorted(path.name for path in (tmp_path / "cli").iterdir())
    assert names == sorted(path.name for path in (tmp_path / "stages").iterdir())
    for name in names:
        assert (tmp_path / "stages" / name).read_bytes() == (tmp_path / "cli" / name).read_bytes(), name


def test_a_folder_of_stages_is_replaced_only_where_asked(resnet, tmp_path):
    resnet.split(tmp_path / "stages")
    with pytest.raises(InputError, match="holds stages already, which force replaces"):
        resnet.split(tmp_path / "stages")
    resnet.split(tmp_path / "stages", chain=True, force=True)
    assert (tmp_path / "stages" / "pipeline.json").exists()
    with pytest.raises(InputError, match="is no ONNX model, which is what can be split"):
        plan(chain(4), Platform.of(accelerators=2)).split(tmp_path / "other")
    assert not (tmp_path / "other").exists()


def test_settings_for_engines(tmp_path):
    model = EXAMPLES / "models" / "llama-3-8b.json"
    best = plan(model, "2xa100", contract_layers=True, time_limit=5, gap=0.05, sequence=256)
    text = best.export("accelerate")
    assert json.loads(text)
    best.export("accelerate", tmp_path / "map.json")
    assert (tmp_path / "map.json").read_text() == text
    with pytest.raises(InputError, match="target: 'vlm' is no engine; expected one of vllm"):
        best.export("vlm")


def test_plans_are_not_pickled():
    import pickle

    with pytest.raises(TypeError, match="pass to_json"):
        pickle.dumps(plan(chain(3), Platform.of(accelerators=2)))


def test_to_dict_is_the_document():
    best = plan(Graph.read(EXAMPLES / "with-host.json"))
    assert best.to_dict()["value"] == 10.75 and best.to_dict()["model"]["file"].endswith("with-host.json")
