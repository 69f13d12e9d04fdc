# SPDX-License-Identifier: Apache-2.0
"""partita export and plan --for: settings that shells, Python and engines read as they were meant. Engines are played by
small programs and modules that do with the settings what the real ones do."""

import json
import os
import pathlib
import re
import subprocess
import sys
import types

from harness import CliTest, chain, edge, main, node, workload

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples" / "models"
LLAMA = str(EXAMPLES / "llama-3-8b.json")
MIXED = "a100+2xrtx3090+t4"
LAYERS = 32

# Prints its environment and arguments as the shell has made them.
ENGINE = """#!/bin/sh
printf '%s\\n' "partition=$VLLM_PP_LAYER_PARTITION" "visible=$CUDA_VISIBLE_DEVICES"
for word in "$@"; do printf 'word=%s\\n' "$word"; done
"""


def layered(layers=6, prefix="model.layers.", devices=3, **fields):
    """An embedding, layers of two operators, a head; nodes of a layer have its number."""
    nodes = [node(0, 0.5, name="embed", weights=5, size=5)]
    for i in range(layers):
        nodes.append(node(2 * i + 1, 1, name=f"{prefix}{i}.attn", layerId=i, weights=2, size=2))
        nodes.append(node(2 * i + 2, 1 + 0.1 * i, name=f"{prefix}{i}.mlp", layerId=i, weights=2, size=2))
    nodes.append(node(2 * layers + 1, 1, name="head", weights=5, size=5))
    edges = [edge(i, i + 1, 0.1) for i in range(2 * layers + 1)]
    return workload(nodes, edges, accelerators=devices, hosts=1, name="layered", **fields)


class ExportTest(CliTest):
    def plan(self, model, *options, name="plan.json"):
        self.run_program("plan", model, *options, "-q", "-o", self.path(name))
        return self.path(name)

    def export(self, model, plan, engine, *options):
        return self.run_program("export", model, plan, "--to", engine, *options)[0]

    def stages(self, plan):
        """[(device's number among the accelerators, its node ids)] in the order of the pipeline."""
        with open(plan, encoding="utf-8") as file:
            devices = [d for d in json.load(file)["devices"] if d["nodes"]]
        return [(d["index"], d["nodes"]) for d in sorted(devices, key=lambda d: d["stage"])]

    def run_script(self, text, program):
        """What the engine that a script calls gets to see."""
        os.makedirs(self.path("bin"), exist_ok=True)
        path = self.write(os.path.join("bin", program), ENGINE)
        os.chmod(path, 0o755)
        script = self.write("script.sh", text)
        done = subprocess.run(["sh", "-eu", script], capture_output=True, text=True, check=True,
                              env={"PATH": self.path("bin") + ":" + os.environ["PATH"], "MODEL": "my model"})
        lines = [line.split("=", 1) for line in done.stdout.splitlines()]
        return dict(lines), [value for key, value in lines if key == "word"]


