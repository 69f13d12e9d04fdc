# SPDX-License-Identifier: Apache-2.0
"""Model files on the command line: planned on platforms known by name, checked, converted; and what is said where that fails."""

import json
import os

from harness import PARTITA_CHECK, CliTest, chain, main

MODELS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "examples", "models")
RESNET = os.path.join(MODELS, "resnet50.onnx")
LLAMA = os.path.join(MODELS, "llama-3-8b.json")


class Models(CliTest):
    def plan(self, *arguments):
        self.run_program("plan", *arguments, "--time-limit", "20", "-o", self.path("plan.json"))
        return self.read_json("plan.json")

    def test_an_onnx_file_is_planned_and_its_plan_checked(self):
        plan = self.plan(RESNET, "--platform", "4xa100")
        self.assertEqual(plan["status"], "optimal")
        self.assertEqual(len(plan["devices"]), 4)
        out, _ = self.run_program(RESNET, self.path("plan.json"), program=PARTITA_CHECK)
        self.assertIn("legal", out)
        out, _ = self.run_program("simulate", RESNET, self.path("plan.json"))
        self.assertIn("ms", out)

    def test_a_config_on_unequal_devices_of_two_servers(self):
        plan = self.plan(LLAMA, "--platform", "2x(a100+t4)+eth100", "--phase", "decode", "--batch", "8", "--context", "1024")
        self.assertEqual(plan["status"], "optimal")
        out, _ = self.run_program(LLAMA, self.path("plan.json"), program=PARTITA_CHECK)  # the plan knows the options
        self.assertIn("legal", out)

    def test_a_plan_stands_alone(self):
        plan = self.plan(RESNET, "--platform", "2xa100", "--dtype", "fp16", "--training", "--optimizer", "sgd")
        self.assertEqual(plan["model"]["options"], {"dtype": "fp16", "training": "true", "optimizer": "sgd"})
        self.assertEqual(plan["units"], {"time": "ms", "memory": "bytes"})
        for program in (PARTITA_CHECK, None):
            command = [self.path("plan.json")] if program else ["simulate", self.path("plan.json")]
            out, _ = self.run_program(*command, **({"program": program} if program else {}))
            self.assertIn("ms", out)
        self.assertEqual(len(plan["node_names"]), plan["model"]["nodes"])
        for place, cut in enumerate(plan["cuts"]):
            self.assertIn(cut["node"], plan["devices"][cut["from"]]["nodes"])
            self.assertIn(place, plan["devices"][cut["from"]]["sends"])
            for device in cut["to"]:
                self.assertIn(place, plan["devices"][device]["receives"])
        forward = [cut for cut in plan["cuts"] if cut.get("dtype")]
        self.assertTrue(forward)
        for cut in forward:
            elements = 1
            for extent in cut["shape"]:
                elements *= extent
            self.assertEqual(cut["bytes"], elements * {"fp16": 2, "int64": 8, "fp32": 4}[cut["dtype"]])

    def test_a_plan_of_another_graph_is_refused(self):
        self.plan(RESNET, "--platform", "2xa100")
        error = self.run_program(LLAMA, self.path("plan.json"), program=PARTITA_CHECK, code=5)[1]
        self.assertIn("is a plan for another graph", error)
        error = self.run_program(RESNET, self.path("plan.json"), "--training", program=PARTITA_CHECK, code=5)[1]
        self.assertIn("read with the same options", error)

    def test_what_a_transfer_takes_is_latency_and_bytes(self):
        """Two devices, so one cut: the load of each end holds what crosses it, at PCIe's 25 GB/s and 10 us."""
        plan = self.plan(RESNET, "--platform", "2xa100")
        out, _ = self.run_program("convert", RESNET, "--platform", "2xa100", "--to", "workload")
        written = json.loads(out)
        first = set(plan["devices"][0]["nodes"])
        cost = {e["sourceId"]: e["cost"] for e in written["edges"] if e["sourceId"] in first and e["destId"] not in first}
        expected = sum(c + 0.01 for c in cost.values() if c > 0)
        sent = [d for d in plan["devices"] if set(d["nodes"]) == first][0]
        self.assertAlmostEqual(sent["load"] - sent["compute"], expected, places=9)

    def test_training_has_a_backward_pass_and_more_memory(self):
        arguments = (RESNET, "--platform", "2xa100")
        inference = json.loads(self.run_program("convert", *arguments, "--to", "workload")[0])
        training = json.loads(self.run_program("convert", *arguments, "--training", "--to", "workload")[0])
        self.assertFalse(any(n.get("isBackwardNode") for n in inference["nodes"]))
        backward = [n for n in training["nodes"] if n.get("isBackwardNode")]
        self.assertGreater(len(backward), 100)
        weights = sum(n["size"] for n in inference["nodes"])
        self.assertGreater(sum(n["size"] for n in training["nodes"]), 4 * weights)  # gradients, two moments, activations
        sgd = json.loads(self.run_program("convert", *arguments, "--training", "--optimizer", "sgd", "--to", "workload")[0])
        adam_state = sum(n.get("optimizerState", 0) for n in training["nodes"])
        self.assertAlmostEqual(sum(n.get("optimizerState", 0) for n in sgd["nodes"]), adam_state / 2)

    def test_another_type_halves_the_memory(self):
        def memory(*options):
            out, _ = self.run_program("convert", RESNET, "--platform", "a100", "--to", "workload", *options)
            return sum(n["size"] for n in json.loads(out)["nodes"])
        self.assertAlmostEqual(memory("--dtype", "fp16") / memory(), 0.5, places=3)

    def test_a_model_needs_devices_with_speeds(self):
        self.assert_refused(2, "plan", RESNET, mentions=("--platform 4xa100",))
        platform = self.write("factors.json", {"version": 1, "classes": [{"name": "a", "kind": "accelerator", "count": 2}]})
        self.assert_refused(8, "plan", RESNET, "--platform", platform, mentions=("what its devices can do",))

    def test_a_workload_has_its_times_already(self):
        file = self.write("chain.json", chain())
        self.assert_refused(2, "plan", file, "--platform", "4xa100", mentions=("has its times already",))
        self.assert_refused(2, "plan", file, "--training", mentions=("only for model files",))

    def test_options_that_do_not_fit_the_model(self):
        self.assert_refused(2, "plan", RESNET, "--platform", "a100", "--optimizer", "sgd", mentions=("--optimizer",))
        self.assert_refused(2, "plan", RESNET, "--platform", "a100", "--dim", "batch", mentions=("--dim",))
        self.assert_refused(2, "plan", LLAMA, "--platform", "a100", "--dim", "batch=2", mentions=("--dim",))

    def test_platforms_are_listed_and_shown(self):
        out, _ = self.run_program("platforms")
        for name in ("h200", "rtx3090", "mi300x", "nvlink4", "eth100", "p5.48xlarge"):
            self.assertIn(name, out)
        out, _ = self.run_program("platforms", "2x(4xa100-nvlink)+ib")
        self.assertIn("23.4 GB/s", out)
        self.assert_refused(8, "platforms", "a10O", mentions=("did you mean 'a100'",))

    def test_files_that_are_no_models(self):
        with open(RESNET, "rb") as file:
            whole = file.read()
        for name, content, code in (("empty.onnx", b"", 5), ("cut.onnx", whole[:5000], 4), ("text.onnx", b"hello", 5),
                                    ("family.json", {"model_type": "perceiver", "hidden_size": 8}, 13),
                                    ("short.gguf", b"GGUF\x03\x00\x00\x00", 5)):
            with self.subTest(name):
                self.assert_refused(code, "plan", self.write(name, content), "--platform", "a100")


if __name__ == "__main__":
    main()
