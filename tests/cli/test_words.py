# SPDX-License-Identifier: Apache-2.0
"""What the programs claim, in words that say no more than was proved; and plans that state their own question."""

import json

from harness import PARTITA_CHECK, CliTest, chain, edge, main, node, wide_graph, workload


class Headline(CliTest):
    def setUp(self):
        super().setUp()
        self.file = self.write("chain.json", chain())

    def lines(self, *options, code=0):
        out, _ = self.run_program("plan", self.file, *options, code=code)
        return out.splitlines()

    def test_an_optimum_is_one_among_the_splits_that_were_asked_for(self):
        self.assertRegex(self.lines()[1], r"^optimal among staged splits: 2\.1 per sample \(in the file's unit of time\) \(search: ")
        self.assertRegex(self.lines("--shape", "free")[1], r"^optimal among all splits: 2\.1 ")
        self.assertRegex(self.lines("--shape", "contiguous")[1], r"^optimal among contiguous splits: 2\.1 ")
        self.assertRegex(self.lines("--objective", "latency")[1], r"^optimal: 4 latency ")

    def test_layers_kept_together_are_said(self):
        layered = chain()
        for entry in layered["nodes"][:3]:
            entry["layerId"] = 5
        self.file = self.write("layered.json", layered)
        self.assertRegex(self.lines("--contract-layers")[1],
                         r"^optimal among staged splits that keep layers together: 3\.1 ")

    def test_plain_words_first_the_technical_proof_with_verbose(self):
        plain = self.lines()
        self.assertRegex(plain[2], r"^proof: (searched all: nothing better exists|a relaxation of the problem .*)$")
        self.assertFalse(any("technical" in line or "ideals" in line for line in plain))
        self.assertRegex(self.lines("-v")[3], r"^in technical terms: \S")

    def test_a_gap_that_was_asked_for_and_reached(self):
        self.file = self.write("wide.json", wide_graph())
        lines = self.lines("--gap", "0.9", "--time-limit", "60")
        self.assertRegex(lines[1], r"^within the gap asked for \([\d.]+ % <= 90\.00 %\): ")
        self.assertNotIn("best so far", lines[1])
        self.assertRegex(lines[2], r"^no staged split is below [\d.]+: gap [\d.]+ %$")

    def test_speed_up_over_one_device(self):
        self.assertIn("speed-up over one accelerator: 1.90x of 2", self.lines())
        self.assertFalse(any("speed-up" in line for line in self.lines("--objective", "latency")))

    def test_an_operator_that_alone_is_the_bottleneck(self):
        heavy = chain()
        heavy["nodes"][1] = node(10, 50, name="head")
        for item in heavy["edges"]:
            item["cost"] = 0
        self.file = self.write("heavy.json", heavy)
        lines = self.lines("-o", self.path("plan.json"))
        self.assertIn("node 10 (head) alone takes 50 on its fastest device (accelerator): no split is faster, however "
                      "many devices there are", lines)
        self.assertEqual(self.read_json("plan.json")["lone_bottleneck"], {"nodes": [10], "class": "accelerator"})

    def test_a_solution_from_elsewhere_proves_nothing(self):
        self.run_program("plan", self.file, "--quiet", "-o", self.path("plan.json"))
        solution = self.write("model.sol", self.solution())
        lines = self.lines("--read-solution", solution, "-o", self.path("adopted.json"))
        self.assertRegex(lines[1], r"^the solution file's split: [\d.]+ per sample")
        self.assertEqual(lines[2], "no bound is known: a better split may exist")
        self.assertFalse(any(line.startswith("proof") or "100" in line for line in lines[:5]), lines)
        self.assertEqual(self.read_json("adopted.json")["proof"], "")

    def solution(self):
        """Everything on the first accelerator: each group is on the first seat or before it."""
        model, _ = self.run_program("convert", self.file, "--to", "mps")
        columns = {line.split()[0] for line in model[model.index("COLUMNS"):model.index("RHS")].splitlines()[1:]
                   if "MARKER" not in line}
        ones = sorted(c for c in columns if c.startswith("y_") and not c.split("_", 2)[2].startswith("h0"))
        return "".join(f"{i} {name} 1\n" for i, name in enumerate(ones)) + "0 load 4\n"


class Certificates(CliTest):
    def test_that_was_not_written_is_said_and_has_its_code(self):
        file = self.write("chain.json", chain())
        _, err = self.run_program("plan", file, "--transfers", "overlap", "--certificate", self.path("proof.json"), "-o",
                                  self.path("plan.json"), "--quiet", code=13)
        self.assertRegex(err, r"^partita: --certificate: \S*proof\.json: nothing was written: ")
        self.assertIn("--shape free", err)
        self.assertEqual(self.read_json("plan.json")["status"], "optimal")


