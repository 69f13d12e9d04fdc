# SPDX-License-Identifier: Apache-2.0
"""partita sweep: ranges, refusals, the table, JSON, the picture, exit codes, Ctrl-C."""

import json
import os
import re
import signal
import subprocess
import xml.etree.ElementTree as ElementTree

from harness import PARTITA, SLACK, CliTest, chain, edge, main, wide_graph

ROOT = os.path.join(os.path.dirname(__file__), "..", "..")
DOCS = os.path.join(ROOT, "docs", "formats.md")
BERT = os.path.join(ROOT, "examples", "bert-large-inference.json.gz")


class Sweep(CliTest):
    def setUp(self):
        super().setUp()
        self.file = self.write("chain.json", chain(length=4, hosts=0))

    def sweep(self, vary, *arguments, file=None, code=0):
        out, _ = self.run_program("sweep", file or self.file, "--vary", vary, "-q", "-o", "-", *arguments, code=code)
        return json.loads(out)

    def values(self, *arguments, **keywords):
        return [point["value"] for point in self.sweep(*arguments, **keywords)["points"]]

    def parameters(self, vary):
        return [point["parameter"] for point in self.sweep(vary)["points"]]

    def test_values_of_a_chain(self):
        for value, known in zip(self.values("accelerators=1..4"), (4, 2.1, 2.1, 1.2)):
            self.assertAlmostEqual(value, known)
        for value, known in zip(self.values("bandwidth=0.1,1,10", "--accelerators", "2"), (3, 2.1, 2.01)):
            self.assertAlmostEqual(value, known)

    def test_ranges(self):
        self.assertEqual(self.parameters("accelerators=1..3"), [1, 2, 3])
        self.assertEqual(self.parameters("accelerators=1..8:3"), [1, 4, 7])
        self.assertEqual(self.parameters("accelerators=5,1,2,1,4..5"), [1, 2, 4, 5])
        self.assertEqual(self.parameters("memory=1KiB..3KiB:1KiB"), [1024, 2048, 3072])
        self.assertEqual(self.parameters("memory=2GB"), [2e9])
        self.assertEqual(len(self.parameters("bandwidth=0.1..0.5:0.1")), 5)
        self.assertEqual(self.parameters("hosts=0..2"), [0, 1, 2])

    def test_the_table(self):
        out, err = self.run_on_terminal("sweep", self.file, "--vary", "accelerators=1..8")
        self.assertRegex(out, r"(?m)^chain: 4 nodes, 3 edges; 2 accelerators")
        self.assertRegex(out, r"(?m)^ +2 +2\.10000 +2\.10000 +0 % +optimal +1\.90x +\+90\.48 %$")
        self.assertRegex(out, r"(?m)^ +2 +95\.2 % +2 ")  # the table is folded: it is wider than 80 columns
        self.assertRegex(out, r"(?m)^ +4 .*<- enough$")
        self.assertRegex(out, r"(?m)^4 accelerators are enough: 4 more gain nothing, and no staged split could gain\n  anything$")
        self.assertEqual(len(re.findall(r"(?m)^\[\d/8\] accelerators \d: optimal", err)), 8)
        self.assertIn("by its neighbours", err)
        self.assertEqual(self.run_program("sweep", self.file, "--vary", "accelerators=1..8")[1], "")

    def test_how_much_is_worthwhile_is_a_choice(self):
        self.assertEqual(self.sweep("accelerators=1..4")["enough"], None)
        self.assertEqual(self.sweep("accelerators=1..4", "--worthwhile", "0.8")["enough"], 1)

    def test_points_without_a_split(self):
        result = self.sweep("memory=0.5,1,4", "--accelerators", "4")
        self.assertEqual([point["status"] for point in result["points"]], ["infeasible", "optimal", "optimal"])
        self.assertIn("fits no device", result["points"][0]["reason"])
        out, _ = self.run_program("sweep", self.file, "--vary", "memory=0.5,1,4", "-q")
        self.assertRegex(out, r"(?m)^memory 0\.5 bytes to 1 bytes: infeasible: |^memory 0\.5 bytes: infeasible: ")
        _, err = self.run_program("sweep", self.file, "--vary", "memory=0.1,0.5", "-q", code=9)
        self.assertIn("no split at any point", err)

    def test_questions_have_their_options(self):
        for options in (("--objective", "latency"), ("--shape", "free"), ("--replicate", "2"), ("--transfers", "overlap"),
                        ("--algorithm", "linear"), ("--memory-model", "1f1b"), ("--gap", "0.5")):
            values = self.values("accelerators=1..3", *options)
            self.assertEqual(values, sorted(values, reverse=True))
        self.assertAlmostEqual(self.values("accelerators=1..2", "--replicate", "2")[1], 2)
        self.assertNotIn("shape", self.sweep("accelerators=1..2", "--objective", "latency"))

    def test_the_picture(self):
        self.run_program("sweep", self.file, "--vary", "accelerators=1..8", "-q", "--svg", self.path("curve.svg"))
        root = ElementTree.fromstring(self.read("curve.svg"))
        self.assertEqual(len(root.findall("{http://www.w3.org/2000/svg}circle")), 8)

    def test_the_documented_fields_are_those_written(self):
        with open(DOCS, encoding="utf-8") as file:
            documented = [json.loads(text) for text in re.findall(r"```json\n(.*?)```", file.read(), re.S)]
        shown = next(d for d in documented if d.get("partita", {}).get("format") == "sweep")
        written = self.sweep("accelerators=0..3", file=self.write("tiny.json", documented[0]))
        self.assertEqual(list(shown), list(written))
        for one, other in zip(shown["points"], written["points"], strict=True):
            self.assertEqual(list(one), list(other))
            for field in ("parameter", "label", "status", "value", "speed_up", "gain", "efficiency", "devices_used",
                          "proof"):
                self.assertEqual(one[field], other[field])
        self.assertEqual((shown["enough"], shown["verdict"]), (written["enough"], written["verdict"]))

    def test_bert_over_accelerators(self):
        result = self.sweep("accelerators=1..8", "--time-limit", str(60 * SLACK), file=BERT)
        self.assertEqual({point["status"] for point in result["points"]}, {"optimal"})
        values = [point["value"] for point in result["points"]]
        self.assertEqual(values, sorted(values, reverse=True))
        self.run_program("plan", BERT, "--accelerators", "5", "-q", "-o", self.path("plan.json"))
        self.assertAlmostEqual(values[4], self.read_json("plan.json")["value"], 5)


