# SPDX-License-Identifier: Apache-2.0
"""Integer programs: `plan --algorithm ip`, `convert --to mps|lp` and `plan --read-solution`."""

import json
import pathlib
import shutil
import signal
import subprocess
import time
import unittest

from harness import PARTITA, SLACK, CliTest, chain, edge, main, node, wide_graph, workload

SHAPES = ("staged", "contiguous", "free")
HERE = pathlib.Path(__file__).resolve().parent


class IntegerPrograms(CliTest):
    def setUp(self):
        super().setUp()
        self.file = self.write("chain.json", chain())

    def plan(self, *options):
        out, err = self.run_program("plan", self.file, "-o", self.path("plan.json"), "--quiet", *options)
        self.assertEqual((out, err), ("", ""), "the solver must not print")
        return self.read_json("plan.json")

    def test_every_shape_and_objective(self):
        for shape in SHAPES:
            for objective in ("throughput", "gpipe"):
                with self.subTest(shape=shape, objective=objective):
                    question = ["--shape", shape, "--objective", objective]
                    plan = self.plan("--algorithm", "ip", *question)
                    self.assertEqual((plan["status"], plan["shape"]), ("optimal", shape))
                    self.assertAlmostEqual(plan["value"], 2.1, places=9)
                    self.assertLessEqual(plan["bound"], plan["value"])
                    self.assertRegex(plan["proof"], "claimed by (CBC|HiGHS) in floating point, not verified")
                    self.assertIs(plan["bound_verified"], False)
                    self.assert_legal(self.file, self.path("plan.json"), *question)

    def test_the_solver_is_chosen(self):
        settings, _ = self.run_program("help", "settings")
        self.assertIn("mip.backend=auto", settings)
        plan = self.plan("--algorithm", "ip", "--set", "mip.backend=cbc")
        self.assertIn("claimed by CBC", plan["proof"])
        self.assertEqual(plan["settings"], {"mip.backend": "cbc"})
        by_highs = ["--algorithm", "ip", "--set", "mip.backend=highs"]
        refused = subprocess.run([PARTITA, "plan", self.file, "-q", *by_highs], capture_output=True, text=True)
        if refused.returncode:
            # Also where the portfolio might not come to its integer program.
            for options in (by_highs, by_highs[2:]):
                self.assert_refused(13, "plan", self.file, *options, mentions=["mip.backend", "this build has no HiGHS"])
        else:
            plan = self.plan(*by_highs)
            self.assertEqual(plan["status"], "optimal")
            self.assertIn("claimed by HiGHS", plan["proof"])
            self.assert_legal(self.file, self.path("plan.json"))

    def test_latency(self):
        question = ["--objective", "latency"]
        by_search = self.plan(*question)
        for more in ([], ["--subgraphs", "2"]):
            plan = self.plan("--algorithm", "ip", *question, *more)
            self.assertEqual((plan["status"], plan["objective"]), ("optimal", "latency"))
            self.assertAlmostEqual(plan["value"], by_search["value"], places=9)
            self.assertIn("floating point", plan["proof"])
            self.assert_legal(self.file, self.path("plan.json"), *question, *more)
        for command in (["plan", "--algorithm", "ip"], ["convert", "--to", "lp"]):
            self.assert_refused(13, command[0], self.file, *command[1:], *question, "--host-cores", "strict",
                                mentions=["--host-cores", "leave out"])

    def test_latency_solutions_are_read(self):
        question = ["--objective", "latency", "--subgraphs", "2"]
        # A device for the first and the last node, another for the two between.
        self.write("solution", "x_0_a0 1\nx_1_a1 1\nx_2_a1 1\nx_3_a0 1\n"
                               "y_0_f1 1\ny_1_f2 1\ny_2_f2 1\ny_3_f3 1\n"
                               "owner_f1_a0 1\nowner_f2_a1 1\nowner_f3_a0 1\n")
        plan = self.plan(*question, "--read-solution", self.path("solution"))
        self.assertEqual((plan["status"], plan["bound"]), ("feasible", 0))
        self.assertEqual(sorted(d["nodes"] for d in plan["devices"]), [[], [0, 30], [10, 20]])
        self.assert_legal(self.file, self.path("plan.json"), *question)

    def test_small_questions_need_no_foreign_solver(self):
        for shape in ("contiguous", "free"):
            for objective in ("throughput", "gpipe"):
                for transfers in ("sum", "overlap", "duplex"):
                    with self.subTest(shape=shape, objective=objective, transfers=transfers):
                        plan = self.plan("--shape", shape, "--objective", objective, "--transfers", transfers)
                        self.assertEqual((plan["status"], plan["bound_verified"]), ("optimal", True))

    def test_names_cannot_leave_a_comment(self):
        file = self.write("named.json", chain() | {"name": "a\nBOUNDS\n UP BND T 0\rx\u2028y" + 300 * "z"})
        for to, mark in (("mps", "*"), ("lp", "\\")):
            text, _ = self.run_program("convert", file, "--to", to)
            self.assertIn("BOUNDS", text.split("\n")[0])
            self.assertLessEqual(max(len(line) for line in text.splitlines()), 255)
            for line in text.split("\n")[:3]:
                self.assertTrue(line.startswith(mark), line)
            self.assertNotIn("\r", text)
            self.assertNotIn("\u2028", text)
            self.assertNotIn("\n UP BND T 0\n", text)

    def test_solutions_are_read(self):
        self.write("solution", "# Objective value = 2.1\nT 2.1\nx_0_a0 1\nx_1_a0 1\nx_2_a1 1\nx_3_a1 1\n")
        plan = self.plan("--shape", "free", "--read-solution", self.path("solution"))
        self.assertEqual((plan["status"], plan["bound"]), ("feasible", 0))
        self.assertAlmostEqual(plan["value"], 2.1, places=9)
        self.assertEqual(sorted(d["nodes"] for d in plan["devices"]), [[], [0, 10], [20, 30]])

    def test_wrong_solutions_are_refused(self):
        back_and_forth = self.write("forth", "x_0_a0 1\nx_1_a1 1\nx_2_a0 1\nx_3_a0 1\n")
        self.plan("--shape", "free", "--read-solution", back_and_forth)
        for code, text, mention in [(11, "x_0_a0 1\nx_1_a1 1\nx_2_a0 1\nx_3_a0 1\n", "not contiguous"),
                                    (5, "x_0_a0 1\n", "row once_1"), (5, "x_9_a0 1\n", "x_9_a0"), (5, "", "no line"),
                                    (5, "x_0_a0 0.5\n", "whole")]:
            solution = self.write("solution", text)
            self.assert_refused(code, "plan", self.file, "--shape", "contiguous", "--read-solution", solution,
                                mentions=["solution", mention])
        self.assert_refused(3, "plan", self.file, "--read-solution", self.path("missing"), mentions=["missing"])

    def test_models_are_written(self):
        for shape in SHAPES:
            mps, _ = self.run_program("convert", self.file, "--to", "mps", "--shape", shape)
            self.assertTrue(mps.startswith(f"* chain: {shape} split"), mps[:80])
            self.assertTrue(mps.endswith("ENDATA\n"))
            lp, _ = self.run_program("convert", self.file, "--to", "lp", "--shape", shape)
            self.assertTrue(lp.endswith("End\n"))
            self.assertLessEqual(max(len(line) for line in lp.splitlines()), 255)
        more, _ = self.run_program("convert", self.file, "--to", "lp", "--shape", "free", "--accelerators", "3")
        self.assertIn("x_3_a2", more)

    def test_options_of_a_problem_are_only_for_models(self):
        for option in (["--shape", "free"], ["--backward-shape"]):
            self.assert_refused(2, "convert", self.file, "--to", "workload", *option, mentions=[option[0]])
        self.assert_refused(2, "convert", self.file, "--to", "seed", "--accelerators", "3", mentions=["--accelerators"])

    def test_the_model_of_a_problem_without_a_split(self):
        file = self.write("full.json", chain(memory=1.0, hosts=0))
        self.run_program("convert", file, "--to", "lp", "--shape", "contiguous", "-o", self.path("model.lp"))
        err = self.assert_refused(9, "plan", file, "-q", "--shape", "contiguous", mentions=["infeasible", "memory"])
        self.assertEqual(err, self.assert_refused(9, "plan", file, "-q", "--shape", "contiguous", "--algorithm", "ip"))


