# SPDX-License-Identifier: Apache-2.0
"""partita simulate: measurements, pictures and traces of plans, and what it refuses."""

import gzip
import json
import os
import re
import time
import xml.etree.ElementTree

from harness import SLACK, CliTest, chain, edge, main, node, workload

ROOT = os.path.join(os.path.dirname(__file__), "..", "..")
EXAMPLES = os.path.join(ROOT, "examples")
DOCS = os.path.join(ROOT, "docs", "formats.md")


def training_chain():
    """Four layers there and back: on two accelerators, half of them each."""
    nodes = [node(i, 1.0, colorClass=i) for i in range(4)]
    nodes += [node(7 - i, 2.0, isBackwardNode=True, colorClass=i) for i in range(4)]
    return workload(nodes, [edge(i, i + 1, 0.1) for i in range(7)], hosts=0, name="training")


class SimulateTest(CliTest):
    def planned(self, model, *options):
        plan = self.path("plan.json")
        self.run_program("plan", model, "-q", "-o", plan, *options)
        return plan

    def simulate(self, model, plan, *options):
        """The measurements."""
        out, _ = self.run_program("simulate", model, plan, "-q", "-o", "-", *options)
        return json.loads(out)


class Measurements(SimulateTest):
    def test_the_plan_keeps_its_promise(self):
        model = os.path.join(EXAMPLES, "bert-large-inference.json.gz")
        plan = self.planned(model)
        value = self.read_json("plan.json")["value"]
        result = self.simulate(model, plan)
        self.assertEqual(result["schedule"], "pipeline")
        self.assertTrue(result["steady"])
        self.assertAlmostEqual(result["time_per_sample"], value, delta=1e-9 * value)
        self.assertAlmostEqual(result["formula"], value, delta=1e-9 * value)
        self.assertAlmostEqual(result["throughput"], 1 / value, delta=1e-9)
        out, _ = self.run_program("simulate", model, plan)
        self.assertIn("in steady state, as the plan promises\n", out)
        self.assertRegex(out, r"(?m)^schedule pipeline: 100 samples through \d+ pieces$")
        rows = re.findall(r"(?m)^ +\d+  (?:accelerator|host) \d", out)  # the table is folded: it has more than 80 columns
        self.assertEqual(len(rows), 2 * len(result["pieces"]))

    def test_training(self):
        model = self.write("training.json", training_chain())
        plan = self.planned(model)
        value = self.read_json("plan.json")["value"]
        result = self.simulate(model, plan)
        self.assertEqual(result["schedule"], "1f1b")
        self.assertAlmostEqual(result["time_per_sample"], value)
        self.assertEqual([d["most_in_flight"] for d in result["devices"]], [2, 1])
        batches = [self.simulate(model, plan, "--schedule", "gpipe", "--microbatches", str(m)) for m in (1, 4, 16)]
        self.assertEqual([b["batch"] for b in batches], [1, 4, 16])
        times = [b["time_per_sample"] for b in batches]
        self.assertGreater(times[0], times[1])
        self.assertGreater(times[1], times[2])
        self.assertGreater(times[2], value)
        self.assertIn("batch", batches[0]["remark"])
        self.assertEqual(self.simulate(model, plan, "--schedule", "gpipe")["batch"], 8)

    def test_the_objective_decides_the_schedule(self):
        model = self.write("training.json", training_chain())
        plan = self.planned(model, "--objective", "gpipe")
        self.assertEqual(self.simulate(model, plan, "--objective", "gpipe", "--microbatches", "5")["schedule"], "gpipe")

    def test_latency(self):
        model = os.path.join(EXAMPLES, "with-host.json")
        plan = self.planned(model, "--objective", "latency")
        value = self.read_json("plan.json")["value"]
        result = self.simulate(model, plan, "--objective", "latency", "--samples", "7")
        self.assertEqual(result["schedule"], "sequential")
        self.assertAlmostEqual(result["latency"], value)
        self.assertAlmostEqual(result["makespan"], 7 * value)

    def test_microbatches_of_a_memory_model_belong_to_the_question(self):
        model = self.write("training.json", training_chain())
        options = ("--memory-model", "gpipe", "--microbatches", "6")
        plan = self.planned(model, *options)
        self.assertEqual(self.simulate(model, plan, *options, "--schedule", "gpipe")["batch"], 6)

    def test_copies(self):
        model = self.write("chain.json", chain(accelerators=4))
        plan = self.planned(model, "--replicate", "2")
        value = self.read_json("plan.json")["value"]
        result = self.simulate(model, plan, "--replicate", "2")
        self.assertAlmostEqual(result["time_per_sample"], value)

    def test_many_samples(self):
        model = self.write("training.json", training_chain())
        plan = self.planned(model)
        begin = time.monotonic()
        result = self.simulate(model, plan, "--samples", "10000")
        self.assertLess(time.monotonic() - begin, 5 * SLACK)
        self.assertEqual([d["samples"] for d in result["devices"]], [10000, 10000])
        self.assertAlmostEqual(result["devices"][0]["compute"], 60000, delta=1e-3)

    def test_the_documented_fields_are_those_written(self):
        with open(DOCS, encoding="utf-8") as file:
            documented = [json.loads(text) for text in re.findall(r"```json\n(.*?)```", file.read(), re.S)]
        shown = next(d for d in documented if d.get("partita", {}).get("format") == "simulation")
        model = self.write("tiny.json", documented[0])
        written = self.simulate(model, self.planned(model), "--samples", "10")
        self.assert_about_equal(shown, written)

    def assert_about_equal(self, shown, written):
        """The same, with numbers as far as they are shown."""
        if isinstance(shown, dict):
            self.assertEqual(list(shown), list(written))
            shown, written = list(shown.values()), list(written.values())
        if isinstance(shown, list):
            self.assertEqual(len(shown), len(written))
            for one, other in zip(shown, written):
                self.assert_about_equal(one, other)
        elif isinstance(shown, (int, float)) and not isinstance(shown, bool):
            self.assertAlmostEqual(shown, written, places=6)
        else:
            self.assertEqual(shown, written)