class Refusals(CliTest):
    def setUp(self):
        super().setUp()
        self.file = self.write("chain.json", chain())

    def refused(self, vary, *mentions, code=2):
        self.assert_refused(code, "sweep", self.file, "--vary", vary, mentions=("--vary", *mentions))

    def test_no_time_at_all_still_gives_a_curve(self):
        out, _ = self.run_program("sweep", self.file, "--vary", "accelerators=1,2", "--time-limit", "0")
        self.assertRegex(out, r"(?m)^ +2 .* (feasible|optimal) ")

    def test_ranges_that_make_no_sense(self):
        self.refused("accelerators", "no '='", "accelerators=1..8")
        self.refused("gpus=1..8", "'gpus' cannot be varied", "accelerators, hosts, memory or bandwidth")
        self.refused("accelerators=8..1", "ends before it begins", "1..8")
        self.refused("accelerators=1..8:0", "step of 0")
        self.refused("accelerators=1.5", "'1.5' is no value of accelerators", "whole number")
        self.refused("accelerators=-1", "'-1' is no value")
        self.refused("accelerators=", "is missing")
        self.refused("accelerators=1,,2", "is missing")
        self.refused("accelerators=1..1000", "more than 256 points")
        self.refused("memory=4GiB..8GiB", "needs a step", "4GiB..8GiB:STEP")
        self.refused("memory=big", "'big' is no value of memory", "16GiB")
        self.refused("bandwidth=0", "above 0")
        self.assert_refused(2, "sweep", self.file, "--vary", "accelerators=1..8", "--accelerators", "4",
                            mentions=["--accelerators: --vary accelerators already says this"])
        self.assert_refused(2, "sweep", self.file, "--vary", "memory=1G,2G", "--memory", "4G", mentions=["--memory: "])
        self.assert_refused(2, "sweep", self.file, "--vary", "hosts=1,2", "--hosts", "0", mentions=["--hosts: "])
        self.assert_refused(2, "sweep", self.file, mentions=("--vary",))
        self.assert_refused(2, "sweep", self.file, "--vary", "hosts=1,2", "-o", "-", "--svg", "-", mentions=("--svg",))

    def test_platforms_without_such_a_number(self):
        platform = {"version": 1, "classes": [{"name": "fast", "kind": "accelerator", "count": 1},
                                {"name": "slow", "kind": "accelerator", "count": 1}]}
        nodes = [{"id": i, "latency": {"fast": 1, "slow": 2}} for i in range(3)]
        self.file = self.write("two.json", {"platform": platform, "nodes": nodes, "edges": [edge(0, 1), edge(1, 2)]})
        self.refused("accelerators=1..3", "2 classes of accelerators (fast, slow)",
                     "what can be varied here: memory (of every accelerator), bandwidth", code=8)
        self.run_program("sweep", self.file, "--vary", "bandwidth=1,2", "-q")
        self.file = self.write("chain.json", chain(accelerators=4))
        self.assert_refused(8, "sweep", self.file, "--clusters", "2:0.5", "--vary", "accelerators=2,4",
                            mentions=("in which clusters",))
        self.run_program("sweep", self.file, "--clusters", "2:0.5", "--vary", "memory=1KB,2KB", "-q")


class Interruptions(CliTest):
    def test_ctrl_c_keeps_the_points_so_far(self):
        file = self.write("wide.json", wide_graph())
        process = subprocess.Popen([PARTITA, "sweep", file, "--vary", "accelerators=1..12", "--shape", "free",
                                    "--time-limit", "4", "-o", self.path("sweep.json")], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE)
        self.assertRegex(process.stderr.readline(), rb"^5\.|^\d\.\d / 4 s|^\[")  # the first line comes after some points
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60 * SLACK)
        self.assertEqual(process.returncode, 0, err.decode())
        self.assertIn(b"interrupted", err)
        points = self.read_json("sweep.json")["points"]
        self.assertTrue(1 <= len(points) < 12)
        self.assertEqual(points[0]["parameter"], 1)
        self.assertIn(b"accelerators", out)


if __name__ == "__main__":
    main()
