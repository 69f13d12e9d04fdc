# SPDX-License-Identifier: Apache-2.0
"""Costs from measurements: calibrate, --efficiencies and --profile, and what is said of files that do not fit."""

import json
import os

from harness import CliTest, chain, edge, main, node, workload

MODELS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "examples", "models")
RESNET = os.path.join(MODELS, "resnet50.onnx")


def measured(factor=1.0):
    """A chain of ReLUs of ATen that take 1 us and reach half of an H200's bandwidth; the first ten are so small that the 1 us is all."""
    nodes, edges = [], []
    sizes = [1e3] * 10 + [1e6 * (i + 1) for i in range(30)]
    for i, size in enumerate(sizes):
        read = sizes[i - 1] if i else 0
        nodes.append(dict(node(i, fpgaLatency=factor * (1e-3 + 1e3 * (size + read) / 2.4e12)), op="aten.relu.default",
                          outputBytes=size))
        if i:
            edges.append(edge(i - 1, i))
    return workload(nodes, edges)


class Calibrate(CliTest):
    def test_fits_and_predicts(self):
        train, test = self.write("train.json", measured()), self.write("test.json", measured(2))
        out, _ = self.run_program("calibrate", train, "--device", "h200", "--test", test, "-o", self.path("e.json"),
                                  "--predict", self.path("predicted"))
        self.assertIn("elementwise", out)
        self.assertIn("a test", out)
        written = self.read_json("e.json")
        self.assertEqual(written["version"], 1)
        [row] = [r for r in written["efficiencies"] if r["family"] == "elementwise" and not r["backward"]]
        self.assertTrue(row["calibrated"])
        self.assertAlmostEqual(row["memory"], 0.5, delta=0.02)
        self.assertEqual(len(os.listdir(self.path("predicted"))), 1)

    def test_efficiencies_count_in_plans(self):
        slow = {"version": 1, "efficiencies": [{"family": "convolution", "compute": 0.001, "memory": 0.5}]}
        def conv_time(*options):
            out, _ = self.run_program("convert", RESNET, "--platform", "2xa100", "--to", "workload", *options)
            return max(n["fpgaLatency"] for n in json.loads(out)["nodes"])
        self.assertGreater(conv_time("--efficiencies", self.write("slow.json", slow)), 10 * conv_time())

    def test_bad_requests(self):
        file = self.write("chain.json", chain())
        self.assert_refused(2, "calibrate", file, "--device", "h20", mentions=("no known device",))
        self.assert_refused(5, "calibrate", file, "--device", "h200", mentions=("measured operators",))
        self.assert_refused(2, "plan", file, "--efficiencies", "e.json", mentions=("only for model files",))
        bad = self.write("bad.json", {"version": 7, "efficiencies": []})
        self.assert_refused(13, "plan", RESNET, "--platform", "2xa100", "--efficiencies", bad, mentions=("version",))


class Profiles(CliTest):
    def workload(self, *options):
        out, _ = self.run_program("convert", RESNET, "--platform", "2xa100", "--to", "workload", *options)
        return json.loads(out)

    def test_measured_times_take_the_place_of_estimates(self):
        name = next(n["name"] for n in self.workload()["nodes"] if n.get("op") == "Conv")
        table = self.path("times.csv")
        with open(table, "w") as file:
            file.write(f"name,time (us)\n\"{name}\",7000\n")
        [node_] = [n for n in self.workload("--profile", table)["nodes"] if n["name"] == name]
        self.assertAlmostEqual(node_["fpgaLatency"], 7.0)

    def test_profiles_of_other_models_and_bad_tables(self):
        for content, code, words in (("name,time\nnobody,1\n", 5, "a profile of another model"),
                                     ("name,time\nnobody,soon\n", 7, "line 2"),
                                     ("[\n{\"cat\" : \"Node\",\"dur\" :1", 4, "cut off")):
            table = self.path("times.csv")
            with open(table, "w") as file:
                file.write(content)
            self.assert_refused(code, "plan", RESNET, "--platform", "2xa100", "--profile", table, mentions=(words,))
        self.assert_refused(2, "plan", RESNET, "--platform", "2xa100", "--profile-on", "a100",
                            mentions=("only with --profile",))
        self.assert_refused(3, "plan", RESNET, "--platform", "2xa100", "--profile", self.path("none.csv"))


if __name__ == "__main__":
    main()
