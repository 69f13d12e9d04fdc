# SPDX-License-Identifier: Apache-2.0
"""Every kind of bad input: its own exit code, one line that says where and what, and nothing written."""

import gzip
import json
import os
import time

from harness import PARTITA_CHECK, SLACK, CliTest, chain, edge, main, node, wide_graph, workload


class BadInput(CliTest):
    def refuse(self, code, content, *options, mentions=()):
        """`plan` and `check` both refuse this workload."""
        file = self.write("bad.json", content)
        split = self.write("split.json", {"maxLoad": -1, "fpgas": [{"load": -1, "nodes": []}], "cpus": []})
        err = self.assert_refused(code, "plan", file, *options, "--quiet", "-o", self.path("plan.json"),
                                  mentions=["bad.json", *mentions])
        self.assertFalse(os.path.exists(self.path("plan.json")))
        for program in ("check",), ():
            self.assert_refused(code, *program, file, split, *options, mentions=["bad.json", *mentions],
                                **({} if program else {"program": PARTITA_CHECK}))
        return err

    def test_missing_file(self):
        self.assert_refused(3, "plan", self.path("none.json"), mentions=["none.json"])
        self.assert_refused(3, "plan", self.folder, mentions=[self.folder])

    def test_not_json(self):
        self.refuse(4, "nodes: yes")
        self.refuse(4, "")
        self.refuse(4, json.dumps(chain())[:-20], mentions=["line 1"])
        self.refuse(4, b"\x89PNG\r\n\x1a\n")

    def test_truncated_and_damaged_gzip(self):
        packed = gzip.compress(json.dumps(chain()).encode())
        self.refuse(4, packed[:-12])
        self.refuse(4, packed[:30] + b"\xff\xff\xff\xff" + packed[34:])

    def test_missing_fields(self):
        for field in ("maxFPGAs", "maxSizePerFPGA", "maxCPUs", "nodes", "edges"):
            broken = chain()
            del broken[field]
            self.refuse(5, broken, mentions=[field])
        for field in ("id", "fpgaLatency"):
            broken = chain()
            del broken["nodes"][2][field]
            self.refuse(5, broken, mentions=["nodes[2]", field])
        for field in ("sourceId", "destId", "cost"):
            broken = chain()
            del broken["edges"][1][field]
            self.refuse(5, broken, mentions=["edges[1]", field])

    def test_mistyped_fields(self):
        for field, value in [("id", "a"), ("fpgaLatency", "fast"), ("size", []), ("supportedOnFpga", "no"),
                             ("colorClass", 1.5)]:
            broken = chain()
            broken["nodes"][1][field] = value
            self.refuse(5, broken, mentions=["nodes[1]", field])
        self.refuse(5, [1, 2, 3])

    def test_duplicate_ids(self):
        self.refuse(6, workload([node(1), node(1)], []), mentions=["1"])

    def test_unknown_edge_end(self):
        self.refuse(6, workload([node(1), node(2)], [edge(1, 77)]), mentions=["edges[0]", "77"])

    def test_self_loop(self):
        self.refuse(6, workload([node(1), node(2)], [edge(1, 2), edge(2, 2)]), mentions=["edges[1]", "2"])

    def test_cycle_is_printed(self):
        nodes = [node(i) for i in (5, 6, 7, 8)]
        err = self.refuse(6, workload(nodes, [edge(5, 6), edge(6, 7), edge(7, 8), edge(8, 6)]), mentions=["cycle"])
        self.assertIn("6 -> 7 -> 8 -> 6", err)

    def test_backward_to_forward(self):
        nodes = [node(1, isBackwardNode=True), node(2)]
        self.refuse(6, workload(nodes, [edge(1, 2)]), mentions=["edges[0]", "backward"])

    def test_numbers_that_are_none(self):
        for text in ("NaN", "Infinity", "-Infinity", "1e400"):
            self.refuse(7, json.dumps(chain()).replace('"fpgaLatency": 1.0', f'"fpgaLatency": {text}', 1))

    def test_negative_numbers(self):
        for field in ("fpgaLatency", "cpuLatency", "size"):
            broken = chain()
            broken["nodes"][3][field] = -1
            self.refuse(7, broken, mentions=["nodes[3]", field])
        broken = chain()
        broken["edges"][0]["cost"] = -0.5
        self.refuse(7, broken, mentions=["edges[0]", "cost"])

    def test_sums_that_overflow(self):
        self.refuse(7, workload([node(i, size=1e308) for i in range(3)], []), mentions=["size"])
        self.refuse(7, workload([node(i, 1e308, cpuLatency=0) for i in range(3)], []))

    def test_no_devices(self):
        self.refuse(8, chain(accelerators=0, hosts=0), mentions=["device"])
        self.refuse(8, chain(), "--accelerators", "0", "--hosts", "0", mentions=["device"])

    def test_senseless_platform(self):
        self.refuse(8, chain(accelerators=-1))
        self.refuse(8, chain(memory=-5))
        self.refuse(8, chain(accelerators=10**9))

    def test_node_that_runs_nowhere(self):
        self.refuse(9, workload([node(1), node(2, supportedOnFpga=False, supportedOnCpu=False)], []), mentions=["2"])


