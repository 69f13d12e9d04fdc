# SPDX-License-Identifier: Apache-2.0
"""`partita plan --pin, --together, --apart`: nodes where the user wants them, and plans that say so."""

from harness import PARTITA_CHECK, CliTest, edge, main, node, workload


def model(**fields):
    names = ["embed", "block.0.attn", "block.0.mlp", "block.1.attn", "block.1.mlp", "head,tied=yes"]
    nodes = [node(10 + i, 1.0, name=name) for i, name in enumerate(names)]
    return workload(nodes, [edge(10 + i, 11 + i, 0.1) for i in range(5)], accelerators=3, name="model", **fields)


class Wishes(CliTest):
    def setUp(self):
        super().setUp()
        self.file = self.write("model.json", model())
        self.plan_file = self.path("plan.json")

    def devices(self, *options):
        """Where each node is, by original id."""
        self.run_program("plan", self.file, "-o", self.plan_file, "--quiet", *options)
        plan = self.read_json("plan.json")
        self.assertEqual(plan["status"], "optimal")
        self.assert_legal(self.file, self.plan_file)
        return {n: f"{d['kind']} {d['index']}" for d in plan["devices"] for n in d["nodes"]}

    def test_a_pin_to_a_device_and_to_a_class(self):
        where = self.devices("--pin", "embed=accelerator 2", "--pin", "14=host")
        self.assertEqual(where[10], "accelerator 2")
        self.assertEqual(where[14], "host 0")
        where = self.devices("--pin", "*attn=accelerator 1")
        self.assertEqual([where[11], where[13]], ["accelerator 1"] * 2)
        where = self.devices("--pin", "head,tied=yes=accelerator 1")
        self.assertEqual(where[15], "accelerator 1")

    def test_together_and_apart(self):
        where = self.devices("--together", "embed,head?tied*", "--shape", "free")
        self.assertEqual(where[10], where[15])
        where = self.devices("--apart", "embed,block.0.*")
        self.assertEqual(len({where[10], where[11], where[12]}), 3)

    def test_other_objectives(self):
        for options in (["--objective", "latency"], ["--shape", "contiguous"], ["--replicate", "2"]):
            where = self.devices("--pin", "embed=accelerator 2", "--apart", "embed,block.0.attn", *options)
            self.assertEqual(where[10], "accelerator 2")
            self.assertNotEqual(where[11], "accelerator 2")

    def test_a_pinned_node_is_not_copied(self):
        where = self.devices("--pin", "*=accelerator 1", "--replicate", "3")
        self.assertEqual(set(where.values()), {"accelerator 1"})
        self.assertFalse([d for d in self.read_json("plan.json")["devices"] if "copy_of" in d])

    def test_the_plan_says_what_was_wished_and_others_mind_it(self):
        self.devices("--pin", "embed=accelerator 2", "--pin", "11=accelerator", "--together", "11,12", "--apart", "12,13")
        plan = self.read_json("plan.json")
        self.assertEqual(plan["question"]["wishes"],
                         {"pins": [{"node": 10, "class": "accelerator", "index": 2}, {"node": 11, "class": "accelerator"}],
                          "together": [[11, 12]], "apart": [[12, 13]]})
        out, _ = self.run_program("check", self.file, self.plan_file)
        self.assertIn("2 pins, 1 list of nodes together, 1 list of nodes apart", out)
        plan["question"]["wishes"]["pins"][0]["index"] = 0
        broken = self.write("broken.json", plan)
        for program, first in ((None, ["check"]), (PARTITA_CHECK, [])):
            out, _ = self.run_program(*first, self.file, broken, code=11, **({"program": program} if program else {}))
            self.assertIn("pin: accelerator 2 holds 1 node pinned to accelerator 0: 10 (embed)", out)
        _, err = self.run_program("simulate", self.file, broken, code=11)
        self.assertIn("pinned to accelerator 0", err)

    def test_wishes_of_a_plan_that_fit_nothing(self):
        self.devices("--pin", "embed=accelerator 2")
        for change, said in (({"node": 99}, "node 99"), ({"class": "tpu"}, "tpu 2"), ({"index": 7}, "accelerator 7"),
                             ({"index": "x"}, "index"), ({"class": 3}, "class"), ({"node": None}, "node")):
            plan = self.read_json("plan.json")
            plan["question"]["wishes"]["pins"][0].update(change)
            self.assert_refused(5, "check", self.file, self.write("odd.json", plan), mentions=[said])

    def test_what_cannot_be(self):
        for options, said in ((["--pin", "embed=host", "--pin", "embed=accelerator 0"], "also to accelerator 0"),
                              (["--apart", "*"], "6 nodes are to be apart"),
                              (["--together", "10,11", "--apart", "10,11"], "are to be apart")):
            _, err = self.run_program("plan", self.file, "--quiet", *options, code=9)
            self.assertIn("infeasible: ", err)
            self.assertIn(said, err)
            self.assertEqual(err.count("\n"), 1)

    def test_names_that_nobody_has(self):
        self.assert_refused(2, "plan", self.file, "--pin", "embedd=host", mentions=["--pin: no node of", "did you mean embed?"])
        self.assert_refused(2, "plan", self.file, "--pin", "embed=gpu 0",
                            mentions=["--pin: no device or class is called 'gpu 0'; there are accelerator 0 to accelerator 2, host 0"])
        self.assert_refused(2, "plan", self.file, "--pin", "embed=accelerator 3", mentions=["accelerator 3"])
        self.assert_refused(2, "plan", self.file, "--pin", "embed", mentions=["expected NODE=DEVICE"])
        self.assert_refused(2, "plan", self.file, "--together", "embed", mentions=["fewer than two nodes"])
        self.assert_refused(2, "plan", self.file, "--apart", ",", mentions=["fewer than two nodes"])
        self.assert_refused(2, "plan", self.file, "--apart", "embed,x", mentions=["--apart: no node of"])

    def test_backward_twins_count_as_one(self):
        nodes = [node(1, name="a", colorClass=1), node(2, name="b", colorClass=2),
                 node(3, name="b", colorClass=2, isBackwardNode=True), node(4, name="a", colorClass=1, isBackwardNode=True)]
        self.file = self.write("training.json", workload(nodes, [edge(1, 2), edge(2, 3), edge(3, 4)]))
        where = self.devices("--apart", "a,b")
        self.assertEqual([where[1], where[2]], [where[4], where[3]])
        self.assertNotEqual(where[1], where[2])


if __name__ == "__main__":
    main()