class Engines(ExportTest):
    def test_vllm_starts_with_the_planned_layers(self):
        plan = self.plan(LLAMA, "--platform", MIXED, "--for", "vllm")
        seen, words = self.run_script(self.export(LLAMA, plan, "vllm"), "vllm")
        self.assertEqual(words[:2], ["serve", "my model"])
        counts = [int(count) for count in seen["partition"].split(",")]
        self.assertEqual(sum(counts), LAYERS)
        stages = self.stages(plan)
        self.assertEqual(int(words[words.index("--pipeline-parallel-size") + 1]), len(counts))
        self.assertEqual([int(d) for d in seen["visible"].split(",")], [device for device, _ in stages])
        # 16 nodes in a layer, two before the layers and three behind them.
        sizes = [len(nodes) for _, nodes in stages]
        sizes[0] -= 2
        sizes[-1] -= 3
        self.assertEqual([16 * count for count in counts], sizes)

    def test_llama_cpp_starts_with_the_planned_layers(self):
        plan = self.plan(LLAMA, "--platform", MIXED, "--for", "llama.cpp")
        names = "CUDA0,CUDA1,RPC[10.0.0.2:50052],CUDA2"
        _, words = self.run_script(self.export(LLAMA, plan, "llama.cpp", "--devices", names), "llama-server")
        value = {words[i]: words[i + 1] for i in range(0, len(words), 2)}
        self.assertEqual(value["-m"], "my model")
        self.assertEqual(value["-ngl"], str(LAYERS + 1))
        self.assertEqual(sum(int(count) for count in value["-ts"].split(",")), LAYERS + 1)
        called = names.split(",")
        self.assertEqual(value["-dev"].split(","), [called[device] for device, _ in self.stages(plan)])

    def test_a_plan_for_an_engine_ends_with_its_settings(self):
        out, _ = self.run_program("plan", LLAMA, "--platform", MIXED, "--for", "vllm", "-o", self.path("plan.json"))
        self.assertIn("\nsettings for vLLM:\n", out)
        self.assertTrue(out.endswith(self.export(LLAMA, self.path("plan.json"), "vllm")))
        out, _ = self.run_program("plan", LLAMA, "--platform", MIXED, "--for", "accelerate")
        self.assertIn("--to accelerate` writes the settings", out)

    def test_deepspeed_partitions_as_planned(self):
        plan = self.plan(LLAMA, "--platform", MIXED, "--training", "--batch", "1", "--for", "deepspeed")
        text = self.export(LLAMA, plan, "deepspeed", "--training", "--batch", "1")

        class PipelineModule:
            def __init__(self, specs, stages, rank):
                self._layer_specs, self.global_rank = specs, rank
                self._topo = types.SimpleNamespace(get_dim=lambda axis: {"pipe": stages}[axis],
                                                   get_coord=lambda r: types.SimpleNamespace(pipe=r))
                self._partition_layers()

            def _set_bounds(self, start, stop):
                self.bounds = (start, stop)

        space = self.run_python(text, deepspeed=types.ModuleType("deepspeed"),
                                **{"deepspeed.pipe": types.SimpleNamespace(PipelineModule=PipelineModule)})
        layers, parts = space["LAYERS"], space["PARTS"]
        self.assertEqual(len(layers), LAYERS + 3)
        bounds = [space["PlannedPipelineModule"](layers, len(parts) - 1, r).bounds for r in range(len(parts) - 1)]
        self.assertEqual(bounds, list(zip(parts, parts[1:])))
        with self.assertRaises(ValueError):
            space["PlannedPipelineModule"](layers[1:], len(parts) - 1, 0)

    def test_python_of_torch_names_the_cuts(self):
        plan = self.plan(LLAMA, "--platform", MIXED, "--for", "torch")
        points = types.SimpleNamespace(SplitPoint=types.SimpleNamespace(BEGINNING="beginning"))
        space = self.run_python(self.export(LLAMA, plan, "torch"), torch=types.ModuleType("torch"),
                                **{"torch.distributed": types.ModuleType("d"), "torch.distributed.pipelining": points})
        stages = self.stages(plan)
        self.assertEqual(len(space["split_spec"]), len(stages) - 1)
        self.assertEqual(space["devices"], [f"cuda:{device}" for device, _ in stages])

    def test_every_operator_of_openvino_has_an_affinity(self):
        model = str(EXAMPLES / "resnet50.onnx")
        plan = self.plan(model, "--platform", "2xa100+epyc", "--shape", "free", "--time-limit", "2", "--for", "openvino")
        space = self.run_python(self.export(model, plan, "openvino"))

        class Op:
            def __init__(self, name, friendly, inputs):
                self.name, self.friendly, self.inputs, self.info = name, friendly, inputs, {}

            def get_friendly_name(self):
                return self.friendly

            def get_name(self):
                return self.name

            def input_values(self):
                return [types.SimpleNamespace(get_node=lambda op=op: op) for op in self.inputs]

            def get_rt_info(self):
                return self.info

        named = list(space["AFFINITIES"].items())
        constant = Op("c", "constant", [])
        first = Op("1", named[0][0], [constant])
        unknown = Op("2", "made by the reader", [first])
        last = Op("3", named[-1][0], [unknown])
        ops = [constant, first, unknown, last]
        space["set_affinities"](types.SimpleNamespace(get_ordered_ops=lambda: ops))
        self.assertEqual([op.info["affinity"] for op in ops], [named[0][1]] * 3 + [named[-1][1]])
        self.assertTrue(space["DEVICE"].startswith("HETERO:"))

    def run_python(self, text, **modules):
        """The names that a program defines, with these modules in the place of real ones."""
        real = {name: sys.modules.get(name) for name in modules}
        sys.modules.update(modules)
        try:
            space = {}
            exec(compile(text, "exported", "exec"), space)  # pylint: disable=exec-used
            return space
        finally:
            for name, module in real.items():
                if module is None:
                    del sys.modules[name]
                else:
                    sys.modules[name] = module

    def test_accelerate_has_every_module(self):
        plan = self.plan(LLAMA, "--platform", MIXED + "+epyc", "--for", "accelerate")
        device_map = json.loads(self.export(LLAMA, plan, "accelerate"))
        self.assertEqual(set(device_map), {"model.embed_tokens", "model.norm", "lm_head",
                                           *(f"model.layers.{i}" for i in range(LAYERS))})
        for device in device_map.values():
            self.assertTrue(device == "cpu" or 0 <= device < 4, device)

    def test_tied_weights_of_accelerate_are_together(self):
        model = str(EXAMPLES / "gpt2.json")
        plan = self.plan(model, "--platform", "2xa100", "--for", "accelerate")
        self.assert_refused(13, "export", model, plan, "--to", "accelerate",
                            mentions=["transformer.wte", "--shared-weights together", "--shape free"])
        options = ("--shared-weights", "together", "--shape", "free")
        plan = self.plan(model, "--platform", "2xa100", "--for", "accelerate", *options)
        device_map = json.loads(self.export(model, plan, "accelerate", *options))
        self.assertEqual(device_map["transformer.wte"], device_map["lm_head"])
        self.assertIn("transformer.wpe", device_map)

    def test_onnx_runtime_has_one_accelerator_and_a_host(self):
        model = str(EXAMPLES / "resnet50.onnx")
        self.assert_refused(2, "plan", model, "--platform", "2xa100+epyc", "--for", "onnxruntime",
                            mentions=["--platform", "there are 2", "triton"])
        plan = self.plan(model, "--platform", "a100+epyc", "--for", "onnxruntime", "--time-limit", "2")
        rules = json.loads(self.export(model, plan, "onnxruntime"))["session.name_based_layer_assignment"]
        self.assertRegex(rules, r"^(cpu\([^();]+\);)?gpu:0\([^();]+\)$")
        self.assert_refused(13, "export", LLAMA, self.plan(LLAMA, "--platform", "a100+epyc"), "--to", "onnxruntime",
                            mentions=["is no ONNX model"])


