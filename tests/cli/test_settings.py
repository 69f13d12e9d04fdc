# SPDX-License-Identifier: Apache-2.0
"""--set, --stats and the list of settings, which docs/options.md repeats.

`python3 tests/cli/test_settings.py --update`, with PARTITA in the environment, writes the list into docs/options.md."""

import pathlib
import re
import sys

from harness import PARTITA, CliTest, chain, main, wide_graph

OPTIONS = pathlib.Path(__file__).resolve().parents[2] / "docs" / "options.md"
BEGIN, END = "<!-- partita help settings -->\n```text\n", "```\n<!-- end -->\n"


def documented():
    """What stands in docs/options.md before, within and behind the list."""
    text = OPTIONS.read_text(encoding="utf-8")
    before, rest = text.split(BEGIN)
    listed, behind = rest.split(END)
    return before, listed, behind


def names(page):
    return re.findall(r"(?m)^  (\w+\.\w+)=", page)


class Settings(CliTest):
    def test_are_listed_and_documented(self):
        page, _ = self.run_program("help", "settings")
        self.assertGreater(len(names(page)), 30)
        self.assertEqual(documented()[1], page, "docs/options.md is not what `partita help settings` says")

    def test_change_the_search_and_are_recorded(self):
        file = self.write("w.json", chain(6))
        self.run_program("plan", file, "-q", "-o", self.path("p.json"), "--set", "staged.annealing=false", "--set",
                         "presolve.window_buckets=32", "--set", "free.split_share=2")
        plan = self.read_json("p.json")
        self.assertEqual(plan["settings"], {"presolve.window_buckets": 32, "staged.annealing": False})
        self.assertEqual(plan["status"], "optimal")
        self.run_program("plan", file, "-q", "-o", self.path("p.json"))
        self.assertNotIn("settings", self.read_json("p.json"))
        self.assert_legal(file, self.path("p.json"))

    def test_are_for_compare_and_sweep_too(self):
        file = self.write("w.json", chain(6))
        self.run_program("compare", file, "--set", "staged.annealing=false", "--algorithms", "dp", "-q")
        self.run_program("sweep", file, "--vary", "accelerators=1,2", "--set", "staged.annealing=false", "-q")

    def test_unknown_ones_are_refused_with_the_nearest(self):
        file = self.write("w.json", chain(4))
        for command in ("plan", "compare"):
            self.assert_refused(2, command, file, "--set", "staged.anealing=false",
                                mentions=["--set", "did you mean staged.annealing?"])
        self.assert_refused(2, "plan", file, "--set", "staged.bisections=-3",
                            mentions=["--set", "'-3'", "from 0 to 100"])
        self.assert_refused(2, "plan", file, "--set", "nonsense", mentions=["--set", "solver.name=value"])

    def test_every_switch_off_still_gives_an_honest_answer(self):
        page, _ = self.run_program("help", "settings")
        switches = re.findall(r"(?m)^  (\w+\.\w+)=true", page)
        self.assertGreater(len(switches), 20)
        off = [part for name in switches for part in ("--set", f"{name}=false")]
        file = self.write("w.json", chain(6))
        for question in (["--shape", "staged"], ["--shape", "contiguous"], ["--shape", "free"],
                         ["--objective", "latency"], ["--shape", "free", "--algorithm", "ip"]):
            with self.subTest(question=question):
                self.run_program("plan", file, "-q", "-o", self.path("p.json"), "--time-limit", "1s", *question, *off)
                plan = self.read_json("p.json")
                self.assertEqual(len(plan["settings"]), len(switches))
                self.assertLessEqual(plan["bound"], plan["value"])
                self.assert_legal(file, self.path("p.json"))


class Stats(CliTest):
    def test_show_what_each_technique_took_and_gave(self):
        file = self.write("w.json", wide_graph())
        # Times of one thread add up to no more than the whole.
        out, _ = self.run_program("plan", file, "--time-limit", "1s", "--stats", "--threads", "1", "-o",
                                  self.path("p.json"))
        self.assertRegex(out, r"(?m)^technique +calls +seconds +share +yield$")
        self.assertRegex(out, r"(?m)^staged\.linear +\d+ +\d+\.\d{3} +\d+\.\d% +\d+ better splits$")
        rows = self.read_json("p.json")["statistics"]
        self.assertIn("presolve.windows", [row["technique"] for row in rows])
        for row in rows:
            self.assertGreater(row["calls"], 0)
        total = self.read_json("p.json")["seconds"]
        self.assertLessEqual(sum(row["seconds"] for row in rows), total * 1.01)

    def test_a_technique_that_is_off_is_not_used(self):
        file = self.write("w.json", wide_graph())
        out, _ = self.run_program("plan", file, "--time-limit", "1s", "--stats", "--set", "staged.annealing=false",
                                  "--set", "presolve.windows=false")
        self.assertNotIn("staged.annealing", out)
        self.assertNotIn("presolve.windows", out)

    def test_are_told_only_when_asked_for(self):
        file = self.write("w.json", chain(4))
        out, _ = self.run_program("plan", file, "-o", self.path("p.json"))
        self.assertNotIn("technique", out)
        self.assertNotIn("statistics", self.read_json("p.json"))


def update():
    import subprocess
    page = subprocess.run([PARTITA, "help", "settings"], stdout=subprocess.PIPE, text=True, check=True).stdout
    before, _, behind = documented()
    OPTIONS.write_text(before + BEGIN + page + END + behind, encoding="utf-8")


if __name__ == "__main__":
    update() if sys.argv[1:] == ["--update"] else main()
