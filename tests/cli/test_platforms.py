# SPDX-License-Identifier: Apache-2.0
"""Platforms in files of their own, and the options that state copies of stages and memory in flight."""

import json

from harness import PARTITA_CHECK, CliTest, chain, edge, main, node, workload

PLATFORM = {
    "version": 1,
    "classes": [{"name": "gpu", "kind": "accelerator", "count": 4, "memory": 1e9, "timeFactor": 2},
                {"name": "cpu", "kind": "host", "count": 1}],
}


class Platforms(CliTest):
    def setUp(self):
        super().setUp()
        self.file = self.write("chain.json", chain())
        self.platform = self.write("platform.json", PLATFORM)

    def converted(self, *options):
        out, _ = self.run_program("convert", self.file, "--to", "workload", *options)
        return json.loads(out)

    def test_a_file_takes_the_place_of_the_workloads_devices(self):
        written = self.converted("--platform", self.platform)
        self.assertNotIn("maxFPGAs", written)
        self.assertEqual([c["name"] for c in written["platform"]["classes"]], ["gpu", "cpu"])
        self.assertEqual(written["nodes"][0]["fpgaLatency"], 2.0)
        again = self.write("again.json", written)
        out, _ = self.run_program("convert", again, "--to", "workload")
        self.assertEqual(json.loads(out), written)

    def test_numbers_and_clusters_apply_to_it(self):
        written = self.converted("--platform", self.platform, "--accelerators", "6", "--memory", "1GiB", "--hosts", "2",
                                 "--clusters", "3:0.5", "--sync-bandwidth", "12MB")
        self.assertEqual(written["platform"]["classes"][0]["memory"], 2**30)
        self.assertEqual(written["platform"]["clusters"],
                         {"factor": 1.0, "devices": {"cpu": 2},
                          "clusters": [{"factor": 0.5, "devices": {"gpu": 2}, "count": 3}]})
        self.assertEqual(written["platform"]["syncBandwidth"], 12e6)

    def test_clusters_nest(self):
        written = self.converted("--accelerators", "12", "--clusters", "2:0.5,3:0.1")
        outer = written["platform"]["clusters"]["clusters"]
        self.assertEqual(outer, [{"factor": 0.5, "count": 2,
                                  "clusters": [{"factor": 0.1, "devices": {"accelerator": 2}, "count": 3}]}])

    def test_plans_on_unequal_devices(self):
        unequal = self.write("unequal.json", {"version": 1, "classes": [
            {"name": "slow", "kind": "accelerator", "count": 1, "timeFactor": 3},
            {"name": "fast", "kind": "accelerator", "count": 1},
            {"name": "cpu", "kind": "host", "count": 0}]})
        out, _ = self.run_program("plan", self.file, "--platform", unequal, "-o", self.path("plan.json"))
        self.assertIn("1 x slow, 1 x fast", out)
        plan = self.read_json("plan.json")
        self.assertAlmostEqual(plan["value"], 3.1)  # three nodes on the fast one, and the transfer
        self.assertEqual([(d["name"], d["class"], d["kind"], d["index"]) for d in plan["devices"]],
                         [("slow 0", "slow", "accelerator", 0), ("fast 0", "fast", "accelerator", 1)])
        self.assertEqual([len(d["nodes"]) for d in plan["devices"]], [1, 3])
        self.assert_legal(self.file, self.path("plan.json"), "--platform", unequal)

    def test_plans_in_clusters(self):
        # The cut inside a cluster costs a tenth of the 0.1, and nothing has to cross from one cluster to the other.
        options = ["--accelerators", "4", "--clusters", "2:0.1"]
        self.run_program("plan", self.file, *options, "-o", self.path("plan.json"))
        self.assertAlmostEqual(self.read_json("plan.json")["value"], 1.11)
        self.assert_legal(self.file, self.path("plan.json"), *options)

    def test_what_makes_no_sense_is_refused(self):
        for options, code, mentions in [
                (["--clusters", "two"], 2, ["--clusters", "'two'", "2:0.5,4:0.1"]),
                (["--clusters", "2:0.1,"], 2, ["--clusters"]),
                (["--clusters", "2:-1"], 2, ["--clusters"]),
                (["--clusters", "3:0.1"], 8, ["clusters", "2 devices", "3 clusters"]),
                (["--sync-bandwidth", "0"], 2, ["--sync-bandwidth", "above 0"]),
                (["--sync-bandwidth", "fast"], 2, ["--sync-bandwidth", "'fast'"]),
                (["--platform", self.path("none.json")], 3, ["none.json"]),
                (["--platform", self.file], 5, ["chain.json", "is a workload"]),
                (["--platform", ""], 2, ["--platform"]),
        ]:
            self.assert_refused(code, "plan", self.file, *options, mentions=mentions)
            self.assert_refused(code, self.file, self.file, *options, mentions=mentions, program=PARTITA_CHECK)
        self.assert_refused(2, "plan", "-", "--platform", "-", mentions=["--platform", "standard input"])
        self.assert_refused(5, "plan", self.platform, mentions=["platform.json", "--platform"])
        self.assert_refused(2, "convert", self.file, "--to", "seed", "--platform", self.platform,
                            mentions=["--platform"])


