# SPDX-License-Identifier: Apache-2.0
"""`partita plan --explain`: what the times of operators are made of, and how far to believe them."""

from harness import CliTest, edge, main, node, workload


def costed():
    facts = {"op": "MatMul", "family": "matrix product", "flops": 2e9, "movedBytes": 2**20, "output": "fp16[8,8]",
             "source": "calibrated"}
    nodes = [node(1, 8.0, name="layer.0.attn", **facts), node(2, 1.0, name="layer.0.odd", op="Odd", source="default"),
             node(3, 1.0, name="layer.1.attn", **facts)]
    return workload(nodes, [edge(1, 2, 0.1), edge(2, 3, 0.1)], name="costed", unit="us")


class Explain(CliTest):
    def setUp(self):
        super().setUp()
        self.file = self.write("costed.json", costed())

    def test_all_operators(self):
        out, _ = self.run_program("plan", self.file, "--explain")
        self.assertIn("costs: calibrated 90 % of the time, default 10 %\n", out)
        rows = [line.split()[0] for line in out.splitlines() if line.startswith("layer.")]
        self.assertEqual(rows[:3], ["layer.0.attn", "layer.0.odd", "layer.1.attn"])
        self.assertIn("2 GFLOP", out)
        self.assertIn("8 us", out)
        self.assertRegex(out, r"\nby family +operators +FLOP +time +share\nmatrix product +2 +4 GFLOP +9 us +90.0 %\n")
        self.assertRegex(out, r"\ncalibrated +2 .*90.0 %\ndefault +1 .*10.0 %\n")

    def test_much_guessing_is_a_warning(self):
        out, _ = self.run_program("plan", self.file)
        self.assertIn("warning: 10 % of the time is that of 1 operator", out)
        self.assertNotIn("by family", out)

    def test_one_by_name_or_id_and_several_by_pattern(self):
        by_name, _ = self.run_program("plan", self.file, "--explain", "layer.0.attn")
        self.assertRegex(by_name, r"\noperator +layer\.0\.attn, id 1\n")
        self.assertRegex(by_name, r"\nsource +calibrated: ")
        by_id, _ = self.run_program("plan", self.file, "--explain=1")
        self.assertEqual(by_id[by_id.index("\noperator"):], by_name[by_name.index("\noperator"):])
        several, _ = self.run_program("plan", self.file, "--explain", "*attn")
        self.assertIn("\nlayer.1.attn", several)
        self.assertNotIn("\nlayer.0.odd", several)

    def test_a_name_that_nobody_has(self):
        out, err = self.run_program("plan", self.file, "--explain", "layer.0.atn", code=2)
        self.assertEqual(out, "")
        self.assertIn("--explain: no node of", err)
        self.assertIn("did you mean layer.0.attn?", err)
        self.assertEqual(err.count("\n"), 1)
        _, err = self.run_program("plan", self.file, "--explain", "*nothing*", code=2)
        self.assertIn("a pattern such as", err)

    def test_times_that_were_given(self):
        plain = self.write("plain.json", workload([node(1), node(2)], [edge(1, 2)]))
        out, _ = self.run_program("plan", plain, "--explain")
        self.assertNotIn("costs:", out)
        self.assertRegex(out, r"\ngiven +2 +2 +100.0 %\n")

    def test_what_costs_were_made_of_is_converted(self):
        self.run_program("convert", self.file, "--to", "workload", "-o", self.path("again.json"))
        again = self.read_json("again.json")
        self.assertEqual((again["version"], again["unit"]), (1, "us"))
        for before, after in zip(costed()["nodes"], again["nodes"]):
            for field in ("op", "family", "flops", "movedBytes", "output", "source"):
                self.assertEqual(after.get(field), before.get(field))
        self.run_program("convert", self.path("again.json"), "--to", "workload", "-o", self.path("third.json"))
        self.assertEqual(self.read("third.json"), self.read("again.json"))
        explained, _ = self.run_program("plan", self.file, "--explain", "*")
        self.assertEqual(self.run_program("plan", self.path("again.json"), "--explain", "*")[0].split("by family")[1],
                         explained.split("by family")[1])


if __name__ == "__main__":
    main()