class Files(SimulateTest):
    def setUp(self):
        super().setUp()
        self.model = self.write("training.json", training_chain())
        self.plan = self.planned(self.model)

    def test_trace(self):
        begin = time.monotonic()
        self.run_program("simulate", self.model, self.plan, "--samples", "1000", "--trace", self.path("trace.json"),
                         "-o", self.path("measured.json"), "-q")
        self.assertLess(time.monotonic() - begin, 5 * SLACK)
        trace = self.read_json("trace.json")
        measured = self.read_json("measured.json")
        last, free, busy, samples, operators = 0, {}, {}, set(), 0
        for event in trace["traceEvents"]:
            if event["ph"] == "M":
                continue
            self.assertGreaterEqual(event["ts"], last)
            last = event["ts"]
            if event["ph"] != "X":
                continue
            lane, start, length = event["tid"], round(event["ts"] * 1000), round(event["dur"] * 1000)
            if event["cat"] == "operator":  # inside of the slice that was just begun
                operators += 1
                self.assertLessEqual(start + length, free[lane])
                continue
            samples.add(event["args"]["sample"])
            self.assertGreaterEqual(start, free.get(lane, 0))
            free[lane] = start + length
            key = (event["pid"], event["cat"])
            busy[key] = busy.get(key, 0) + event["dur"] / 1000
        self.assertEqual(samples, set(range(1000)))
        self.assertGreater(operators, 0)
        self.assertLessEqual(operators, 5 * sum(len(piece["nodes"]) for piece in measured["pieces"]))
        for process, device in enumerate(measured["devices"], 1):
            for phase in ("compute", "in", "out"):
                self.assertAlmostEqual(busy.get((process, phase), 0), device[phase], delta=0.01)
        self.assertAlmostEqual(max(free.values()) / 1e6, measured["makespan"], places=3)

    def test_picture(self):
        for options in ((), ("--schedule", "gpipe"), ("--schedule", "sequential"), ("--samples", "3")):
            self.run_program("simulate", self.model, self.plan, "--svg", self.path("timeline.svg"), *options)
            text = self.read("timeline.svg")
            self.assertTrue(xml.etree.ElementTree.fromstring(text).tag.endswith("svg"))
            self.assertLess(len(text), 200_000)

    def test_transfers_beside_compute_have_lanes_of_their_own(self):
        plan = self.planned(self.model, "--transfers", "duplex")
        self.run_program("simulate", self.model, plan, "--transfers", "duplex", "--svg", self.path("timeline.svg"),
                         "--trace", self.path("trace.json"))
        names = [e["args"]["name"] for e in self.read_json("trace.json")["traceEvents"] if e["name"] == "thread_name"]
        self.assertGreater(len(names), 2)
        xml.etree.ElementTree.fromstring(self.read("timeline.svg"))

    def test_the_table_leaves_standard_output_to_files(self):
        out, err = self.run_program("simulate", self.model, self.plan, "--svg", "-")
        self.assertTrue(out.startswith("<svg"))
        self.assertIn("time per sample", err)


