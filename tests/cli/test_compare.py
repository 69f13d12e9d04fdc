# SPDX-License-Identifier: Apache-2.0
"""partita compare: tables, JSON, what applies, exit codes, Ctrl-C."""

import fcntl
import json
import os
import pty
import re
import signal
import struct
import subprocess
import termios
import time

from harness import PARTITA, SLACK, CliTest, chain, edge, main, node, wide_graph, workload

DOCS = os.path.join(os.path.dirname(__file__), "..", "..", "docs", "formats.md")


def by_name(comparison, place=0):
    return {run["algorithm"]: run for run in comparison["workloads"][place]["algorithms"]}


class Compare(CliTest):
    def setUp(self):
        super().setUp()
        self.file = self.write("chain.json", chain())

    def compare(self, *arguments, code=0):
        return json.loads(self.run_program("compare", *arguments, "-q", "--format", "json", code=code)[0])

    def test_solvers_agree_and_a_baseline_does_not(self):
        runs = by_name(self.compare(self.file))
        self.assertAlmostEqual(runs["dp"]["value"], 2.1)
        self.assertTrue(runs["dp"]["optimal"])
        self.assertEqual(runs["dp"]["value"], runs["ip-staged"]["value"])
        self.assertAlmostEqual(runs["greedy"]["ratio"], 4 / 2.1)
        self.assertEqual(runs["free"]["outcome"], "not-applicable")
        self.assertNotIn("latency", runs)

    def test_the_table(self):
        out, err = self.run_program("compare", self.file, "--algorithms", "dp,greedy")
        self.assertRegex(out, r"(?m)^chain: 4 nodes, 3 edges; 2 accelerators")
        self.assertRegex(out, r"(?m)^dp +2\.10000= +1\.000 .*optimal$")
        self.assertRegex(out, r"(?m)^greedy +4\.00000 +1\.905 ")
        self.assertEqual(err, "")

    def test_the_order_is_the_one_asked_for(self):
        runs = self.compare(self.file, "--algorithms", "greedy,dp")["workloads"][0]["algorithms"]
        self.assertEqual([run["algorithm"] for run in runs], ["greedy", "dp"])

    def test_without_times_two_runs_agree(self):
        for form in ("table", "markdown", "json"):
            arguments = ("compare", self.file, "--shape", "free", "--no-times", "-q", "--format", form)
            first, _ = self.run_program(*arguments)
            self.assertEqual(first, self.run_program(*arguments)[0])
            self.assertNotRegex(first, r"seconds|\d m?s\b")

    def test_several_inputs_have_means(self):
        other = self.write("other.json", chain(length=8))
        result = self.compare(self.file, other, "--algorithms", "dp,greedy")
        ratios = [by_name(result, i)["greedy"]["ratio"] for i in (0, 1)]
        mean = {m["algorithm"]: m for m in result["geometric_means"]}["greedy"]
        self.assertAlmostEqual(mean["ratio"], (ratios[0] * ratios[1]) ** 0.5)
        # Both are called chain, so they go by their files.
        self.assertEqual([w["name"] for w in result["workloads"]], [self.file, other])
        out, _ = self.run_program("compare", self.file, other, "--algorithms", "dp,greedy", "-q")
        self.assertIn("geometric mean of ratios", out)
        self.assertIn("Times:", out)

    def test_latency(self):
        runs = by_name(self.compare(self.file, "--objective", "latency"))
        self.assertTrue(runs["latency"]["optimal"])
        self.assertAlmostEqual(runs["max-load-for-latency"]["value"], 4.2)
        self.assertNotIn("dp", runs)
        self.assertNotIn("shape", runs["greedy"])

    def test_expert(self):
        seed = self.write("seed.json", {"fpgas": [{"nodes": [0]}, {"nodes": [10, 20, 30]}]})
        runs = by_name(self.compare(self.file, "--expert", seed))
        self.assertAlmostEqual(runs["expert"]["value"], 3.1)
        other = self.write("other.json", chain(length=6))
        result = self.compare("--expert", seed, self.file, other, "--expert", seed, "--algorithms", "expert,dp")
        self.assertEqual(by_name(result, 0)["expert"]["outcome"], "split")
        self.assertEqual(by_name(result, 1)["expert"]["outcome"], "no-split")
        self.assertIn("--expert", by_name(self.compare(self.file))["expert"]["reason"])

    def test_seeds_decide_what_random_algorithms_find(self):
        file = self.write("wide.json", wide_graph())
        arguments = (file, "--algorithms", "local-search", "--shape", "free", "--no-times")
        self.assertEqual(self.compare(*arguments, "--seed", "3"), self.compare(*arguments, "--seed", "3"))
        values = {by_name(self.compare(*arguments, "--seed", str(s)))["local-search"]["value"] for s in (1, 2, 3)}
        self.assertGreater(len(values), 1)

    def test_markdown_and_a_file(self):
        self.run_program("compare", self.file, "--format", "markdown", "-q", "-o", self.path("table.md"))
        self.assertRegex(self.read("table.md"), r"(?m)^\| dp +\| \*\*2\.10000=\*\* \|")

    def test_illegal_splits_are_marked(self):
        file = self.write("big.json", chain(memory=2 * 1024.0**3))
        runs = by_name(self.compare(file, "--memory", "3", "--algorithms", "dp,single"))
        self.assertTrue(runs["dp"]["legal"])
        self.assertEqual((runs["single"]["legal"], runs["single"]["fault"]), (False, "over memory by 1 B"))
        self.assertEqual(runs["single"]["violation_count"], len(runs["single"]["violations"]))

    def test_splits_of_another_shape_are_marked(self):
        # The last node would fit beside the first, which is no pipeline.
        file = self.write("w.json", workload([node(0, 5), node(1, 6), node(2, 1)], [edge(0, 1), edge(1, 2)], hosts=0))
        runs = by_name(self.compare(file, "--algorithms", "dp,free"))
        self.assertEqual((runs["dp"]["value"], runs["free"]["value"]), (7, 6))
        self.assertEqual((runs["free"]["legal"], runs["free"]["fault"]), (False, "not staged"))
        self.assertAlmostEqual(runs["free"]["ratio"], 6 / 7)

    def test_the_documented_fields_are_those_written(self):
        with open(DOCS, encoding="utf-8") as file:
            documented = [json.loads(text) for text in re.findall(r"```json\n(.*?)```", file.read(), re.S)]
        shown = next(d for d in documented if d.get("partita", {}).get("format") == "comparison")
        tiny = self.write("tiny.json", documented[0])
        written = self.compare(tiny, "--algorithms", "dp,greedy")
        self.assertEqual(set(shown), set(written))
        self.assertEqual(set(shown["workloads"][0]), set(written["workloads"][0]))
        for name in ("dp", "greedy"):
            self.assertEqual(set(by_name(shown)[name]), set(by_name(written)[name]))
            self.assertEqual(by_name(shown)[name]["value"], by_name(written)[name]["value"])
        free = by_name(self.compare(tiny))["free"]
        self.assertEqual(by_name(shown)["free"], free)