class Infeasible(CliTest):
    """Well-formed, but without any legal split: the reason on stderr, and a plan that states it."""

    def refuse(self, content, *options, mentions=()):
        file = self.write("bad.json", content)
        err = self.assert_refused(9, "plan", file, *options, "--quiet", "-o", self.path("plan.json"),
                                  mentions=["bad.json", *mentions])
        plan = self.read_json("plan.json")
        self.assertEqual(plan["status"], "infeasible")
        self.assertIn(plan["reason"], err)
        self.assertIsNone(plan["value"])
        self.assertEqual(plan["devices"], [])
        self.assert_refused(9, "plan", file, *options, "--quiet", "--format", "seed", "-o", self.path("seed.json"),
                            mentions=["nothing was written"])
        self.assertFalse(os.path.exists(self.path("seed.json")))

    def test_node_that_fits_nowhere(self):
        self.refuse(workload([node(1), node(42, size=2e9)], [], hosts=0), mentions=["42"])
        self.refuse(workload([node(1), node(42, size=2e9, supportedOnCpu=False)], [], hosts=1), mentions=["42"])

    def test_node_without_a_device_of_its_kind(self):
        self.refuse(workload([node(1), node(42, supportedOnFpga=False)], [], hosts=1), "--hosts", "0", mentions=["42"])
        self.refuse(workload([node(1), node(42, supportedOnCpu=False)], []), "--accelerators", "0", mentions=["42"])

    def test_colour_class_that_cannot_be_placed(self):
        too_large = [node(1), node(2, size=6e8, colorClass=5), node(3, size=6e8, colorClass=5)]
        self.refuse(workload(too_large, [], hosts=0), mentions=["colour", "5"])
        apart = [node(1), node(2, supportedOnFpga=False, colorClass=5), node(3, supportedOnCpu=False, colorClass=5)]
        self.refuse(workload(apart, []), mentions=["colour", "5"])

    def test_too_little_memory_in_total(self):
        nodes = [node(i, size=6) for i in range(4)]
        self.refuse(workload(nodes, [], memory=10, hosts=0), mentions=["memory"])

    def test_report_says_so_too(self):
        out, err = self.run_program("plan", self.write("bad.json", workload([node(1, size=2e9)], [], hosts=0)), code=9)
        self.assertIn("infeasible: no split", out)
        self.assertIn("infeasible: ", err)


class BadOutput(CliTest):
    def test_unwritable_path(self):
        file = self.write("chain.json", chain())
        for target in (self.path("no/such/plan.json"), self.folder, file + "/plan.json"):
            self.assert_refused(10, "plan", file, "-o", target, mentions=[target])

    def test_found_out_before_the_search(self):
        file = self.write("wide.json", wide_graph())
        start = time.monotonic()
        self.assert_refused(10, "plan", file, "--time-limit", "60", "-o", self.path("no/such/plan.json"))
        self.assertLess(time.monotonic() - start, 5 * SLACK)

    def test_standard_output_that_is_full(self):
        if not os.path.exists("/dev/full"):
            self.skipTest("no /dev/full on this system")
        file = self.write("chain.json", chain())
        for options in (["-o", "-"], []):
            with open("/dev/full", "wb") as full:
                _, err = self.run_program("plan", file, *options, code=10, stdout=full)
            self.assertIn("standard output", err)