class Measured(SimulateTest):
    """Traces of real runs, beside the prediction."""

    def traced(self, model, plan, *options):
        self.run_program("simulate", model, plan, "-q", "--trace", self.path("trace.json"), *options)
        return self.path("trace.json")

    def compared(self, model, plan, trace, *options):
        return self.simulate(model, plan, "--measured", trace, *options)["measured"]

    def assert_no_errors(self, measured):
        rows = measured["stream"] + [time for device in measured["devices"] for time in device["times"]]
        self.assertGreater(len(rows), 4)
        for row in rows:
            self.assertAlmostEqual(row["error"], 0, delta=1e-4, msg=row)

    def test_a_simulated_trace_is_what_was_predicted(self):
        """Whatever the schedule, the transfers, the samples, and who shares a stage."""
        training = self.write("training.json", training_chain())
        chained = self.write("chain.json", chain(accelerators=4))
        host = os.path.join(EXAMPLES, "with-host.json")
        cases = [(training, (), ()),
                 (training, (), ("--samples", "3")),
                 (training, (), ("--schedule", "pipeline")),
                 (training, (), ("--schedule", "gpipe", "--microbatches", "4")),
                 (training, (), ("--schedule", "sequential", "--samples", "5")),
                 (training, ("--transfers", "duplex"), ()),
                 (chained, ("--replicate", "2"), ()),
                 (host, ("--objective", "latency"), ("--samples", "7"))]
        for model, asked, run in cases:
            with self.subTest(asked=asked, run=run):
                plan = self.planned(model, *asked)
                trace = self.traced(model, plan, *run)
                again = tuple(option for option in run if option.startswith("--micro") or option == "4")
                measured = self.compared(model, plan, trace, *again)
                self.assertEqual(measured["samples"], int(run[run.index("--samples") + 1]) if "--samples" in run else 100)
                self.assert_no_errors(measured)

    def test_a_slower_run(self):
        model = self.write("training.json", training_chain())
        plan = self.planned(model)
        self.traced(model, plan, "--samples", "30")
        trace = self.read_json("trace.json")
        trace["otherData"]["workload"] = "another"
        for event in trace["traceEvents"]:
            for field in ("ts", "dur"):
                if field in event:
                    event[field] = 1e9 * (field == "ts") + 1.1 * event[field]
        slower = self.write("slower.json", trace)
        out, _ = self.run_program("simulate", model, plan, "--measured", slower, "--svg", self.path("both.svg"),
                                  "--report", self.path("page.html"))
        self.assertIn("says that it is a run of 'another', and the plan is for 'training'", out)
        self.assertIn("predicted against measured: 30 samples\n", out)
        self.assertRegex(out, r"(?m)^time per sample +[\d.]+ +[\d.]+ +\+10\.0 %$")
        self.assertRegex(out, r"(?m)^ +2  accelerator 1 +compute +[\d.]+ +[\d.]+ +\+10\.0 %$")
        self.assertTrue(all(len(line) <= 80 for line in out.splitlines() if "warning" not in line))
        picture = xml.etree.ElementTree.fromstring(self.read("both.svg"))
        self.assertEqual(len(picture.findall("{http://www.w3.org/2000/svg}svg")), 2)
        self.assertIn('"measured":{"timeline":', self.read("page.html"))
        measured = self.compared(model, plan, slower, "--samples", "60")
        self.assertEqual(measured["samples"], 30)
        self.assertAlmostEqual(measured["stream"][0]["error"], 0.1, places=5)

    def test_a_gzipped_trace(self):
        model = self.write("training.json", training_chain())
        plan = self.planned(model)
        self.traced(model, plan)
        with open(self.path("trace.json"), "rb") as file:
            packed = gzip.compress(file.read())
        with open(self.path("trace.json.gz"), "wb") as file:
            file.write(packed)
        self.assert_no_errors(self.compared(model, plan, self.path("trace.json.gz")))

    def test_what_is_no_trace_of_the_plan(self):
        model = self.write("training.json", training_chain())
        plan = self.planned(model)
        refused = lambda code, trace, *mentions: self.assert_refused(
            code, "simulate", model, plan, "--measured", trace, mentions=mentions)
        refused(3, self.path("nowhere.json"), "nowhere.json")
        refused(5, model, "traceEvents", "is missing")
        refused(5, self.write("empty.json", {"traceEvents": []}), "has no slice of a run")
        event = {"ph": "X", "cat": "compute", "ts": 0, "dur": 1, "pid": 9, "args": {"sample": 0}}
        refused(5, self.write("other.json", {"traceEvents": [event]}), "process 9 has no name",
                "expected accelerator 0, accelerator 1")
        refused(7, self.write("late.json", {"traceEvents": [{**event, "args": {"sample": 10**9}}]}), "args.sample")
        self.assert_refused(2, "simulate", "-", plan, "--measured", "-", mentions=["--measured", "standard input"])
        self.assert_refused(2, "simulate", model, plan, "--measured", self.path("trace.json"), "-o",
                            self.path("trace.json"), mentions=["-o"])


