# SPDX-License-Identifier: Apache-2.0
"""Long runs: time limits, Ctrl-C, gaps. All on a graph that no exact search can finish."""

import json
import signal
import subprocess
import time

from harness import PARTITA, SLACK, CliTest, main, wide_graph


class LongRun(CliTest):
    def setUp(self):
        super().setUp()
        self.file = self.write("wide.json", wide_graph())

    def assert_best_so_far(self, plan):
        self.assertEqual(plan["status"], "feasible")
        self.assertGreater(plan["bound"], 0)
        self.assertLess(plan["bound"], plan["value"])
        self.assertAlmostEqual(plan["gap"], (plan["value"] - plan["bound"]) / plan["value"], places=9)
        self.assert_legal(self.file, self.path("plan.json"), "--shape", "staged")

    def interrupt(self, sent):
        program = subprocess.Popen([PARTITA, "plan", self.file, "--time-limit", "120", "-o", self.path("plan.json")],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        try:
            time.sleep(1 * SLACK)
            self.assertIsNone(program.poll(), "the search was over before it could be interrupted")
            start = time.monotonic()
            program.send_signal(sent)
            out, err = program.communicate(timeout=60)
        finally:
            program.kill()
        self.assertEqual(program.returncode, 0, err.decode())
        self.assertLess(time.monotonic() - start, 2 * SLACK)
        self.assertIn("interrupted", out.decode())
        self.assert_best_so_far(self.read_json("plan.json"))

    def test_ctrl_c_writes_the_best_so_far(self):
        self.interrupt(signal.SIGINT)

    def test_terminate_writes_the_best_so_far(self):
        self.interrupt(signal.SIGTERM)

    def test_ctrl_c_works_where_the_parent_ignores_it(self):
        # As in a script: `partita plan ... & sleep 1; kill -INT $!`.
        script = (f'"{PARTITA}" plan "{self.file}" --time-limit 120 -q -o "{self.path("plan.json")}" & '
                  f'sleep {SLACK}; kill -INT $!; wait $!')
        start = time.monotonic()
        subprocess.run(["bash", "-c", script], check=True, timeout=110)
        self.assertLess(time.monotonic() - start, 3 * SLACK)
        self.assert_best_so_far(self.read_json("plan.json"))

    def test_time_limit(self):
        for limit in (0.5, 2):
            with self.subTest(limit=limit):
                start = time.monotonic()
                out, _ = self.run_program("plan", self.file, "--time-limit", str(limit), "-o", self.path("plan.json"))
                self.assertLess(time.monotonic() - start, limit + 1.5 * SLACK)
                self.assertIn("time limit reached", out)
                self.assert_best_so_far(self.read_json("plan.json"))

    def test_a_tenth_of_a_second_is_enough_for_latency(self):
        latency = ("--objective", "latency")
        self.run_program("plan", self.file, *latency, "--time-limit", "0.1", "-o", self.path("plan.json"))
        plan = self.read_json("plan.json")
        self.assertGreater(plan["bound"], 0)
        self.assertLessEqual(plan["bound"], plan["value"])
        self.assert_legal(self.file, self.path("plan.json"), *latency)
        # What more time proves does not contradict it.
        self.run_program("plan", self.file, *latency, "--time-limit", "2", "-o", self.path("plan.json"))
        longer = self.read_json("plan.json")
        self.assertLessEqual(longer["bound"], plan["value"])
        self.assertLessEqual(plan["bound"], longer["value"])

    def test_no_time_at_all_still_gives_an_answer_or_says_that_there_is_none(self):
        command = [PARTITA, "plan", self.file, "--time-limit", "0", "--quiet", "-o", self.path("plan.json")]
        done = subprocess.run(command, stderr=subprocess.PIPE, timeout=60, check=False)
        plan = self.read_json("plan.json")
        self.assertIn((done.returncode, plan["status"]), [(0, "feasible"), (12, "unknown")])
        if done.returncode == 12:
            self.assertNotEqual(plan["reason"], "")
            self.assertEqual(done.stderr.count(b"\n"), 1)

    def test_gap_ends_the_search(self):
        out, _ = self.run_program("plan", self.file, "--time-limit", "60", "--gap", "0.99", "--quiet", "-o", "-")
        plan = json.loads(out)
        self.assertLessEqual(plan["gap"], 0.99)
        self.assertLess(plan["seconds"], 20 * SLACK)


if __name__ == "__main__":
    main()
