# SPDX-License-Identifier: Apache-2.0
"""What people see while they wait and afterwards: the live line, and tables that fit the terminal."""

import re
import signal
import time

from harness import PARTITA, SLACK, CliTest, chain, edge, main, node, wide_graph, workload

TAKEN_AWAY = "\r\x1b[K"


def live_lines(shown):
    """The texts that the live line had, one after the other."""
    return [part.split("\n")[0].rstrip("\r") for part in shown.split(TAKEN_AWAY)[1:]]


class LiveLine(CliTest):
    def setUp(self):
        super().setUp()
        self.file = self.write("wide.json", wide_graph())

    def test_ticks_with_the_time_used_and_the_limit_in_plain_words(self):
        _, shown = self.run_on_terminal("plan", self.file, "--time-limit", "1.5", columns=120)
        lines = live_lines(shown)
        seconds = [float(line.split()[0]) for line in lines if line]
        self.assertGreaterEqual(len(seconds), 8, shown)
        self.assertEqual(seconds, sorted(seconds))
        self.assertRegex(lines[-2], r"^\d\.\d / 1\.5 s  searching: best [\d.]+, at least [\d.]+ possible, [\d.]+ % between$")
        self.assertNotIn("\n", shown)
        self.assertTrue(shown.endswith(TAKEN_AWAY), repr(shown))
        for word in ("groups", "bound", "gap"):
            self.assertNotIn(word, shown)

    def test_is_cut_with_an_ellipsis(self):
        for locale, ellipsis in ({"LC_ALL": "C.UTF-8"}, "…"), ({"LC_ALL": "C"}, "..."), (
                {"LC_ALL": "", "LC_CTYPE": "", "LANG": "en_US.utf8"}, "…"):
            _, shown = self.run_on_terminal("plan", self.file, "--time-limit", "0.6", columns=30, environment=locale)
            lines = live_lines(shown)
            self.assertLessEqual(max(len(line) for line in lines), 29)
            self.assertTrue(any(line.endswith(ellipsis) for line in lines), lines)

    def test_is_taken_away_on_ctrl_c_and_on_errors(self):
        out, shown = self.run_on_terminal("plan", self.file, "--time-limit", "120",
                                          signals=[(1 * SLACK, signal.SIGINT)])
        self.assertIn("interrupted", out)
        self.assertTrue(shown.endswith(TAKEN_AWAY), repr(shown))
        _, shown = self.run_on_terminal("plan", self.file, "--time-limit", "0.5", "--shape", "free", "--threads", "2",
                                        "-o", "/dev/full", code=10)
        self.assertRegex(shown, r"\r\x1b\[Kpartita: /dev/full: cannot be written[^\x1b]*$")

    def test_verbose_prints_steps_above_it(self):
        _, shown = self.run_on_terminal("plan", self.file, "--time-limit", "1", "-v")
        self.assertRegex(shown, r"(?m)^(?:\r\x1b\[K)?r +\d")
        self.assertTrue(any(" / 1 s  searching" in line for line in live_lines(shown)), shown)

    def test_short_runs_show_nothing(self):
        self.assertEqual(self.run_on_terminal("plan", self.write("chain.json", chain()))[1], "")

    def test_there_is_none_where_lines_cannot_be_rewritten(self):
        for environment in ({"TERM": "dumb"}, {"TERM": ""}):
            _, shown = self.run_on_terminal("plan", self.file, "--time-limit", "0.5", environment=environment)
            self.assertEqual(shown, "")
        self.assertEqual(self.run_program("plan", self.file, "--time-limit", "1")[1], "")
        self.assertEqual(self.run_program("compare", self.file, "--time-limit", "0.2", "--algorithms", "dpl,greedy")[1],
                         "")

    def test_a_pipe_gets_a_line_every_few_seconds(self):
        _, err = self.run_program("plan", self.file, "--time-limit", "6")
        self.assertRegex(err, r"^5\.\d / 6 s  searching: best [\d.]+, at least [^\n]*\n$")

    def test_quiet_shows_nothing(self):
        self.assertEqual(self.run_on_terminal("plan", self.file, "--time-limit", "0.5", "-q")[1], "")

    def test_sweep_and_compare_have_one_too(self):
        _, shown = self.run_on_terminal("sweep", self.file, "--vary", "accelerators=2,3", "--time-limit", "0.7",
                                        columns=120)
        self.assertRegex(shown, r"\d\.\d / 0\.7 s  accelerators 2 \(1 of 2\): best ")
        self.assertIn("[2/2] accelerators 3: ", shown)
        _, shown = self.run_on_terminal("compare", self.file, "--algorithms", "dp", "--time-limit", "0.7", columns=120)
        self.assertRegex(shown, r"\d\.\d / 0\.7 s  wide: dp \(1 of 1\): ")
        self.assertTrue(shown.endswith(TAKEN_AWAY), repr(shown))

    def test_works_without_threads(self):
        # bash lowers its own limit; where that is not possible (root is not bound by it), nothing is tested.
        start = time.monotonic()
        out, _ = self.run_program("-c", f'ulimit -u 1; exec "{PARTITA}" plan "{self.file}" --time-limit 1',
                                  program="bash")
        self.assertIn("time limit reached", out)
        self.assertLess(time.monotonic() - start, 10 * SLACK)


