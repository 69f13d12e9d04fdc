# SPDX-License-Identifier: Apache-2.0
"""Two plans of one model side by side, and plans that improve on the one of today."""

from harness import CliTest, chain, main


class Diff(CliTest):
    def planned(self, name, *options, length=6):
        model = self.write("chain.json", chain(length))
        self.run_program("plan", model, "-q", "-o", self.path(name), *options)
        return self.path(name)

    def test_what_changes(self):
        two = self.planned("two.json")
        three = self.planned("three.json", "--accelerators", "3")
        out, _ = self.run_program("diff", two, three)
        self.assertIn("times as fast", out)
        self.assertRegex(out, r"2 of 6 nodes change their device")
        self.assertIn("accelerator", out)

    def test_the_same_split_with_devices_exchanged(self):
        one = self.planned("one.json")
        plan = self.read_json("one.json")
        first, second = plan["devices"][:2]
        for field in ("nodes", "load", "stage"):
            first[field], second[field] = second[field], first[field]
        out, _ = self.run_program("diff", one, self.write("exchanged.json", plan))
        self.assertIn("the same split: none of 6 nodes changes its device", out)

    def test_other_questions_and_other_graphs(self):
        out, _ = self.run_program("diff", self.planned("one.json"), self.planned("free.json", "--shape", "free"))
        self.assertIn("--shape free", out)
        self.assert_refused(5, "diff", self.planned("one.json"), self.planned("long.json", length=8),
                            mentions=["another graph", "two plans of one model"])
        self.assert_refused(2, "diff", "-", "-", mentions=["standard input"])


class Start(CliTest):
    def test_the_answer_is_never_worse(self):
        model = self.write("chain.json", chain(6))
        self.run_program("plan", model, "-q", "-o", self.path("best.json"))
        worse = self.read_json("best.json")
        devices = [d for d in worse["devices"] if d["nodes"]]
        moved = devices[0]["nodes"].pop()
        devices[1]["nodes"].append(moved)
        out, _ = self.run_program("plan", model, "--start", self.write("today.json", worse))
        self.assertIn("times as fast", out)
        out, _ = self.run_program("plan", model, "--start", self.path("best.json"))
        self.assertIn("nothing better was found", out)

    def test_a_start_that_is_none(self):
        model = self.write("chain.json", chain(6))
        self.run_program("plan", model, "-q", "-o", self.path("best.json"))
        self.assert_refused(11, "plan", model, "--start", self.path("best.json"), "--accelerators", "1",
                            mentions=["best.json", "is not legal here"])
        other = self.write("other.json", chain(8))
        self.assert_refused(5, "plan", other, "--start", self.path("best.json"), mentions=["another graph"])


if __name__ == "__main__":
    main()