class Refusals(CliTest):
    def test_usage(self):
        file = self.write("chain.json", chain())
        self.assert_refused(2, "compare")
        self.assert_refused(2, "compare", file, "--algorithms", "dp,simplex", "-q", mentions=["simplex", "greedy"])
        self.assert_refused(2, "compare", file, "--subgraphs", "2", mentions=["--subgraphs"])
        self.assert_refused(2, "compare", "-", "-", mentions=["standard input"])
        self.assert_refused(2, "compare", file, file, "--expert", file, mentions=["--expert"])
        self.assert_refused(3, "compare", self.path("nowhere.json"), mentions=["nowhere.json"])
        self.assert_refused(10, "compare", file, "-o", self.path("no/such/folder"))

    def test_none_applies(self):
        file = self.write("chain.json", chain())
        _, err = self.run_program("compare", file, "--algorithms", "latency", "-q", code=13)
        self.assertIn("none of the algorithms applies", err)

    def test_infeasible(self):
        file = self.write("big.json", chain(memory=0.5, hosts=0))
        out, err = self.run_program("compare", file, "-q", code=9)
        self.assertIn("proved: no split", out)
        self.assertIn("infeasible", err)


class Terminal(CliTest):
    """On a terminal of 60 columns."""

    def test_narrow(self):
        file = self.write("chain.json", chain())
        other = self.write("other.json", chain(length=6))
        for arguments in ([file], [file, other]):
            controller, terminal = pty.openpty()
            fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 60, 0, 0))
            subprocess.run([PARTITA, "compare", *arguments, "--no-times", "-q"], stdout=terminal, timeout=100, check=True)
            os.close(terminal)
            text = b""
            while True:
                try:
                    piece = os.read(controller, 65536)
                except OSError:
                    break
                if not piece:
                    break
                text += piece
            os.close(controller)
            for line in text.decode().splitlines():
                self.assertLessEqual(len(line), 60, line)


class Interrupted(CliTest):
    def test_ctrl_c_shows_what_there_is(self):
        file = self.write("wide.json", wide_graph())
        program = subprocess.Popen([PARTITA, "compare", file, "--algorithms", "greedy,dp,dpl", "--time-limit", "120",
                                    "--format", "json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        try:
            time.sleep(1 * SLACK)
            program.send_signal(signal.SIGINT)
            out, err = program.communicate(timeout=60)
        finally:
            program.kill()
        self.assertEqual(program.returncode, 0, err.decode())
        self.assertIn("interrupted", err.decode())
        runs = by_name(json.loads(out))
        self.assertEqual(runs["greedy"]["outcome"], "split")
        self.assertEqual(runs["dp"]["outcome"], "split")
        self.assertEqual(runs["dpl"]["outcome"], "interrupted")


if __name__ == "__main__":
    main()
