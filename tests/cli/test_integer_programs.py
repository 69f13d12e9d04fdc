# SPDX-License-Identifier: Apache-2.0
"""Integer programs: `plan --algorithm ip`, `convert --to mps|lp` and `plan --read-solution`."""

import shutil
import signal
import subprocess
import time
import unittest

from harness import PARTITA, SLACK, CliTest, chain, main, wide_graph

SHAPES = ("staged", "contiguous", "free")


class IntegerPrograms(CliTest):
    def setUp(self):
        super().setUp()
        self.file = self.write("chain.json", chain())

    def plan(self, *options):
        out, err = self.run_program("plan", self.file, "-o", self.path("plan.json"), "--quiet", *options)
        self.assertEqual((out, err), ("", ""), "CBC must not print")
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
                    self.assertIn("floating point", plan["proof"])
                    self.assert_legal(self.file, self.path("plan.json"), *question)

    def test_contiguous_needs_no_algorithm(self):
        self.assertEqual(self.plan("--shape", "contiguous")["status"], "optimal")

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
        for option in (["--shape", "free"], ["--accelerators", "3"], ["--backward-shape"]):
            self.assert_refused(2, "convert", self.file, "--to", "workload", *option, mentions=[option[0]])

    @unittest.skipUnless(shutil.which("cbc"), "the program cbc is not installed")
    def test_another_solver_and_back(self):
        for model in ("mps", "lp"):
            for shape in SHAPES:
                with self.subTest(model=model, shape=shape):
                    file = self.path("model." + model)
                    self.run_program("convert", self.file, "--to", model, "--shape", shape, "-o", file)
                    subprocess.run(["cbc", file, "-solve", "-solu", self.path("solution")], check=True, stdout=subprocess.DEVNULL)
                    plan = self.plan("--shape", shape, "--read-solution", self.path("solution"))
                    self.assertAlmostEqual(plan["value"], 2.1, places=9)


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
        self.assertLess(time.monotonic() - start, 4 + 6 * SLACK)
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
        self.assertLess(time.monotonic() - start, 6 * SLACK)
        self.assert_best_so_far()


if __name__ == "__main__":
    main()
