# SPDX-License-Identifier: Apache-2.0
"""Limits on graphs of thousands of nodes, and platforms of a million devices. bench/limits has the whole table; here are
the questions that once took far too long, and margins that a busy machine can keep."""

import json
import os
import pathlib
import resource
import subprocess
import sys

from harness import PARTITA, SLACK, CliTest, chain, main

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "bench" / "limits"))
import graphs  # pylint: disable=wrong-import-position

QUESTIONS = [("wide", ["--objective", "latency"]), ("wide", ["--shape", "free"]), ("transformer", ["--shape", "free"]),
             ("random", ["--shape", "contiguous"]), ("random", []), ("wide", ["--shape", "free", "--transfers", "overlap"])]


def cpu_seconds(command):
    """Of the program alone: on a busy machine the clock on the wall says little."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=300, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return done, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


class LargeGraphs(CliTest):
    def test_limits_are_kept(self):
        for kind, options in QUESTIONS:
            with self.subTest(kind=kind, options=options):
                file = self.write("graph.json", graphs.workload(kind, 5000))
                done, seconds = cpu_seconds([PARTITA, "plan", file, "--time-limit", "0.5", "--threads", "1", "-q", "-o",
                                             self.path("plan.json"), *options])
                self.assertEqual(done.returncode, 0, done.stderr.decode())
                self.assertLess(seconds, 0.5 + 1.0 * SLACK)  # with reading and writing
                plan = self.read_json("plan.json")
                self.assertGreater(plan["bound"], 0)
                self.assertLessEqual(plan["bound"], plan["value"])

    def test_free_splits_of_a_huge_graph_come_to_an_end(self):
        file = self.write("graph.json", graphs.workload("transformer", 40000))
        done, seconds = cpu_seconds([PARTITA, "plan", file, "--shape", "free", "--time-limit", "1", "--threads", "1", "-q",
                                     "-o", self.path("plan.json")])
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        self.assertLess(seconds, 3 * SLACK)


class ManyDevices(CliTest):
    def setUp(self):
        super().setUp()
        self.file = self.write("chain.json", chain(6))

    def plan(self, *options):
        command = [PARTITA, "plan", self.file, "-q", "-o", self.path("plan.json"), *options]
        done, seconds = cpu_seconds(command)
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        self.assertLess(seconds, 3 * SLACK)
        self.assertLess(os.path.getsize(self.path("plan.json")), 20_000)
        plan = self.read_json("plan.json")
        self.assertEqual(plan["status"], "optimal")
        self.assert_legal(self.file, self.path("plan.json"), *options)
        return plan

    def test_a_million_accelerators(self):
        for options in ([], ["--shape", "free"], ["--objective", "latency"]):
            with self.subTest(options=options):
                plan = self.plan("--accelerators", "1000000", *options)
                self.assertTrue(all(device["nodes"] for device in plan["devices"]))
                for node, place in plan["assignment"].items():
                    self.assertIn(int(node), plan["devices"][place]["nodes"])

    def test_a_hundred_thousand_clusters(self):
        platform = {"version": 1, "classes": [{"name": "gpu", "kind": "accelerator", "memory": 1e9},
                                              {"name": "cpu", "kind": "host"}],
                    "clusters": {"factor": 1, "devices": {"cpu": 1},
                                 "clusters": [{"factor": 0.1, "devices": {"gpu": 10}, "count": 99_999}]}}
        self.plan("--platform", self.write("platform.json", json.dumps(platform)))

    def test_copies_name_their_place_in_the_list(self):
        # One node, which several devices share: the copies are the only others in the list.
        self.file = self.write("one.json", chain(1))
        plan = self.plan("--accelerators", "1000", "--replicate", "3")
        self.assertEqual([device.get("copy_of") for device in plan["devices"]], [None, 0, 0])

    def test_small_platforms_list_idle_devices_too(self):
        plan = self.plan("--accelerators", "20")
        self.assertEqual(len(plan["devices"]), 21)


if __name__ == "__main__":
    main()