class Refusals(SimulateTest):
    def setUp(self):
        super().setUp()
        self.model = self.write("training.json", training_chain())
        self.plan = self.planned(self.model)

    def refused(self, code, *options, model=None, plan=None, mentions=()):
        return self.assert_refused(code, "simulate", model or self.model, plan or self.plan, *options,
                                   mentions=mentions)

    def test_usage(self):
        self.refused(2, "--schedule", "zigzag", mentions=["--schedule", "pipeline|1f1b|gpipe|sequential"])
        self.refused(2, "--samples", "0", mentions=["--samples", "from 1"])
        self.refused(2, "--samples", "1000001", mentions=["--samples", "to 1000000"])
        self.refused(2, "--microbatches", "4", mentions=["--microbatches", "--schedule gpipe"])
        self.refused(2, "--svg", "-", "--trace", "-", mentions=["standard output"])
        self.assert_refused(2, "simulate", "-", "-", mentions=["standard input"])
        self.assert_refused(2, "simulate", self.model, mentions=["is not a plan"])
        self.refused(10, "--svg", self.path("no/such/folder"), mentions=["--svg"])

    def test_other_options_than_the_plans(self):
        self.refused(11, "--transfers", "overlap", mentions=["made with other options", "--transfers sum",
                                                             "partita check"])
        self.refused(11, "--objective", "latency", mentions=["--objective max-load"])
        self.refused(11, "--accelerators", "1", mentions=["too many devices", "only 1 accelerator"])

    def test_another_workloads_plan(self):
        self.refused(5, model=self.write("chain.json", chain()), mentions=["is a plan for another graph"])
        self.refused(5, plan=self.model, mentions=["not a split"])
        self.refused(3, plan=self.path("nowhere.json"))


if __name__ == "__main__":
    main()