class Refusals(ExportTest):
    def test_a_cut_layer_names_the_options_that_keep_it(self):
        plan = self.plan(LLAMA, "--platform", MIXED)
        self.assert_refused(13, "export", LLAMA, plan, "--to", "vllm",
                            mentions=["inside layer", "--contract-layers or `--for vllm`"])

    def test_plans_for_other_models_are_refused(self):
        plan = self.plan(LLAMA, "--platform", MIXED, "--for", "vllm")
        self.assert_refused(5, "export", str(EXAMPLES / "gpt2.json"), plan, "--to", "vllm", mentions=["another graph"])

    def test_rules_that_contradict_the_question(self):
        model = self.write("model.json", layered())
        self.assert_refused(2, "plan", model, "--for", "vllm", "--shape", "free", mentions=["--shape", "in a row"])
        self.assert_refused(2, "plan", model, "--for", "vllm", "--replicate", "2", mentions=["--replicate"])
        self.assert_refused(2, "plan", model, "--for", "vlm", mentions=["did you mean vllm?"])
        self.assert_refused(2, "plan", self.write("chain.json", chain()), "--for", "vllm",
                            mentions=["--for", "no node of", "layerId"])
        self.assert_refused(2, "plan", model, "--for", "vllm", "--certificate", self.path("c.json"),
                            mentions=["cannot be used together with --for"])

    def test_the_host_is_left_to_engines_that_use_it(self):
        model = self.write("model.json", layered())
        plan = self.plan(model, "--for", "vllm")
        out, _ = self.run_program("export", model, plan, "--to", "vllm")
        self.assertRegex(out, r"VLLM_PP_LAYER_PARTITION=\d+,\d+,\d+\n")
        self.assert_legal(model, plan)

    def test_stages_are_asked_for(self):
        model = str(EXAMPLES / "resnet50.onnx")
        plan = self.plan(model, "--platform", "2xa100", "--time-limit", "2")
        self.assert_refused(13, "export", model, plan, "--to", "genai", mentions=["`partita split MODEL", "--stages"])
        self.assert_refused(3, "export", model, plan, "--to", "genai", "--stages", self.folder,
                            mentions=["has no pipeline.json", "`partita split MODEL PLAN"])
        self.assert_refused(2, "export", model, plan, "--to", "triton", mentions=["-o: is missing"])
        self.assert_refused(2, "export", model, plan, "--to", "vllm", "--stages", self.folder, mentions=["--stages"])

    def test_names_of_devices_are_checked(self):
        plan = self.plan(LLAMA, "--platform", MIXED, "--for", "vllm")
        self.assert_refused(2, "export", LLAMA, plan, "--to", "vllm", "--devices", "a,b",
                            mentions=["--devices", "found 2 names; expected 4"])