class Copies(CliTest):
    """A plan with copies, recomputing and memory in flight, made by hand: check measures it, convert refuses it."""

    OPTIONS = ["--replicate", "2", "--sync-bandwidth", "4", "--memory-model", "1f1b", "--recompute"]

    def setUp(self):
        super().setUp()
        nodes = [node(i, weights=8.0, activation=2.0, recomputeActivation=0.5) for i in (0, 10, 20)]
        self.file = self.write("chain.json", workload(nodes, [edge(0, 10, 0.5), edge(10, 20, 0.5)], accelerators=3,
                                                      name="chain"))
        self.plan = {"partita": {"format": "plan", "version": 2}, "devices": [
            {"kind": "accelerator", "index": 0, "stage": 0, "nodes": [0, 10], "recompute": True},
            {"kind": "accelerator", "index": 1, "nodes": [], "copy_of": 0, "recompute": True},
            {"kind": "accelerator", "index": 2, "stage": 1, "nodes": [20]}]}

    def test_check_measures_it(self):
        split = self.write("plan.json", self.plan)
        out, _ = self.run_program("check", self.file, split, *self.OPTIONS)
        # (2 + 0.5 + 2 recomputed) / 2 + sync of 16 / (2 * 4)
        self.assertIn("value: 4.25 (max-load, staged, up to 2 devices to a stage, memory 1f1b, recomputing)", out)
        self.assertIn("accelerator 0-1 x2", out)
        self.assertIn("memory (1f1b, at most 953.7 MiB each):", out)
        self.assertEqual(self.run_program(self.file, split, *self.OPTIONS, program=PARTITA_CHECK)[0], out)
        self.assertLessEqual(max(map(len, out.splitlines()[1:])), 100)

    def test_plan_finds_the_best(self):
        options = ["--replicate", "3", "--sync-bandwidth", "1e3"]
        self.run_program("plan", self.file, *options, "-o", self.path("best.json"))
        best = self.read_json("best.json")
        self.assertEqual(best["partita"]["version"], 2)
        self.assertEqual([d.get("copy_of") for d in best["devices"]].count(None), 2)  # the original, and the host
        self.assertAlmostEqual(best["value"], 1 + 2 * 24 / (3 * 1e3))
        self.assert_legal(self.file, self.path("best.json"), *options)
        self.run_program("plan", self.file, "--sync-bandwidth", "1e3", "-o", self.path("plain.json"))
        self.assertEqual(self.read_json("plain.json")["partita"]["version"], 1)

    def test_a_question_without_copies_makes_it_illegal(self):
        split = self.write("plan.json", self.plan)
        out, _ = self.run_program("check", self.file, split, "--memory-model", "1f1b", code=11)
        self.assertIn("copies", out)

    def test_convert_refuses_it(self):
        split = self.write("plan.json", self.plan)
        self.assert_refused(13, "convert", split, "--to", "seed", mentions=["seed format", "copies"])

    def test_what_makes_no_sense_is_refused(self):
        for change, mentions in [({"copy_of": 3}, ["devices[1].copy_of", "found 3", "0 to 2"]),
                                 ({"copy_of": "first"}, ["devices[1].copy_of", "first"]),
                                 ({"nodes": [20]}, ["devices[1].copy_of", "lists nodes"]),
                                 ({"recompute": "yes"}, ["devices[1].recompute", "yes"])]:
            broken = json.loads(json.dumps(self.plan))
            broken["devices"][1] |= change
            self.assert_refused(5, "check", self.file, self.write("broken.json", broken), *self.OPTIONS,
                                mentions=["broken.json", *mentions])


class Pipelines(CliTest):
    def setUp(self):
        super().setUp()
        self.file = self.write("chain.json", chain())
        self.training = self.write("training.json", workload(
            [node(1), node(2, isBackwardNode=True)], [edge(1, 2, 0.1)]))

    def refuse(self, file, *options, mentions):
        self.assert_refused(2, "plan", file, *options, mentions=mentions)
        self.assert_refused(2, file, file, *options, mentions=mentions, program=PARTITA_CHECK)

    def test_options_that_do_not_fit_each_other(self):
        self.refuse(self.file, "--recompute", mentions=["--recompute", "flat"])
        self.refuse(self.file, "--microbatches", "4", mentions=["--microbatches", "flat"])
        self.refuse(self.file, "--memory-model", "gpipe", mentions=["--memory-model", "--microbatches"])
        for option, values in [("--replicate", ["--replicate", "2"]),
                               ("--memory-model", ["--memory-model", "1f1b"]),
                               ("--memory-model", ["--memory-model", "1f1b", "--recompute"])]:
            self.refuse(self.file, *values, "--objective", "latency", mentions=[option, "latency"])
            self.refuse(self.file, *values, "--shape", "free", mentions=[option, "--shape free"])
            self.refuse(self.file, *values, "--shape", "contiguous", mentions=[option, "--shape contiguous"])

    def test_copies_of_training_need_a_bandwidth(self):
        self.refuse(self.training, "--replicate", "2", mentions=["--replicate", "--sync-bandwidth", "syncBandwidth"])

    def test_numbers_out_of_range(self):
        self.refuse(self.file, "--replicate", "0", mentions=["--replicate", "'0'"])
        self.refuse(self.file, "--memory-model", "1f1b", "--microbatches", "0", mentions=["--microbatches"])
        self.refuse(self.file, "--memory-model", "2f2b", mentions=["--memory-model", "1f1b"])

    def test_the_seed_format_is_refused_before_the_search(self):
        for options in (["--replicate", "2"], ["--memory-model", "1f1b", "--recompute"]):
            self.assert_refused(2, "plan", self.file, *options, "--format", "seed", "-o", self.path("seed.json"),
                                mentions=["--format", "seed", "plan"])

    def test_convert_writes_no_question(self):
        self.assert_refused(2, "convert", self.file, "--to", "workload", "--replicate", "2", mentions=["--replicate"])


if __name__ == "__main__":
    main()
