# SPDX-License-Identifier: Apache-2.0
"""partita split: stages that run as the model does, in ONNX Runtime; the folder that it makes, and what it refuses.

What runs the stages is in the Python that PARTITA_TEST_PYTHON names; without one, those tests are skipped and say so."""

import json
import os
import resource
import signal
import subprocess
import time
import unittest

from harness import PARTITA, SLACK, CliTest, main

HERE = os.path.dirname(os.path.abspath(__file__))
RUNNER = os.path.join(HERE, "..", "write", "stages_run_alike.py")
RESNET = os.path.join(HERE, "..", "..", "examples", "models", "resnet50.onnx")
BERT = os.path.join(HERE, "..", "..", "examples", "models", "bert_base.onnx")
WORKLOADS = os.environ.get("PARTITA_WORKLOADS", os.path.join(HERE, "..", "..", "..", "shared", "workloads"))
TEST_PYTHON = os.environ.get("PARTITA_TEST_PYTHON")
MODELS = int(os.environ.get("PARTITA_SPLIT_MODELS", "50"))  # random ones


class StagesRunAlike(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if SLACK > 1:
            raise unittest.SkipTest("hundreds of starts of the program, which sanitizers slow down; the unit tests cut the same way")
        if not TEST_PYTHON:
            raise unittest.SkipTest("stages are not run: PARTITA_TEST_PYTHON names no Python with onnx and onnxruntime")

    def run_alike(self, *arguments):
        done = subprocess.run([TEST_PYTHON, RUNNER, *arguments], capture_output=True, text=True, check=False, timeout=550,
                              env=os.environ | {"PARTITA": os.path.abspath(PARTITA)})
        self.assertEqual(done.returncode, 0, done.stdout[-4000:] + done.stderr[-4000:])
        return done.stdout.splitlines()

    def test_models_of_exporters(self):
        models = [os.path.join(WORKLOADS, "onnx", name + ".onnx") for name in ("tiny_gpt2", "squeezenet_ts")]
        if not all(os.path.exists(model) for model in models):
            self.skipTest("the exporters' models are not there: ../shared/workloads/onnx, or PARTITA_WORKLOADS")
        self.assertEqual(len(self.run_alike("files", *models)), len(models))

    def test_models_of_the_onnx_project(self):
        folder = os.environ.get("PARTITA_SPLIT_TESTDATA")
        if not folder:
            self.skipTest("set PARTITA_SPLIT_TESTDATA to the folder of libonnx-testdata to split its models too")
        self.assertGreater(len(self.run_alike("testdata", folder)), 50)

    def test_random_models(self):
        self.assertEqual(len(self.run_alike("random", str(MODELS))), MODELS)


class Split(CliTest):
    def plan(self, model=RESNET, *options):
        self.run_program("plan", model, "--platform", "3xa100", "--time-limit", "20", "-q", *options, "-o", self.path("plan.json"))
        return self.path("plan.json")

    def split(self, *options, model=RESNET):
        return self.run_program("split", model, self.path("plan.json"), "-o", self.path("out"), *options)

    def pipeline(self):
        return self.read_json("out/pipeline.json")

    def leftovers(self):
        return [name for name in os.listdir(self.folder) if name.startswith(".partita")]

    def test_a_pipeline_says_how_its_stages_are_chained(self):
        self.plan()
        out, _ = self.split()
        self.assertIn("stage 2", out)
        pipeline = self.pipeline()
        self.assertEqual(pipeline["partita"]["format"], "pipeline")
        self.assertEqual([s["stage"] for s in pipeline["stages"]], [0, 1, 2])
        made = []
        for stage in pipeline["stages"]:
            self.assertTrue(os.path.exists(self.path("out/" + stage["file"])))
            for value in stage["inputs"]:
                if value["from"] != "input":
                    self.assertIn(value["name"], made[value["from"]["stage"]])
                self.assertGreater(value["bytes"], 0)
                self.assertEqual(value["dtype"], "fp32")
            made.append({value["name"] for value in stage["outputs"]})
        for value in pipeline["outputs"]:
            self.assertIn(value["name"], made[value["from"]["stage"]])
        self.assertEqual(sorted(os.listdir(self.path("out"))), sorted(pipeline["files"] + ["pipeline.json"]))

    def test_the_stages_of_a_plan_are_models_again(self):
        self.plan()
        self.split()
        for stage in self.pipeline()["stages"]:
            out, _ = self.run_program("convert", self.path("out/" + stage["file"]), "--platform", "a100", "--to", "workload")
            operators = [n for n in json.loads(out)["nodes"] if n["op"] not in ("input", "output")]
            self.assertGreater(len(operators), 0)
            self.assertLessEqual(len(operators), stage["nodes"])

    def test_training_plans_give_their_forward_pass(self):
        self.plan(RESNET, "--training")
        out, _ = self.split("--training")
        self.assertIn("forward pass", out)

    def test_latency_plans_are_cut_into_pieces(self):
        self.plan(RESNET, "--objective", "latency")
        self.split()
        self.assertGreaterEqual(len(self.pipeline()["stages"]), 1)

    def test_copies_of_a_stage_are_one_file(self):
        self.plan(RESNET, "--replicate", "3")
        self.split()
        stages = self.pipeline()["stages"]
        devices = sum(1 + len(stage.get("copies", [])) for stage in stages)
        self.assertEqual(devices, 3)
        self.assertEqual(len({stage["file"] for stage in stages}), len(stages))

    def test_a_folder_is_replaced_only_if_it_is_ours_and_asked_for(self):
        self.plan()
        os.mkdir(self.path("out"))  # an empty one will do
        self.split()
        self.assert_refused(10, "split", RESNET, self.path("plan.json"), "-o", self.path("out"), mentions=["--force"])
        before = os.stat(self.path("out/stage_0.onnx")).st_ino
        self.split("--force")
        self.assertNotEqual(before, os.stat(self.path("out/stage_0.onnx")).st_ino)
        self.write("out/mine.txt", "mine")
        self.assert_refused(10, "split", RESNET, self.path("plan.json"), "-o", self.path("out"), "--force", mentions=["mine.txt"])
        self.assertEqual(self.read("out/mine.txt"), "mine")
        os.mkdir(self.path("other"))
        self.write("other/file", "")
        self.assert_refused(10, "split", RESNET, self.path("plan.json"), "-o", self.path("other"), "--force", mentions=["not empty"])
        self.assert_refused(10, "split", RESNET, self.path("plan.json"), "-o", self.path("other/file"))
        self.assert_refused(10, "split", RESNET, self.path("plan.json"), "-o", self.path("no/such/folder"))
        self.assertEqual(self.leftovers(), [])

    def test_nothing_half_written_is_left_behind(self):
        model, size = self.external_model(4_000_000_000)
        self.run_program("plan", model, "--platform", "2xa100", "-q", "-o", self.path("plan.json"))
        process = subprocess.Popen([PARTITA, "split", model, self.path("plan.json"), "--copy-weights", "-o", self.path("out")],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        while process.poll() is None and not self.leftovers():
            time.sleep(0.01)
        time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=120)
        self.assertEqual(process.returncode, 10, err)
        self.assertIn(b"interrupted", err)
        self.assertFalse(os.path.exists(self.path("out")))
        self.assertEqual(self.leftovers(), [])
        limit = 1 << 20

        def few_bytes():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

        done = subprocess.run([PARTITA, "split", model, self.path("plan.json"), "--copy-weights", "-o", self.path("out")],
                              capture_output=True, preexec_fn=few_bytes, check=False, timeout=120)
        self.assertEqual(done.returncode, 10, done.stderr)
        self.assertEqual(self.leftovers(), [])
        self.assertGreater(size, limit)

    def test_plans_of_other_models_are_refused(self):
        self.plan()
        self.assert_refused(5, "split", BERT, self.path("plan.json"), "-o", self.path("out"), mentions=["another graph"])
        self.assert_refused(5, "split", RESNET, self.path("plan.json"), "--training", "-o", self.path("out"))
        plan = self.read_json("plan.json")
        plan["devices"][0]["nodes"].pop()
        self.assert_refused(11, "split", RESNET, self.write("missing.json", plan), "-o", self.path("out"))
        self.assertFalse(os.path.exists(self.path("out")))
        self.assertEqual(self.leftovers(), [])

    def test_what_cannot_be_split(self):
        config = os.path.join(HERE, "..", "..", "examples", "models", "llama-3-8b.json")
        self.plan()
        self.assert_refused(13, "split", config, self.path("plan.json"), "-o", self.path("out"), mentions=["no ONNX model"])
        self.assert_refused(2, "split", "-", self.path("plan.json"), "-o", self.path("out"))
        self.assert_refused(2, "split", RESNET, self.path("plan.json"), "-o", self.path("out"), "--annotate", "--chain")
        self.assert_refused(3, "split", RESNET, self.path("nothing.json"), "-o", self.path("out"))

    def test_an_annotated_model_is_planned_like_the_model(self):
        self.plan()
        self.split("--annotate")
        self.assertEqual(self.pipeline()["annotated"], True)
        out, _ = self.run_program("check", self.path("out/resnet50.onnx"), self.path("plan.json"))
        self.assertIn("legal", out)
        with open(self.path("out/resnet50.onnx"), "rb") as file:
            self.assertGreater(file.read().count(b"\x0a\x07partita\x18"), 100)  # configuration_id, and the stage behind it

    def external_model(self, weight_bytes, layers=10):
        """A row of products with weights in a file that is nothing but a hole: bytes of the wire format, by hand."""
        def varint(n):
            made = b""
            while n >= 0x80:
                made, n = made + bytes([n & 0x7F | 0x80]), n >> 7
            return made + bytes([n])

        def field(number, value):
            if isinstance(value, int):
                return varint(number << 3) + varint(value)
            value = value.encode() if isinstance(value, str) else value
            return varint(number << 3 | 2) + varint(len(value)) + value

        def info(name, *extents):
            shape = b"".join(field(1, field(1, extent)) for extent in extents)
            return field(1, name) + field(2, field(1, field(1, 1) + field(2, shape)))

        width = int((weight_bytes / layers / 4) ** 0.5)
        graph, each = b"", width * width * 4
        for i in range(layers):
            source, made = f"h{i}" if i else "x", f"h{i + 1}" if i + 1 < layers else "y"
            graph += field(1, field(1, source) + field(1, f"w{i}") + field(2, made) + field(3, f"product {i}") + field(4, "MatMul"))
            entries = {"location": "weights.bin", "offset": str(i * each), "length": str(each)}
            data = b"".join(field(13, field(1, k) + field(2, v)) for k, v in entries.items())
            graph += field(5, field(1, width) + field(1, width) + field(2, 1) + field(8, f"w{i}") + data + field(14, 1))
        graph += field(2, "row") + field(11, info("x", 1, width)) + field(12, info("y", 1, width))
        with open(self.path("weights.bin"), "wb") as file:
            file.truncate(layers * each)
        return self.write("model.onnx", field(1, 8) + field(7, graph) + field(8, field(1, "") + field(2, 18))), layers * each

    def test_ten_gigabytes_of_weights_are_not_touched(self):
        model, size = self.external_model(10_000_000_000)
        self.assertGreater(size, 9_900_000_000)
        self.run_program("plan", model, "--platform", "4xa100", "-q", "-o", self.path("plan.json"))
        process = subprocess.Popen([PARTITA, "split", model, self.path("plan.json"), "-q", "-o", self.path("out")])
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual(process.returncode, 0)
        self.assertLess(usage.ru_utime + usage.ru_stime, SLACK)  # a second, however busy the machine is
        if SLACK == 1:
            self.assertLess(usage.ru_maxrss * 1024, 100_000_000)
        self.assertEqual(os.stat(self.path("out/weights.bin")).st_size, size)
        self.assertEqual(sum(s["weight_bytes"] for s in self.pipeline()["stages"]), size)


if __name__ == "__main__":
    main()