class Files(ExportTest):
    def setUp(self):
        super().setUp()
        self.model = self.write("model.json", layered())
        self.planned = self.plan(self.model, "--for", "torch")

    def test_output_goes_to_a_file(self):
        out, err = self.run_program("export", self.model, self.planned, "--to", "torch", "-o", self.path("s.py"))
        self.assertEqual(out, "")
        self.assertRegex(err, r"wrote \S+s\.py \(\d+ bytes\)\n$")
        self.assertEqual(self.read("s.py"), self.export(self.model, self.planned, "torch"))
        self.assert_refused(2, "export", self.model, self.planned, "--to", "torch", "-o", self.model,
                            mentions=["the same file as an input"])
        self.assert_refused(10, "export", self.model, self.planned, "--to", "torch", "-o", self.path("no/where.py"))

    def test_one_of_the_two_may_be_standard_input(self):
        with open(self.planned, "rb") as file:
            out, _ = self.run_program("export", self.model, "-", "--to", "torch", stdin=file.read())
        self.assertEqual(out, self.export(self.model, self.planned, "torch"))
        self.assert_refused(2, "export", "-", "-", "--to", "torch")

    def test_odd_names_stay_what_they_are(self):
        odd = "it's \"odd\" $(ls) \\ ä\n#."
        model = self.write("odd.json", layered(prefix=odd))
        plan = self.plan(model, "--for", "deepspeed", name="odd-plan.json")
        space = Engines.run_python(self, self.export(model, plan, "deepspeed"), deepspeed=types.ModuleType("deepspeed"),
                                   **{"deepspeed.pipe": types.SimpleNamespace(PipelineModule=object)})
        self.assertEqual(space["LAYERS"][1:-1], [f"{odd}{i}" for i in range(6)])
        self.assertEqual(list(json.loads(self.export(model, plan, "accelerate")))[1:-1],
                         [f"{odd}{i}" for i in range(6)])
        seen, _ = self.run_script(self.export(model, self.plan(model, "--for", "vllm"), "vllm"), "vllm")
        self.assertRegex(seen["partition"], r"^\d+(,\d+)*$")

    def stage_folder(self):
        tensor = {"name": "x", "dtype": "fp32", "shape": [1, 8]}
        stages = [{"file": f"s{i}.onnx", "inputs": [tensor | {"name": f"t{i}"}],
                   "outputs": [tensor | {"name": f"t{i + 1}"}]} for i in range(len(self.stages(self.planned)))]
        os.mkdir(self.path("stages"))
        for stage in stages:
            self.write(os.path.join("stages", stage["file"]), stage["file"])
        self.write("stages/pipeline.json", {"stages": stages, "inputs": [tensor | {"name": "t0"}],
                                            "outputs": [tensor | {"name": f"t{len(stages)}"}]})
        return self.path("stages"), len(stages)

    def test_a_repository_appears_whole_or_not_at_all(self):
        stages, count = self.stage_folder()
        options = ("export", self.model, self.planned, "--to", "triton", "--stages", stages, "-o")
        _, err = self.run_program(*options, self.path("repository"))
        self.assertRegex(err, r"wrote \S+repository \(\d+ files\)")
        self.assertEqual(sorted(os.listdir(self.path("repository"))), ["pipeline"] + [f"stage{i}" for i in range(count)])
        self.assertEqual(self.read("repository/stage1/1/model.onnx"), "s1.onnx")
        self.assertEqual(len(re.findall("model_name", self.read("repository/pipeline/config.pbtxt"))), count)
        self.assert_refused(10, *options, self.path("repository"), mentions=["not empty"])
        self.assert_refused(10, *options, self.path("model.json"), mentions=["a file of that name"])
        self.assert_refused(10, *options, self.path("no/where"))
        os.remove(self.path("stages/s1.onnx"))
        self.assert_refused(3, *options, self.path("second"), mentions=["s1.onnx"])
        self.assertFalse(os.path.exists(self.path("second")))
        self.assertEqual([name for name in os.listdir(self.folder) if name.startswith(".")], [])


if __name__ == "__main__":
    main()