class QuestionFromThePlan(CliTest):
    def setUp(self):
        super().setUp()
        self.file = self.write("chain.json", chain(8))
        self.plan = self.path("plan.json")

    def make(self, *options):
        self.run_program("plan", self.file, *options, "--quiet", "-o", self.plan)
        return self.read_json("plan.json")

    def check(self, *options, code=0):
        out, _ = self.run_program(self.file, self.plan, *options, program=PARTITA_CHECK, code=code)
        return out

    def test_check_and_simulate_need_no_options(self):
        self.write("platform.json", {
            "version": 1, "syncBandwidth": 100, "classes": [
                {"name": "fast", "kind": "accelerator", "count": 2, "memory": 5},
                {"name": "slow", "kind": "accelerator", "count": 1, "timeFactor": 3, "linkFactor": 2},
                {"name": "cpu", "kind": "host", "count": 1}]})
        questions = (("--objective", "latency", "--subgraphs", "2", "--host-cores", "strict"),
                     ("--shape", "free", "--transfers", "overlap"),
                     ("--accelerators", "3", "--memory", "3", "--hosts", "0"),
                     ("--replicate", "2", "--memory-model", "1f1b", "--accelerators", "4"),
                     ("--objective", "gpipe", "--shape", "contiguous"),
                     ("--clusters", "2:0.5", "--accelerators", "4"),
                     ("--platform", self.path("platform.json")))
        for options in questions:
            with self.subTest(options):
                self.make(*options)
                self.assertIn("checked as: ", self.check())
                self.check(*options)
                self.run_program("simulate", self.file, self.plan, "--samples", "5", "--quiet")

    def test_it_is_said_as_what_a_plan_was_checked(self):
        self.make("--shape", "free", "--accelerators", "3")
        lines = self.check().splitlines()
        self.assertEqual(lines[0], "checked as: max-load, free, 3 accelerators of 953.7 MiB, 1 host")
        self.assertEqual(lines[1], "warning: the plan is for other devices than the workload's file names "
                                   "(2 accelerators of 953.7 MiB, 1 host)")
        self.make()
        lines = self.check().splitlines()
        self.assertEqual(lines[0], "checked as: max-load, staged, 2 accelerators of 953.7 MiB, 1 host")
        self.assertEqual(lines[1], "")

    def test_options_override_and_say_so(self):
        self.make("--accelerators", "3")
        lines = self.check("--shape", "contiguous", "--accelerators", "4").splitlines()
        self.assertEqual(lines[0], "checked as: max-load, contiguous, 4 accelerators of 953.7 MiB, 1 host")
        self.assertIn("options override: --shape contiguous (the plan was made with --shape staged); other devices than "
                      "the plan's (3 accelerators of 953.7 MiB, 1 host)", lines)
        self.check("--memory", "1", code=11)
        self.check("--accelerators", "2", code=11)

    def test_a_plan_cannot_make_its_check_easier_in_silence(self):
        plan = self.make("--memory", "4")
        self.assertEqual(plan["question"]["platform"]["classes"][0]["memory"], 4)
        plan["question"]["platform"]["classes"][0]["memory"] = 1e18
        self.write("plan.json", plan)
        self.assertIn("other devices than the workload's file names", self.check())
        out, err = self.run_program(self.file, self.plan, "--quiet", program=PARTITA_CHECK)
        self.assertEqual(out, "")
        self.assertIn("other devices than the workload's file names", err)
        plan["question"]["platform"]["classes"][0]["linkFactor"] = 0
        self.write("plan.json", plan)
        self.assertIn("value: ", self.check(code=11))

    def test_links_that_differ_are_said_though_the_devices_read_alike(self):
        plan = self.make()
        plan["question"]["platform"]["syncBandwidth"] = 7
        self.write("plan.json", plan)
        self.assertIn("but other links, clusters or times", self.check())

    def test_a_file_that_leaves_the_devices_to_the_plan(self):
        bare = chain(8)
        for field in ("maxFPGAs", "maxCPUs", "maxSizePerFPGA"):
            del bare[field]
        self.file = self.write("bare.json", bare)
        self.make("--accelerators", "2", "--hosts", "1", "--memory", "1GB")
        self.assertNotIn("warning", self.check())
        self.run_program("check", "-", self.plan, stdin=json.dumps(bare).encode())

    def test_plans_that_do_not_say_are_checked_as_before(self):
        plan = self.make("--shape", "free")
        del plan["question"]
        self.write("plan.json", plan)
        self.assertIn("checked as: max-load, free, ", self.check())
        self.run_program("plan", self.file, "--format", "seed", "--quiet", "-o", self.plan)
        self.assertIn("checked as: max-load, staged, ", self.check())

    def test_training_with_copies_that_exchange_for_nothing(self):
        nodes = [node(i) for i in range(3)] + [node(3 + i, isBackwardNode=True) for i in range(3)]
        self.file = self.write("training.json", workload(nodes, [edge(i, i + 1) for i in range(5)]))
        self.make("--replicate", "2", "--sync-bandwidth", "inf")
        self.check()


class BoundsNameTheirShape(CliTest):
    def test_in_sweeps_and_comparisons(self):
        file = self.write("chain.json", chain())
        out, _ = self.run_program("sweep", file, "--vary", "accelerators=1..3", "--svg", self.path("curve.svg"))
        self.assertIn("bound: no staged split is below it on that platform", out)
        self.assertIn("no staged split is below", self.read("curve.svg"))
        self.assertNotRegex(out, r"no split could|any split")
        out, _ = self.run_program("compare", file, "--algorithms", "dp,free", "--shape", "free")
        self.assertRegex(out, r"dp(:| .*) best of all staged splits")
        self.assertIn("bound: no split is below it", out)

    def test_in_help(self):
        out, _ = self.run_program("plan", "--help")
        self.assertNotIn("any split;", out)
        self.assertNotIn("bound on any split", out)


if __name__ == "__main__":
    main()