class BadUsage(CliTest):
    def test_unknown_options_and_commands(self):
        file = self.write("chain.json", chain())
        self.assert_refused(2, "plan", file, "--fast", mentions=["--fast", "partita plan --help"])
        self.assert_refused(2, "plan", file, "extra", mentions=["extra"])
        self.assert_refused(2, "pln", file, mentions=["pln", "plan"])
        self.assert_refused(2, mentions=["command", "partita --help"])
        self.assert_refused(2, "plan", mentions=["INPUT"])
        self.assert_refused(2, "convert", file, mentions=["--to"])
        self.assert_refused(2, "completion", "tcsh", mentions=["tcsh", "bash"])
        self.assert_refused(2, file, "--fast", program=PARTITA_CHECK)

    def test_bad_values(self):
        file = self.write("chain.json", chain())
        for option, values in {
            "--objective": ["speed", ""],
            "--shape": ["round"],
            "--algorithm": ["magic"],
            "--transfers": ["none"],
            "--time-limit": ["-1", "soon", "nan", "10x", "s", "-1s", "infs", ""],
            "--gap": ["-0.1", "1.5", "inf", "101%", "%", "1s"],
            "--threads": ["0", "-2", "1.5", "many", "99999999999999999999"],
            "--seed": ["-1", "x"],
            "--memory": ["-1", "16XB", "GiB", "nan", "inf", "1e400", ""],
            "--accelerators": ["-1", "2.5", "1e3", "9999999999"],
            "--hosts": ["-1", "two"],
            "--subgraphs": ["0", "65", "-1", "1.5", "many", ""],
            "--host-cores": ["8", "lax", ""],
            "--format": ["xml"],
        }.items():
            for value in values:
                with self.subTest(option=option, value=value):
                    self.assert_refused(2, "plan", file, "-o", self.path("plan.json"), option, value, mentions=[option])
        self.assertFalse(os.path.exists(self.path("plan.json")))

    def test_misspelt_options_are_named_alone_with_what_was_meant(self):
        file = self.write("chain.json", chain())
        for arguments, given, meant in [
            (["plan", file, "--time-limt", "3"], "--time-limt", "--time-limit"),
            (["plan", file, "--time-limt=3", "--shape", "free"], "--time-limt", "--time-limit"),
            (["plan", "--objectiv", "latency", file], "--objectiv", "--objective"),
            (["sweep", file, "--vry", "accelerators=1..8"], "--vry", "--vary"),
            (["compare", file, "--algorithm", "dp"], "--algorithm", "--algorithms"),
            (["--versoin"], "--versoin", "--version"),
        ]:
            with self.subTest(arguments=arguments):
                err = self.assert_refused(2, *arguments)
                self.assertIn(f": {given}: no such option; did you mean {meant}?; see", err)
        err = self.assert_refused(2, file, "plan.json", "--shap", "free", program=PARTITA_CHECK)
        self.assertIn("--shap: no such option; did you mean --shape?", err)
        self.assertNotIn("did you mean", self.assert_refused(2, "plan", file, "--turbo-boost"))

    def test_misspelt_words_get_a_suggestion(self):
        file = self.write("chain.json", chain())
        self.assert_refused(2, "pln", file, mentions=["'pln' is not a command", "did you mean plan?"])
        self.assert_refused(2, "plan", file, "--shape", "stagd", mentions=["--shape: 'stagd'", "did you mean staged?"])
        self.assert_refused(2, "help", "exitcodes", mentions=["did you mean exit-codes?"])
        self.assert_refused(2, "bench", "papre", mentions=["did you mean paper?"])
        self.assert_refused(2, "plan", file, "extra", mentions=["'extra' is one argument too many"])

    def test_bad_values_are_answered_with_good_ones(self):
        file = self.write("chain.json", chain())
        self.assert_refused(2, "plan", file, "--time-limit", "soon", mentions=["10s, 500ms, 2min"])
        self.assert_refused(2, "plan", file, "--gap", "2", mentions=["from 0 to 1, such as 0.01 or 1%"])
        self.assert_refused(2, "plan", file, "--memory", "much", mentions=["16G, 16GiB or 16GB"])

    def test_latency_has_options_of_its_own(self):
        file = self.write("chain.json", chain())
        split = self.write("seed.json", {"fpgas": [{"nodes": [0, 10, 20, 30]}]})
        for option, value in [("--subgraphs", "1"), ("--subgraphs", "2"), ("--host-cores", "unlimited"),
                              ("--host-cores", "strict")]:
            for objective in ([], ["--objective", "gpipe"]):
                question = [*objective, option, value]
                mentions = [option, "only for --objective latency", objective[1] if objective else "throughput"]
                self.assert_refused(2, "plan", file, *question, mentions=mentions)
                self.assert_refused(2, "check", file, split, *question, mentions=mentions)
                self.assert_refused(2, file, split, *question, mentions=mentions, program=PARTITA_CHECK)
                self.assert_refused(2, "convert", file, "--to", "lp", *question, mentions=mentions)
        self.assert_refused(2, "convert", split, "--to", "seed", "--subgraphs", "2", mentions=["--subgraphs", "--to mps"])

    def test_format_needs_an_output(self):
        self.assert_refused(2, "plan", self.write("chain.json", chain()), "--format", "seed", mentions=["--output"])

    def test_what_this_version_cannot_do(self):
        file = self.write("chain.json", chain())
        for algorithm in ("exact", "linear"):
            self.assert_refused(13, "plan", file, "--objective", "latency", "--algorithm", algorithm,
                                mentions=["--algorithm", "--objective latency"])
        for option, value in [("--shape", "free"), ("--shape", "contiguous")]:
            self.assert_refused(13, "plan", file, "--algorithm", "exact", option, value, mentions=["--algorithm", value])

    def test_messages_stay_on_one_line(self):
        self.assert_refused(3, "plan", self.path("no\nsuch\nfile"))


if __name__ == "__main__":
    main()
