# SPDX-License-Identifier: Apache-2.0
"""`partita plan`, `check` and `convert` as people use them: what they write, print and return."""

import gzip
import json
import os
import stat
import threading

from harness import PARTITA, PARTITA_CHECK, CliTest, chain, edge, main, node, workload


class PlanAsWritten(CliTest):
    """The commands that other programs rely on, word by word."""

    def setUp(self):
        super().setUp()
        self.file = self.write("chain.json", chain())
        self.options = ["--objective", "throughput", "--shape", "staged", "--time-limit", "60", "--threads", "1",
                        "--memory", "1e9", "--quiet"]

    def test_plan(self):
        out, err = self.run_program("plan", self.file, *self.options, "-o", self.path("plan.json"))
        self.assertEqual((out, err), ("", ""))
        plan = self.read_json("plan.json")
        self.assertEqual(plan["partita"]["format"], "plan")
        self.assertEqual(plan["partita"]["version"], 1)
        self.assertEqual(plan["workload"], "chain")
        self.assertEqual((plan["objective"], plan["shape"]), ("max-load", "staged"))
        self.assertEqual(plan["status"], "optimal")
        self.assertAlmostEqual(plan["value"], 2.1, places=9)
        self.assertAlmostEqual(plan["bound"], 2.1, places=5)
        self.assertLessEqual(plan["gap"], 1e-6)
        self.assertGreaterEqual(plan["seconds"], 0)
        self.assertEqual(plan["seed"], 1)
        self.assertNotEqual(plan["proof"], "")
        self.assertEqual([d["name"] for d in plan["devices"]], ["accelerator 0", "accelerator 1", "host 0"])
        self.assertEqual([d["memory_limit"] for d in plan["devices"]], [1e9, 1e9, None])
        self.assertEqual(sorted(d["nodes"] for d in plan["devices"]), [[], [0, 10], [20, 30]])
        for position, device in enumerate(plan["devices"]):
            self.assertEqual(device["stage"] is None, not device["nodes"])
            for node_id in device["nodes"]:
                self.assertEqual(plan["assignment"][str(node_id)], position)
        self.assertEqual(len(plan["assignment"]), 4)
        self.assert_legal(self.file, self.path("plan.json"), "--shape", "staged")

    def test_seed_format(self):
        out, err = self.run_program("plan", self.file, *self.options, "--format", "seed", "-o", self.path("seed.json"))
        self.assertEqual((out, err), ("", ""))
        seed = self.read_json("seed.json")
        self.assertEqual(sorted(seed), ["cpus", "fpgas", "maxLoad"])
        self.assertAlmostEqual(seed["maxLoad"], 2.1, places=9)
        self.assertEqual((len(seed["fpgas"]), len(seed["cpus"])), (2, 1))
        self.assertEqual(sorted(d["nodes"] for d in seed["fpgas"]), [[0, 10], [20, 30]])
        for device in seed["fpgas"]:
            self.assertAlmostEqual(device["load"], 2.1, places=9)
        self.assert_legal(self.file, self.path("seed.json"), "--shape", "staged")

    def test_convert_gives_what_plan_writes(self):
        self.run_program("plan", self.file, *self.options, "-o", self.path("plan.json"))
        self.run_program("plan", self.file, *self.options, "--format", "seed", "-o", self.path("direct.json"))
        self.run_program("convert", self.path("plan.json"), "--to", "seed", "-o", self.path("seed.json"))
        self.assertEqual(self.read("seed.json"), self.read("direct.json"))
        self.assert_legal(self.file, self.path("seed.json"), "--shape", "staged")
        self.run_program("convert", self.path("seed.json"), "--to", "seed", "-o", self.path("again.json"))
        self.assertEqual(self.read("again.json"), self.read("seed.json"))