class WhereCbcWentWrong(CliTest):
    """Files on which CBC, asked plainly, claimed what is false, aborted, or printed. `auto` is HiGHS where it is there."""

    BACKENDS = ("cbc", "auto")

    def answer(self, name, *options, backend="auto"):
        file = str(HERE / "cbc" / name)
        out, err = self.run_program("plan", file, "-q", "-o", "-", "--set", f"mip.backend={backend}", *options)
        self.assertEqual(err, "")
        plan = json.loads(out)  # nothing but the plan
        self.write("plan.json", plan)
        question = [option for option in options if option not in ("--algorithm", "ip")]
        self.assert_legal(file, self.path("plan.json"), *question)
        return plan

    def test_far_apart_times(self):
        for name, options, best in [("host_1e17.json", [], 1), ("accelerator_1e11.json", [], 4.4),
                                    ("host_2e17_overlap.json", ["--transfers", "overlap"], 4),
                                    ("host_1e12_overlap.json", ["--transfers", "overlap"], 4)]:
            with self.subTest(name=name):
                for backend in self.BACKENDS:
                    plan = self.answer(name, "--algorithm", "ip", *options, backend=backend)
                    self.assertAlmostEqual(plan["value"], best, places=9)
                    self.assertLessEqual(plan["bound"], best)
                    self.assertEqual(plan["bound_verified"], plan["bound"] == 0)
                self.assertAlmostEqual(self.answer(name, *options)["value"], best, places=9)

    def test_an_abort_is_not_ours(self):
        question = ["--objective", "gpipe", "--shape", "free", "--transfers", "duplex"]
        ours = self.answer("gpipe_duplex.json", *question)
        self.assertEqual((ours["status"], ours["bound_verified"]), ("optimal", True))
        for backend in self.BACKENDS:
            plan = self.answer("gpipe_duplex.json", "--algorithm", "ip", *question, backend=backend)
            self.assertAlmostEqual(plan["value"], ours["value"], places=9)
            self.assertLessEqual(plan["bound"], ours["value"])