LONG = "a-rather-long-name-of-an-accelerator-class"


def training(length=6):
    forward = [node(i, 1 + i / 7, colorClass=i, size=1e9) for i in range(length)]
    backward = [node(100 + i, 2 + i / 3, colorClass=i, isBackwardNode=True) for i in range(length)]
    edges = [edge(i, i + 1, 0.123) for i in range(length - 1)] + [edge(length - 1, 100 + length - 1, 0.1)]
    edges += [edge(101 + i, 100 + i, 0.123) for i in range(length - 1)]
    return workload(forward + backward, edges, accelerators=4, memory=1e11, name="training")


def long_names():
    classes = [{"name": LONG, "kind": "accelerator", "count": 4, "memory": 1e6},
               {"name": "host", "kind": "host", "count": 1}]
    nodes = [{"id": i, "latency": {LONG: 1.0 + i / 3, "host": 9}, "size": 1000 * i, "name": "layer/" * 9 + str(i)}
             for i in range(9)]
    return {"name": "model-" * 12, "platform": {"version": 1, "classes": classes}, "nodes": nodes,
            "edges": [edge(i, i + 1, 0.123456) for i in range(8)]}


class Tables(CliTest):
    """Every table fits 80 columns where there is no terminal, and the terminal where there is one."""

    def assert_fits(self, *arguments, code=0):
        piped, _ = self.run_program(*arguments, code=code)
        texts = {80: piped}
        for columns in (60, 80, 120):
            texts[-columns], _ = self.run_on_terminal(*arguments, columns=columns, code=code, both=True)[::-1]
        for columns, text in texts.items():
            self.assertNotEqual(text, "")
            # Sentences are the terminal's to wrap; what has columns is a table.
            for line in filter(re.compile(r"\S  +\S").search, text.replace(TAKEN_AWAY, "\n").splitlines()):
                self.assertLessEqual(len(line.rstrip()), abs(columns), f"{arguments} at {columns}:\n{text}")
        return texts

    def plan(self, file, *options):
        self.run_program("plan", file, *options, "-q", "-o", self.path("plan.json"))
        return self.path("plan.json")

    def everywhere(self, file, *question):
        plan = self.plan(file, *question)
        texts = self.assert_fits("plan", file, *question)
        self.assert_fits("check", file, plan, *question)
        self.assert_fits("simulate", file, plan, *question)
        return texts

    def test_plain_and_training(self):
        texts = self.everywhere(self.write("training.json", training()))
        self.assertRegex(texts[-120], r"(?m)^stage +device +load +forward +backward +compute +in +out +memory +nodes\r?$")
        self.assertRegex(texts[80], r"(?m)^ +\d  accelerator \d .* <- bottleneck$")
        self.assertRegex(texts[80], r"(?m)^stage  device .* memory  nodes$")
        self.everywhere(self.write("training.json", training()), "--memory-model", "1f1b", "--recompute")
        self.everywhere(self.write("training.json", training()), "--replicate", "3", "--sync-bandwidth", "1e9",
                        "--memory-model", "1f1b")

    def test_latency(self):
        self.everywhere(self.write("training.json", training()), "--objective", "latency", "--subgraphs", "2")

    def test_long_names_are_cut_but_can_be_told_apart(self):
        file = self.write("long.json", long_names())
        texts = self.everywhere(file)
        names = re.findall(r"(?m)^ +\d+  (\S+ \d+)", texts[-60])
        self.assertGreaterEqual(len(set(names)), 3, texts[-60])
        self.everywhere(file, "--replicate", "3")
        self.assert_fits("compare", file, "--no-times")
        self.assert_fits("sweep", file, "--vary", "memory=1KB..40KB:8KB", "--no-times")

    def test_compare_and_sweep(self):
        files = [self.write(f"{name}.json", chain() | {"name": name}) for name in ("one", "another", "y" * 60)]
        self.assert_fits("compare", *files, "--algorithms", "dp,dpl,greedy,local-search", "--no-times")
        self.assert_fits("compare", files[0], "--shape", "free", "--time-limit", "1")
        texts = self.assert_fits("sweep", files[0], "--vary", "accelerators=1..4", "--no-times")
        for text in texts.values():
            for column in ("value", "bound", "speed-up", "efficiency", "devices used"):
                self.assertIn(column, text)


if __name__ == "__main__":
    main()