class PlanOutput(CliTest):
    def setUp(self):
        super().setUp()
        self.file = self.write("chain.json", chain())

    def test_report_without_output_file(self):
        out, err = self.run_program("plan", self.file)
        lines = out.splitlines()
        self.assertEqual(lines[0], "chain: 4 nodes, 3 edges; 2 accelerators of 953.7 MiB, 1 host")
        self.assertRegex(lines[1], r"^optimal among staged splits: 2\.1 per sample \(in the file's unit of time\) "
                                   r"\(search: \d+\.\d\d s\)$")
        self.assertTrue(lines[2].startswith("proof: "), lines[2])
        self.assertIn("accelerator 1", out)
        self.assertEqual(err, "")

    def test_output_dash_gives_json_on_stdout_and_the_report_on_stderr(self):
        out, err = self.run_program("plan", self.file, "-o", "-")
        self.assertEqual(json.loads(out)["status"], "optimal")
        self.assertIn("optimal among staged splits: 2.1 per sample", err)
        out, err = self.run_program("plan", self.file, "-o", "-", "--quiet")
        self.assertEqual(json.loads(out)["status"], "optimal")
        self.assertEqual(err, "")

    def test_input_dash_reads_standard_input_plain_or_gzipped(self):
        text = json.dumps(chain()).encode()
        for stdin in (text, gzip.compress(text)):
            out, _ = self.run_program("plan", "-", "-o", "-", "--quiet", stdin=stdin)
            self.assertAlmostEqual(json.loads(out)["value"], 2.1, places=9)

    def test_what_was_written_is_told(self):
        for command in (["plan", self.file], ["sweep", self.file, "--vary", "accelerators=1,2"]):
            _, err = self.run_program(*command, "-o", self.path("out.json"), "--report", self.path("page.html"))
            self.assertRegex(err, r"(?m)^wrote \S+/out\.json \(\d+ bytes|\d\.\d kB\)$")
            self.assertRegex(err, r"(?m)^wrote \S+/page\.html \(\d+\.\d kB\)$")
            self.assertEqual(self.run_program(*command, "-q", "-o", self.path("out.json"))[1], "")
        self.assertEqual(self.run_program("plan", self.file, "-o", "/dev/null")[1], "")

    def test_quiet_prints_nothing(self):
        self.assertEqual(self.run_program("plan", self.file, "--quiet"), ("", ""))

    def test_verbose_tells_what_reductions_did(self):
        nodes = [node(i, colorClass=i // 2) for i in range(8)]
        file = self.write("coloured.json", workload(nodes, [edge(i, i + 1, 0.1) for i in range(7)]))
        _, err = self.run_program("plan", file, "-v")
        codes = [line[0] for line in err.splitlines()]
        self.assertEqual(codes[0], " ", "a heading of the columns")
        self.assertTrue({"r", "s", "d"} <= set(codes) <= set(" rsb.d"), err)
        _, err = self.run_program("plan", file)
        self.assertEqual(err, "")

    def test_existing_file_is_replaced_whole_and_links_and_modes_stay(self):
        target = self.write("target.json", "old")
        os.chmod(target, 0o640)
        os.symlink(target, self.path("link.json"))
        self.run_program("plan", self.file, "--quiet", "-o", self.path("link.json"))
        self.assertTrue(os.path.islink(self.path("link.json")))
        self.assertEqual(self.read_json("target.json")["status"], "optimal")
        self.assertEqual(stat.S_IMODE(os.stat(target).st_mode), 0o640)
        self.assertEqual(sorted(os.listdir(self.folder)), ["chain.json", "link.json", "target.json"])

    def test_pipes_are_written_in_place(self):
        os.mkfifo(self.path("pipe"))
        received = []

        def drain():
            with open(self.path("pipe"), encoding="utf-8") as pipe:
                received.append(pipe.read())

        reader = threading.Thread(target=drain, daemon=True)
        reader.start()
        self.run_program("plan", self.file, "--quiet", "-o", self.path("pipe"))
        reader.join(timeout=60)
        self.assertEqual(json.loads(received[0])["status"], "optimal")
        self.assertTrue(stat.S_ISFIFO(os.stat(self.path("pipe")).st_mode))


class PlanOptions(CliTest):
    def plan(self, content, *options):
        out, _ = self.run_program("plan", self.write("input.json", content), "--quiet", "-o", "-", *options)
        return json.loads(out)

    def test_memory_in_bytes_and_with_suffixes(self):
        for text, expected in [("1.6e10", 1.6e10), ("17179869184", 2**34), ("16GiB", 2**34), ("16 gib", 2**34),
                               ("1.5MiB", 1.5 * 2**20), ("2KiB", 2048), ("16G", 2**34),
                               ("16 g", 2**34), ("3M", 3 * 2**20), ("1TiB", 2**40), ("16GB", 16e9), ("3MB", 3e6),
                               ("4KB", 4e3)]:
            with self.subTest(text=text):
                self.assertEqual(self.plan(chain(), "--memory", text)["devices"][0]["memory_limit"], expected)

    def test_times_and_fractions_with_their_units(self):
        for text in ("60", "60s", "60 s", "1min", "1 MIN", "0.1h", "30000ms", "inf"):
            self.assertEqual(self.plan(chain(), "--time-limit", text)["status"], "optimal")
        for text in ("0.9", "90%", "90 %"):
            self.assertLessEqual(self.plan(chain(), "--gap", text)["gap"], 0.9)

    def test_memory_is_the_limit_of_each_accelerator(self):
        plan = self.plan(chain(accelerators=4), "--memory", "1", "--hosts", "0")
        self.assertEqual(sorted(d["memory"] for d in plan["devices"]), [1, 1, 1, 1])

    def test_platform_overrides(self):
        plan = self.plan(chain(), "--accelerators", "4", "--hosts", "2")
        self.assertEqual([d["kind"] for d in plan["devices"]], ["accelerator"] * 4 + ["host"] * 2)
        self.assertAlmostEqual(plan["value"], 1.2, places=9)

    def test_hosts_only(self):
        plan = self.plan(chain(), "--accelerators", "0", "--hosts", "2")
        self.assertAlmostEqual(plan["value"], 20, places=9)

    def test_algorithms(self):
        for algorithm in ("auto", "exact", "linear"):
            with self.subTest(algorithm=algorithm):
                plan = self.plan(chain(), "--algorithm", algorithm)
                self.assertAlmostEqual(plan["value"], 2.1, places=9)
                self.assertLessEqual(plan["bound"], plan["value"] * (1 + 1e-9))

    def test_seed_is_recorded_and_answers_repeat(self):
        first = self.plan(chain(8), "--seed", "42")
        second = self.plan(chain(8), "--seed", "42")
        self.assertEqual(first["seed"], 42)
        self.assertEqual(first["assignment"], second["assignment"])

    def test_training_loads_are_itemised_by_pass(self):
        nodes = [node(i, colorClass=i) for i in range(4)]
        nodes += [node(10 + i, 2.0, colorClass=i, isBackwardNode=True) for i in range(4)]
        edges = [edge(i, i + 1, 0.1) for i in range(3)] + [edge(3, 13, 0.1)]
        edges += [edge(11 + i, 10 + i, 0.1) for i in range(3)]
        for options in ([], ["--backward-shape"]):
            plan = self.plan(workload(nodes, edges), *options)
            self.assertEqual(plan["status"], "optimal")
            self.assertAlmostEqual(plan["value"], 6.2, places=9)
            self.assertEqual(plan["backward_shape"], bool(options))
            busy = [d for d in plan["devices"] if d["nodes"]]
            self.assertEqual([d["forward"]["compute"] for d in busy], [2, 2])
            self.assertEqual([d["backward"]["compute"] for d in busy], [4, 4])
            for device in busy:
                for part in ("compute", "in", "out"):
                    self.assertAlmostEqual(device[part], device["forward"][part] + device["backward"][part], places=9)
                self.assertAlmostEqual(device["load"], device["compute"] + device["in"] + device["out"], places=9)


class Check(CliTest):
    def setUp(self):
        super().setUp()
        self.file = self.write("chain.json", chain())

    def seed(self, *accelerators, load=-1):
        fpgas = [{"load": -1, "nodes": nodes} for nodes in accelerators]
        return self.write("seed.json", {"maxLoad": load, "fpgas": fpgas, "cpus": [{"load": -1, "nodes": []}]})

    def assert_illegal(self, *options, mentions):
        outputs = []
        for program in ([PARTITA, "check"], [PARTITA_CHECK]):
            out, _ = self.run_program(*program[1:], self.file, self.path("seed.json"), *options, program=program[0],
                                      code=11)
            for text in mentions:
                self.assertIn(text, out)
            outputs.append(out)
        self.assertEqual(outputs[0], outputs[1])

    def test_legal(self):
        split = self.seed([0, 10], [20, 30])
        out, _ = self.run_program("check", self.file, split, "--shape", "staged")
        self.assertIn("2.1", out)
        self.assertEqual(self.run_program("check", self.file, split, "--quiet"), ("", ""))

    def test_shape(self):
        self.seed([0, 20], [10, 30])
        self.assert_illegal("--shape", "staged", mentions=["shape"])
        self.run_program("check", self.file, self.path("seed.json"), "--shape", "free")

    def test_memory(self):
        self.seed([0, 10], [20, 30])
        self.assert_illegal("--memory", "1", mentions=["memory"])

    def test_missing_and_unknown_nodes(self):
        self.seed([0, 10], [20, 99])
        self.assert_illegal(mentions=["30", "99"])

    def test_claimed_value(self):
        self.seed([0, 10], [20, 30], load=1.5)
        self.assert_illegal(mentions=["1.5", "2.1"])

    def test_a_workload_is_not_a_split(self):
        self.assert_refused(5, "check", self.file, self.file, mentions=["chain.json"])


class Layers(CliTest):
    """`plan --contract-layers`."""

    def setUp(self):
        super().setUp()
        layered = chain()
        for entry in layered["nodes"][:3]:
            entry["layerId"] = 5
        self.file = self.write("chain.json", layered)

    def test_are_kept_together(self):
        self.run_program("plan", self.file, "--contract-layers", "--quiet", "-o", self.path("plan.json"))
        plan = self.read_json("plan.json")
        self.assertEqual(plan["status"], "optimal")
        self.assertAlmostEqual(plan["value"], 3.1, places=9)
        self.assertIn("layers", plan["proof"])
        self.assertIn([0, 10, 20], [d["nodes"] for d in plan["devices"]])
        self.assert_legal(self.file, self.path("plan.json"), "--shape", "staged")

    def test_bind_nothing_otherwise(self):
        out, _ = self.run_program("plan", self.file, "--quiet", "-o", "-")
        self.assertAlmostEqual(json.loads(out)["value"], 2.1, places=9)

    def test_are_written_again(self):
        out, _ = self.run_program("convert", self.file, "--to", "workload")
        self.assertEqual([n.get("layerId") for n in json.loads(out)["nodes"]], [5, 5, 5, None])

    def test_have_no_certificates(self):
        for option in ("--certificate", "--read-solution"):
            self.assert_refused(2, "plan", self.file, "--contract-layers", option, self.path("file"), mentions=[option])


class Convert(CliTest):
    def test_workload_becomes_plain_and_plans_alike(self):
        file = self.write("chain.json.gz", gzip.compress(json.dumps(chain()).encode()))
        self.run_program("convert", file, "--to", "workload", "-o", self.path("plain.json"))
        plain = self.read_json("plain.json")
        self.assertEqual([n["id"] for n in plain["nodes"]], [0, 10, 20, 30])
        self.run_program("convert", self.path("plain.json"), "--to", "workload", "-o", self.path("again.json"))
        self.assertEqual(self.read("again.json"), self.read("plain.json"))
        out, _ = self.run_program("plan", self.path("plain.json"), "--quiet", "-o", "-")
        self.assertAlmostEqual(json.loads(out)["value"], 2.1, places=9)

    def test_default_output_is_standard_output(self):
        seed = {"maxLoad": -1, "fpgas": [{"load": -1, "nodes": [3, 1]}], "cpus": []}
        out, _ = self.run_program("convert", "-", "--to", "seed", stdin=json.dumps(seed).encode())
        self.assertEqual(json.loads(out), seed)

    def test_the_wrong_kind_of_file(self):
        file = self.write("chain.json", chain())
        self.assert_refused(5, "convert", file, "--to", "seed", mentions=["chain.json", "workload"])
        seed = self.write("seed.json", {"maxLoad": -1, "fpgas": [], "cpus": []})
        self.assert_refused(5, "convert", seed, "--to", "workload", mentions=["seed.json", "split"])

    def test_unwritable(self):
        file = self.write("chain.json", chain())
        self.assert_refused(10, "convert", file, "--to", "workload", "-o", self.path("no/such/folder.json"),
                            mentions=["folder.json"])


class Certificates(CliTest):
    """`plan --shape free --certificate` and `partita-check --certificate`."""

    def setUp(self):
        super().setUp()
        self.file = self.write("chain.json", chain())
        self.run_program("plan", self.file, "--shape", "free", "--time-limit", "20", "--quiet", "-o",
                         self.path("plan.json"), "--certificate", self.path("proof.json"))

    def check(self, code, *options):
        out, _ = self.run_program(self.file, self.path("plan.json"), "--shape", "free", "--certificate",
                                  self.path("proof.json"), *options, program=PARTITA_CHECK, code=code)
        return out

    def test_is_written_and_verified(self):
        plan, proof = self.read_json("plan.json"), self.read_json("proof.json")
        self.assertEqual(plan["status"], "optimal")
        self.assertEqual(proof["partita"]["format"], "certificate")
        self.assertEqual(proof["limit"], plan["bound"])
        self.assertEqual(sorted(node for node, _ in proof["classes"]), [0, 10, 20, 30])
        self.assertIn("certificate: verified", self.check(code=0))

    def test_is_refused_once_changed(self):
        proof = self.read_json("proof.json")
        for change in ({"limit": proof["limit"] * 1.01}, {"classes": proof["classes"][1:]},
                       {"classes": [[node, 0] for node, _ in proof["classes"]]},
                       {"devices": [d | {"theta": -1} if "theta" in d else d for d in proof["devices"]]},
                       {"devices": []}):
            self.write("proof.json", proof | change)
            self.assertIn("does not hold", self.check(code=11))

    def test_is_not_accepted_beyond_the_limit(self):
        self.assertIn("certificate: cannot be verified within 0 s and 1.0 GiB: not accepted",
                      self.check(12, "--time-limit", "0"))

    def test_the_order_of_its_classes_does_not_matter(self):
        proof = self.read_json("proof.json")
        self.write("proof.json", proof | {"classes": proof["classes"][::-1]})
        self.assertIn("certificate: verified", self.check(code=0))

    def test_a_plan_is_not_a_certificate(self):
        self.assert_refused(5, self.file, self.path("plan.json"), "--certificate", self.path("plan.json"),
                            mentions=["certificate"], program=PARTITA_CHECK)

    def test_a_staged_bound_has_one_if_asked_for(self):
        self.run_program("plan", self.file, "--time-limit", "20", "--quiet", "-o", self.path("staged.json"),
                         "--certificate", self.path("staged-proof.json"))
        plan, proof = self.read_json("staged.json"), self.read_json("staged-proof.json")
        self.assertEqual(proof["shape"], "staged")
        self.assertLessEqual(proof["limit"], plan["bound"])
        self.assertTrue(plan["proof"].endswith("; its certificate was verified"), plan["proof"])
        check = (self.file, self.path("staged.json"), "--certificate", self.path("staged-proof.json"))
        out, _ = self.run_program(*check, program=PARTITA_CHECK, code=0)
        self.assertIn("certificate: verified; no staged split is at", out)
        self.write("staged-proof.json", proof | {"limit": plan["value"]})
        out, _ = self.run_program(*check, program=PARTITA_CHECK, code=11)
        self.assertIn("does not hold", out)

    def test_the_file_stays_away_where_there_is_none(self):
        _, err = self.run_program("plan", self.file, "--transfers", "overlap", "--time-limit", "5", "-o",
                                  self.path("overlap.json"), "--certificate", self.path("none.json"), code=13)
        self.assertIn("nothing was written", err)
        self.assertFalse(os.path.exists(self.path("none.json")))


if __name__ == "__main__":
    main()