def training():
    """Two forward nodes with twins, two without, and an orphan; memory for four nodes on a device."""
    nodes = [node(1, 4, colorClass=1), node(2, 3, colorClass=2), node(3, 5), node(4, 2), node(5, 4, isBackwardNode=True),
             node(6, 6, colorClass=2, isBackwardNode=True), node(7, 8, colorClass=1, isBackwardNode=True)]
    edges = [edge(1, 2, 1), edge(1, 3, 1), edge(2, 4, 0.5), edge(3, 4, 2), edge(4, 5, 1), edge(5, 6, 1), edge(6, 7, 3),
             edge(2, 6, 0.5)]
    return workload(nodes, edges, accelerators=3, memory=4.0, hosts=1, name="training")


class OtherSolvers(CliTest):
    """Models written, read by somebody else's parser, solved there, and the solution read back."""

    QUESTIONS = [["--shape", shape, "--objective", objective, "--transfers", transfers] for shape in SHAPES
                 for objective in ("throughput", "gpipe") for transfers in ("sum", "overlap", "duplex")]
    QUESTIONS += [["--objective", "latency"], ["--objective", "latency", "--subgraphs", "2"]]

    def each_model(self):
        for name, content in (("chain", chain()), ("training", training())):
            file = self.write(name + ".json", content)
            for question in self.QUESTIONS:
                self.run_program("plan", file, "--algorithm", "ip", "-q", "-o", self.path("best.json"), *question)
                best = self.read_json("best.json")
                self.assertEqual(best["status"], "optimal")
                for to in ("mps", "lp"):
                    model = self.path("model." + to)
                    self.run_program("convert", file, "--to", to, "-o", model, *question)
                    with self.subTest(workload=name, question=question, to=to):
                        yield file, question, model, best["value"]

    @unittest.skipUnless(shutil.which("cbc"), "the program cbc is not installed")
    def test_cbc_and_back(self):
        for file, question, model, value in self.each_model():
            log = subprocess.run(["cbc", model, "-allow", "0", "-solve", "-solu", self.path("solution")], check=True,
                                 capture_output=True, text=True).stdout
            self.assertNotRegex(log, r"(?i)\bwarning|[1-9]\d* errors|Coin6\d\d\dE")
            self.run_program("plan", file, "-q", "--read-solution", self.path("solution"), "-o", self.path("plan.json"),
                             *question)
            plan = self.read_json("plan.json")
            self.assertEqual(plan["status"], "feasible")
            self.assertAlmostEqual(plan["value"], value, delta=1e-6 * value)
            self.assert_legal(file, self.path("plan.json"), *question)

    @unittest.skipUnless(shutil.which("glpsol"), "the program glpsol is not installed")
    def test_glpsol_reads_the_same_model(self):
        for _, _, model, value in self.each_model():
            kind = "--lp" if model.endswith("lp") else "--freemps"
            log = subprocess.run(["glpsol", kind, model, "-o", self.path("solution")], check=True, capture_output=True,
                                 text=True).stdout
            self.assertNotIn("warning", log.lower())
            text = self.read("solution")
            self.assertIn("INTEGER OPTIMAL", text)
            found = float(text.split("Objective:")[1].split("=")[1].split()[0])
            self.assertAlmostEqual(found, value, delta=1e-5 * value)


class LongRuns(CliTest):
    """On a graph whose integer program no solver finishes."""

    def setUp(self):
        super().setUp()
        self.file = self.write("wide.json", wide_graph())
        self.command = [PARTITA, "plan", self.file, "--shape", "contiguous", "-q", "-o", self.path("plan.json")]

    def assert_best_so_far(self):
        plan = self.read_json("plan.json")
        self.assertEqual(plan["status"], "feasible")
        self.assertLess(plan["bound"], plan["value"])
        self.assert_legal(self.file, self.path("plan.json"), "--shape", "contiguous")

    def test_time_limit(self):
        start = time.monotonic()
        subprocess.run([*self.command, "--time-limit", "4"], check=True, timeout=200)
        self.assertLess(time.monotonic() - start, 4.6 + SLACK)  # a second for starting, reading and a busy machine
        self.assert_best_so_far()

    def test_ctrl_c(self):
        program = subprocess.Popen([*self.command, "--time-limit", "120"])
        try:
            time.sleep(4 * SLACK)
            start = time.monotonic()
            program.send_signal(signal.SIGINT)
            self.assertEqual(program.wait(timeout=100), 0)
        finally:
            program.kill()
        self.assertLess(time.monotonic() - start, 2 * SLACK)
        self.assert_best_so_far()


if __name__ == "__main__":
    main()
