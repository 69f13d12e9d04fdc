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
        self.refuse(self.file, "--memory-model", "gpipe", mentions=["--memory-model", "--microbatches M"])
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

    def test_convert_writes_no_question(self):
        self.assert_refused(2, "convert", self.file, "--to", "workload", "--replicate", "2", mentions=["--replicate"])


if __name__ == "__main__":
    main()
