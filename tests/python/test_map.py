# SPDX-License-Identifier: Apache-2.0
"""Many questions at once: answers in order, errors in their place."""

import concurrent.futures
import json

import pytest
from planning_support import EXAMPLES, chain

import partita
from partita import InputError, Platform, plan

QUESTIONS = [{"graph": str(EXAMPLES / "with-host.json"), "platform": Platform.of(accelerators=n)} for n in (1, 2, 3)]
VALUES = [81, 10.75, 6.25]


def test_questions_on_all_cores_come_back_in_order(tmp_path):
    answers = partita.map(QUESTIONS, workers=2)
    assert [answer.value for answer in answers] == VALUES
    assert [answer.status for answer in answers] == ["optimal"] * 3
    assert answers[1].to_dict()["devices"] and answers[1].unit == "ms"
    assert answers[1].question["graph"].endswith(".json")
    answers[1].save(tmp_path / "plan.json")
    assert json.loads((tmp_path / "plan.json").read_text()) == answers[1].to_dict()


def test_questions_on_an_executor():
    with concurrent.futures.ThreadPoolExecutor(2) as executor:
        graph = chain(6)
        answers = partita.map([{"graph": graph, "platform": Platform.of(accelerators=n)} for n in (1, 2)], executor)
    assert [answer.value for answer in answers] == [plan(graph, Platform.of(accelerators=n)).value for n in (1, 2)]


def test_an_error_is_raised_or_returned():
    questions = [QUESTIONS[0], {"graph": "nowhere.json"}, QUESTIONS[1]]
    with concurrent.futures.ThreadPoolExecutor(2) as executor:
        with pytest.raises(InputError, match="nowhere.json: cannot be opened"):
            partita.map(questions, executor)
        first, error, last = partita.map(questions, executor, errors="return")
    assert (first.value, last.value) == (81, 10.75) and isinstance(error, InputError)


def test_errors_come_back_from_processes():
    answers = partita.map([{"graph": "nowhere.json"}, QUESTIONS[1]], workers=1, errors="return")
    assert isinstance(answers[0], InputError) and "nowhere.json" in str(answers[0]) and answers[1].value == 10.75


@pytest.mark.parametrize(
    "questions, arguments, text",
    [
        ([{"platform": "4xa100"}], {}, "questions[0]: found {'platform': '4xa100'}; expected arguments of plan"),
        ([{"graph": "a", "callback": print}], {}, "questions[0]: callback is not for what others answer"),
        ([], {"executor": "spark"}, "executor: found 'spark'; expected 'ray'"),
        ([], {"errors": "ignore"}, "errors: found 'ignore'; expected 'raise' or 'return'"),
    ],
)
def test_what_are_no_questions(questions, arguments, text):
    with pytest.raises(InputError) as raised:
        partita.map(questions, **arguments)
    assert text in str(raised.value)


@pytest.mark.long
def test_questions_on_ray():
    ray = pytest.importorskip("ray")
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    try:
        answers = partita.map([*QUESTIONS, {"graph": "nowhere.json"}], executor="ray", errors="return")
    finally:
        ray.shutdown()
    assert [answer.value for answer in answers[:3]] == VALUES and isinstance(answers[3], InputError)
