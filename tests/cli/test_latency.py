# SPDX-License-Identifier: Apache-2.0
"""The time of one sample as people ask for it: --subgraphs, --host-cores, the schedule in plans and reports."""

from harness import PARTITA, PARTITA_CHECK, CliTest, chain, edge, main, node, workload


def taking_turns(q=2, **fields):
    """A plan of a chain of four over two accelerators that take turns."""
    devices = [{"kind": "accelerator", "index": 0, "nodes": [0, 20], "subgraphs": [[0], [20]]},
               {"kind": "accelerator", "index": 1, "nodes": [10, 30], "subgraphs": [[10], [30]]}]
    return {"partita": {"format": "plan", "version": 1}, "subgraphs": q, "devices": devices} | fields


class CheckLatency(CliTest):
    def setUp(self):
        super().setUp()
        self.file = self.write("chain.json", chain())

    def check(self, code, *options):
        outputs = []
        for program in ([PARTITA, "check"], [PARTITA_CHECK]):
            outputs.append(self.run_program(*program[1:], self.file, self.path("plan.json"), "--objective", "latency",
                                            *options, code=code, program=program[0]))
        self.assertEqual(outputs[0], outputs[1])
        return outputs[0][0]

    def test_subgraphs_take_turns(self):
        self.write("plan.json", taking_turns(value=4.6))
        out = self.check(0, "--subgraphs", "2")
        self.assertIn("value: 4.6 (latency, up to 2 subgraphs)\nlegal\n", out)
        self.assertRegex(out, r"(?m)^2\.30000  3\.50000  accelerator 0, subgraph 1      1$")

    def test_one_subgraph_is_what_is_allowed_otherwise(self):
        self.write("plan.json", taking_turns())
        self.assertIn("subgraph: accelerator 0 may run 1 subgraph", self.check(11))

    def test_the_wrong_order_waits_for_itself(self):
        plan = taking_turns()
        plan["devices"][0]["subgraphs"].reverse()
        self.write("plan.json", plan)
        self.assertIn("accelerator 0 subgraph 0 before accelerator 0 subgraph 1 (subgraphs run in order)",
                      self.check(11, "--subgraphs", "2"))

    def test_without_lists_there_is_one_subgraph(self):
        plan = taking_turns()
        for device in plan["devices"]:
            del device["subgraphs"]
        self.write("plan.json", plan)
        self.assertIn("shape: ", self.check(11, "--subgraphs", "2"))

    def test_busy_cores(self):
        self.file = self.write("three.json", workload([node(i, 1) for i in range(3)], []))
        self.write("plan.json", {"fpgas": [], "cpus": [{"nodes": [0, 1, 2]}]})
        out = self.check(0)
        self.assertIn("warning: 3 host nodes run at once, but there is 1 host;", out)
        self.assertIn("value: 10 (latency, 3 host cores busy at once)", out)
        out = self.check(0, "--host-cores", "strict")
        self.assertNotIn("warning", out)
        self.assertIn("value: 30 (latency, strict host cores, 1 host core busy at once)", out)
        self.assertIn("value: 20 ", self.check(0, "--host-cores", "strict", "--hosts", "2"))


class PlanLatency(CliTest):
    def plan(self, content, *options):
        file = self.write("input.json", content)
        out, _ = self.run_program("plan", file, "--objective", "latency", *options, "-o", self.path("plan.json"))
        self.assert_legal(file, self.path("plan.json"), "--objective", "latency", *options)
        return out, self.read_json("plan.json")

    def test_one_subgraph(self):
        out, plan = self.plan(chain())
        self.assertEqual(plan["subgraphs"], 1)
        self.assertEqual(plan["host_cores"], {"policy": "unlimited", "available": 1, "busy": 0})
        self.assertEqual(plan["schedule"], [{"device": 0, "subgraph": 0, "nodes": 4, "start": 0.0, "finish": 4.0}])
        self.assertNotIn("subgraphs", plan["devices"][0])
        self.assertIn("\n\nschedule of one sample:\n", out)
        self.assertIn("0.00000  4.00000  accelerator 0      4\n", out)

    def test_several_subgraphs_are_listed_and_cover_the_nodes(self):
        _, plan = self.plan(chain(), "--subgraphs", "3", "--host-cores", "strict")
        self.assertEqual((plan["subgraphs"], plan["host_cores"]["policy"]), (3, "strict"))
        for device in plan["devices"]:
            if device["kind"] == "host":
                self.assertNotIn("subgraphs", device)
                continue
            self.assertLessEqual(len(device["subgraphs"]), 3)
            self.assertEqual(sorted(sum(device["subgraphs"], [])), sorted(device["nodes"]))
        self.assertAlmostEqual(max(step["finish"] for step in plan["schedule"]), plan["value"], places=9)

    def test_hosts_are_in_the_schedule(self):
        content = workload([node(1, supportedOnFpga=False), node(2)], [edge(1, 2, 0.5)])
        out, plan = self.plan(content)
        self.assertEqual(plan["schedule"][0], {"device": 2, "node": 1, "start": 0.0, "finish": 10.0})
        self.assertEqual(plan["host_cores"]["busy"], 1)
        self.assertIn("1 host core busy at once, of 1\n", out)

    def test_throughput_has_no_schedule(self):
        file = self.write("chain.json", chain())
        out, _ = self.run_program("plan", file, "-o", self.path("plan.json"))
        self.assertNotIn("schedule", out)
        plan = self.read_json("plan.json")
        for field in ("schedule", "subgraphs", "host_cores"):
            self.assertNotIn(field, plan)

    def test_the_seed_format_has_an_entry_for_each_subgraph(self):
        self.write("plan.json", taking_turns(value=4.6))
        self.run_program("convert", self.path("plan.json"), "--to", "seed", "-o", self.path("seed.json"))
        self.assertEqual([d["nodes"] for d in self.read_json("seed.json")["fpgas"]], [[0], [20], [10], [30]])


if __name__ == "__main__":
    main()
