# SPDX-License-Identifier: Apache-2.0
"""--report: pages that need nothing but a browser."""

import json
import os
import pathlib
import re
import unittest

from harness import CliTest, chain, edge, main, node, wide_graph, workload

DATA = re.compile(r'<script id="data" type="application/json">(.*?)</script>', re.DOTALL)
NAMESPACES = ("http://www.w3.org/2000/svg", "http://www.w3.org/1999/xhtml", "http://www.w3.org/1999/xlink")
SOURCE = pathlib.Path(__file__).resolve().parents[2]
WORKLOADS = pathlib.Path(os.environ.get("PARTITA_WORKLOADS", SOURCE.parent / "shared" / "workloads"))


def training():
    """A forward chain and its mirror image, each pair of twins of one colour."""
    nodes = [node(i, 1.0 + i, colorClass=i) for i in range(4)]
    nodes += [node(10 + i, 2.0 + i, colorClass=i, isBackwardNode=True) for i in range(4)]
    edges = [edge(i, i + 1, 0.5) for i in range(3)] + [edge(11 + i, 10 + i, 0.25) for i in range(3)]
    return workload(nodes, edges + [edge(3, 13, 0.5)], name="training")


class Report(CliTest):
    def page(self, *arguments, code=0):
        """Runs a command with --report, and returns the page's text and data."""
        self.run_program(*arguments, "--report", self.path("page.html"), code=code)
        text = self.read("page.html")
        data = DATA.findall(text)
        self.assertEqual(len(data), 1)
        return text, json.loads(data[0])

    def assert_self_contained(self, text):
        program = DATA.sub("", text)
        for namespace in NAMESPACES:
            program = program.replace(namespace, "")
        self.assertNotRegex(program, r"https?://")
        self.assertNotRegex(program, r"<link\b|<script[^>]*\bsrc=|<img\b|@import|url\((?!['\"]?(data:|#))")

    def test_plan_writes_a_page_that_agrees_with_the_plan(self):
        file = self.write("chain.json", chain())
        text, data = self.page("plan", file, "-o", self.path("plan.json"))
        self.assert_self_contained(text)
        plan = self.read_json("plan.json")
        self.assertEqual((data["version"], data["command"], data["title"]), (2, "plan", "chain"))
        for field in ("status", "value", "bound", "gap", "proof", "seconds"):
            self.assertEqual(data["plan"][field], plan[field], field)
        names = [device["name"] for device in data["devices"]]
        self.assertEqual(names, [device["name"] for device in plan["devices"]])
        for load in data["plan"]["loads"]:
            device = plan["devices"][load["device"]]
            self.assertEqual(load["load"], device["load"])
            self.assertEqual(load["memory"], device["memory"])
            self.assertEqual(load["nodes"], len(device["nodes"]))
        for place, node_id in enumerate(data["graph"]["id"]):
            piece = data["graph"]["pieces"][data["graph"]["piece"][place]]
            self.assertEqual(piece["device"], plan["assignment"][str(node_id)])
        self.assertEqual(data["convergence"][-1]["value"], plan["value"])
        self.assertEqual(data["timeline"]["schedule"], "pipeline")
        self.assertAlmostEqual(data["timeline"]["timePerSample"], plan["value"])

    def test_plan_for_every_objective(self):
        file = self.write("training.json", training())
        for options, schedule in ((["--objective", "latency"], "sequential"), (["--objective", "gpipe"], "gpipe"),
                                  (["--shape", "free"], "1f1b"), ([], "1f1b")):
            with self.subTest(options=options):
                _, data = self.page("plan", file, *options)
                self.assertEqual(data["plan"]["status"], "optimal")
                self.assertEqual(data["timeline"]["schedule"], schedule)
                self.assertEqual(len(data["timeline"]["lane"]), len(data["timeline"]["phase"]))

    def test_a_page_without_a_split_says_why(self):
        file = self.write("chain.json", chain(memory=0.5, hosts=0))
        text, data = self.page("plan", file, code=9)
        self.assert_self_contained(text)
        self.assertEqual(data["plan"]["status"], "infeasible")
        self.assertIn("fits no device", data["plan"]["reason"])
        self.assertNotIn("timeline", data)
        _, data = self.page("compare", file, code=9)
        self.assertEqual(data["plan"]["status"], "infeasible")

    def test_compare_shows_the_best_split_and_the_table(self):
        file = self.write("training.json", training())
        text, data = self.page("compare", file, "--time-limit", "5", "--format", "json", "-o", self.path("out.json"))
        self.assert_self_contained(text)
        table = self.read_json("out.json")["workloads"][0]
        self.assertEqual(data["command"], "compare")
        self.assertEqual(data["comparison"]["best"], table["best"])
        self.assertEqual(data["plan"]["value"], table["best"])
        self.assertEqual(data["plan"]["status"], "optimal")
        self.assertEqual([run["algorithm"] for run in data["comparison"]["runs"]],
                         [run["algorithm"] for run in table["algorithms"]])
        self.assertIn("timeline", data)

    def test_compare_shows_one_workload(self):
        file = self.write("chain.json", chain())
        self.assert_refused(2, "compare", file, file, "--report", self.path("page.html"), mentions=["--report"])

    def test_simulate_shows_the_plan_at_work(self):
        file = self.write("training.json", training())
        self.run_program("plan", file, "-o", self.path("plan.json"))
        text, data = self.page("simulate", file, self.path("plan.json"), "--samples", "30", "-o", self.path("out.json"))
        self.assert_self_contained(text)
        measured = self.read_json("out.json")
        self.assertEqual(data["command"], "simulate")
        self.assertEqual(data["plan"]["value"], measured["value"])
        self.assertEqual(data["timeline"]["samples"], 30)
        for field, name in (("timePerSample", "time_per_sample"), ("makespan", "makespan"), ("schedule", "schedule")):
            self.assertEqual(data["timeline"][field], measured[name], field)

    def test_sweep_shows_the_curve_and_the_point_that_is_enough(self):
        file = self.write("chain.json", chain())
        text, data = self.page("sweep", file, "--vary", "accelerators=1..6", "-o", self.path("sweep.json"))
        self.assert_self_contained(text)
        points = data["sweep"]["points"]
        self.assertEqual([point["label"] for point in points], ["1", "2", "3", "4", "5", "6"])
        self.assertEqual([point["value"] for point in points],
                         [point["value"] for point in self.read_json("sweep.json")["points"]])
        enough = points[data["sweep"]["enough"]]
        self.assertEqual(data["plan"]["value"], enough["value"])
        self.assertEqual(sum(device["kind"] == "accelerator" for device in data["devices"]), enough["parameter"])

    def test_a_sweep_without_splits_has_the_curve_alone(self):
        file = self.write("chain.json", chain(memory=0.5, hosts=0))
        _, data = self.page("sweep", file, "--vary", "accelerators=1..2", code=9)
        self.assertEqual([point["status"] for point in data["sweep"]["points"]], ["infeasible"] * 2)
        self.assertNotIn("plan", data)

    def test_only_one_output_can_be_standard_output(self):
        file = self.write("chain.json", chain())
        for command in (["plan", file, "-o", "-"], ["compare", file],
                        ["sweep", file, "--vary", "accelerators=1..2", "--svg", "-"]):
            self.assert_refused(2, *command, "--report", "-", mentions=["--report", "standard output"])

    def test_standard_output_can_be_the_page(self):
        file = self.write("chain.json", chain())
        out, err = self.run_program("plan", file, "--report", "-")
        self.assertTrue(out.startswith("<!doctype html>"))
        self.assertTrue(out.rstrip().endswith("</html>"))
        self.assertIn("optimal", err)

    def test_what_cannot_be_written_is_told_before_the_search(self):
        file = self.write("wide.json", wide_graph())
        for command in (["plan"], ["compare"], ["sweep", "--vary", "hosts=1..2"]):
            self.assert_refused(10, *command, file, "--report", self.path("no/page.html"), mentions=["--report"])

    def test_hostile_names_stay_text(self):
        hostile = "</script><script>alert(1)</script>"
        network = chain() | {"name": hostile}
        network["nodes"][0]["name"] = hostile
        plain, _ = self.page("plan", self.write("chain.json", chain()))
        text, data = self.page("plan", self.write("hostile.json", network))
        self.assertEqual(text.count("<script"), plain.count("<script"))
        self.assertEqual(data["title"], hostile)
        self.assertEqual(data["graph"]["name"][0], hostile)

    def test_pages_of_real_networks_are_small(self):
        for name, limit in (("bert-large-inference", 1e6), ("densenet-201-training", 5e6)):
            file = WORKLOADS / "h200" / f"{name}.json.gz"
            if not file.exists():
                raise unittest.SkipTest(f"{file} is not here")
            with self.subTest(name=name):
                text, data = self.page("plan", str(file), "--algorithm", "linear", "--time-limit", "5", "-q")
                self.assertLess(len(text), limit)
                self.assertEqual(data["title"], name)


if __name__ == "__main__":
    main()
