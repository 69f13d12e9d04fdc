# SPDX-License-Identifier: Apache-2.0
"""When things go wrong around the program: outputs that would destroy something, full disks, closed descriptors, signals
at any time, too little memory, threads that cannot be started, and names made to do harm.

PARTITA_FAULT_ROUNDS is how often the tests with random times are repeated (default 4); hundreds make a long run."""

import json
import os
import random
import re
import resource
import signal
import stat
import subprocess
import time
import unittest

from harness import PARTITA, PARTITA_CHECK, SLACK, CliTest, chain, edge, main, node, wide_graph, workload

ROUNDS = int(os.environ.get("PARTITA_FAULT_ROUNDS", "4"))
USAGE, UNWRITABLE, NO_SPLIT_FOUND, OUT_OF_MEMORY = 2, 10, 12, 14
MIB = 1 << 20


class Fault(CliTest):
    def setUp(self):
        super().setUp()
        self.file = self.write("chain.json", chain())

    def assert_nothing_left_behind(self):
        self.assertEqual([name for name in os.listdir(self.folder) if name.endswith(".tmp")], [])

    def run_shell(self, script, code=0):
        """A line of bash with the program in $0. Returns (stdout, stderr)."""
        done = subprocess.run(["bash", "-c", script, PARTITA], cwd=self.folder, capture_output=True, timeout=100,
                              check=False)
        self.assertEqual(done.returncode, code, (script, done.stdout, done.stderr))
        return done.stdout.decode(), done.stderr.decode()


class Outputs(Fault):
    def test_an_input_is_never_an_output(self):
        before = self.read("chain.json")
        os.symlink("chain.json", self.path("symlink.json"))
        os.link(self.file, self.path("hardlink.json"))
        self.run_program("plan", self.file, "-q", "-o", self.path("plan.json"))
        plan = self.read("plan.json")
        names = ["chain.json", "./chain.json", "symlink.json", "hardlink.json", self.file]
        for name in names:
            for command in ["plan chain.json -o", "plan chain.json --svg", "plan chain.json --dot",
                            "plan chain.json --report", "plan chain.json --certificate",
                            "plan - < chain.json -o", "plan plan.json --platform chain.json -o",
                            "convert chain.json --to workload -o", "compare chain.json -o",
                            "compare plan.json chain.json --report", "sweep chain.json --vary hosts=1..2 -o",
                            "simulate chain.json plan.json --trace", "simulate chain.json plan.json -o"]:
                with self.subTest(name=name, command=command):
                    if "plan.json chain.json" in command and "--report" in command:
                        continue  # a page shows one workload, which is refused first
                    _, err = self.run_shell(f'"$0" {command} {name}', code=USAGE)
                    self.assertIn("same file", err)
                    self.assertEqual(err.count("\n"), 1, err)
        self.run_shell('"$0" simulate chain.json plan.json --svg plan.json', code=USAGE)
        self.run_shell('"$0" convert plan.json --to seed -o plan.json', code=USAGE)
        self.run_shell('"$0" plan chain.json -o - >> chain.json', code=USAGE)
        self.assertEqual(self.read("chain.json"), before)
        self.assertEqual(self.read("plan.json"), plan)

    def test_two_outputs_are_never_one_file(self):
        os.symlink("there.json", self.path("link.json"))
        self.write("there.json", "{}")
        for first, second in [("new.json", "new.json"), ("new.json", "./new.json"), ("there.json", "link.json"),
                              ("-", "-")]:
            for command, options in [("plan chain.json", ("-o", "--svg")), ("plan chain.json", ("--dot", "--report")),
                                     ("plan chain.json", ("--certificate", "-o")),
                                     ("compare chain.json", ("-o", "--report")),
                                     ("sweep chain.json --vary hosts=1..2", ("--svg", "-o"))]:
                self.run_shell(f'"$0" {command} {options[0]} {first} {options[1]} {second}', code=USAGE)
        self.assertEqual(self.read("there.json"), "{}")
        self.assertFalse(os.path.exists(self.path("new.json")))
        # What is no file can be written twice.
        self.run_shell('"$0" plan chain.json -q -o /dev/null --svg /dev/null')

    def test_a_file_keeps_its_mode_and_nothing_else_stays(self):
        plan = self.write("plan.json", "old")
        os.chmod(plan, 0o640)
        stale = self.write(".partita-1-00000000.tmp", "left behind by somebody")
        self.run_program("plan", self.file, "-q", "-o", plan)
        self.assertEqual(stat.S_IMODE(os.stat(plan).st_mode), 0o640)
        self.assertEqual(self.read_json("plan.json")["status"], "optimal")
        os.remove(stale)
        self.assert_nothing_left_behind()

    def test_the_longest_name_that_a_file_can_have(self):
        name = "x" * 250 + ".json"
        self.run_program("plan", self.file, "-q", "-o", self.path(name))
        self.assertEqual(self.read_json(name)["status"], "optimal")


class Streams(Fault):
    def test_a_closed_stdout_matters_only_where_it_is_used(self):
        self.run_shell('"$0" plan chain.json -q -o plan.json >&-')
        self.assertEqual(self.read_json("plan.json")["status"], "optimal")
        for command in ["plan chain.json -q -o -", "plan chain.json", "--help", "convert chain.json --to workload"]:
            _, err = self.run_shell(f'"$0" {command} >&-', code=UNWRITABLE)
            self.assertIn("standard output", err)

    def test_messages_never_reach_a_data_file(self):
        for closed in ("2>&-", ">&- 2>&-", "<&- >&- 2>&-"):
            for options in ("", "-v", "--svg plan.svg --report plan.html"):
                self.run_shell(f'"$0" plan chain.json {options} -o plan.json {closed}',
                               code=UNWRITABLE if ">&- 2" in closed else 0)
                self.assertEqual(self.read_json("plan.json")["status"], "optimal")
        self.run_shell('"$0" plan missing.json 2>&-', code=3)
        self.run_shell('"$0" plan - <&-', code=3)

    def test_a_full_disk_is_a_failure_for_every_text(self):
        if not os.path.exists("/dev/full"):
            self.skipTest("no /dev/full on this system")
        self.run_program("plan", self.file, "-q", "-o", self.path("plan.json"))
        for command in ["--help", "--version", "plan --help", "completion bash", "plan chain.json",
                        "plan chain.json -q -o -", "plan chain.json -q --svg -", "check chain.json plan.json",
                        "compare chain.json -q --algorithms dp", "sweep chain.json -q --vary hosts=1..2",
                        "simulate chain.json plan.json", "simulate chain.json plan.json -q --trace -",
                        "convert chain.json --to workload"]:
            with self.subTest(command=command):
                _, err = self.run_shell(f'"$0" {command} > /dev/full', code=UNWRITABLE)
                self.assertRegex(err.splitlines()[-1], "standard output: cannot be written: No space left")
        for command in ["--help", "chain.json plan.json"]:
            self.run_shell(f'"{PARTITA_CHECK}" {command} > /dev/full', code=UNWRITABLE)
        self.run_shell('"$0" plan chain.json -q -o /dev/full', code=UNWRITABLE)

    def test_a_reader_that_leaves_is_no_news(self):
        self.write("wide.json", wide_graph())
        for command in ["convert wide.json --to workload", "completion bash", "plan --help"]:
            out, err = self.run_shell(f'("$0" {command}; echo $? > code) | true; sleep 0.1')
            self.assertEqual((out, err), ("", ""))
            self.assertIn(self.read("code"), ("0\n", "141\n"))
        self.run_shell('("$0" convert wide.json --to workload; echo $? > code) | head -c 1')
        self.assertEqual(self.read("code"), "141\n")


class Signals(Fault):
    def setUp(self):
        super().setUp()
        self.wide = self.write("wide.json", wide_graph())

    def start(self, *arguments, **options):
        program = subprocess.Popen([PARTITA, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, **options)
        self.addCleanup(program.kill)
        return program

    def finish(self, program):
        _, err = program.communicate(timeout=60)
        return err.decode()

    def test_hang_up_writes_the_best_so_far(self):
        program = self.start("plan", self.wide, "--time-limit", "100", "-q", "-o", self.path("plan.json"))
        time.sleep(1 * SLACK)
        start = time.monotonic()
        program.send_signal(signal.SIGHUP)
        self.finish(program)
        self.assertEqual(program.returncode, 0)
        self.assertLess(time.monotonic() - start, 2 * SLACK)
        self.assert_legal(self.wide, self.path("plan.json"))

    def test_nohup_is_respected(self):
        program = self.start("plan", self.wide, "--time-limit", str(2 * SLACK), "-q", "-o", self.path("plan.json"),
                             preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        start = time.monotonic()
        time.sleep(0.5 * SLACK)
        program.send_signal(signal.SIGHUP)
        self.finish(program)
        self.assertEqual(program.returncode, 0)
        self.assertGreater(time.monotonic() - start, 1.5 * SLACK)

    def test_while_reading_any_of_them_ends_the_program(self):
        for command in (["plan", "-", "-o"], ["convert", "-", "--to", "workload", "-o"], ["compare", "-", "-o"],
                        ["sweep", "-", "--vary", "hosts=1..2", "-o"], ["simulate", "-", self.wide, "-o"]):
            sent = random.choice([signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
            with self.subTest(command=command, sent=sent):
                program = self.start(*command, self.path("out.json"), stdin=subprocess.PIPE)
                time.sleep(0.2 * SLACK)
                start = time.monotonic()
                program.send_signal(sent)
                program.wait(timeout=60)
                self.assertLess(time.monotonic() - start, 1 * SLACK)
                self.assertEqual(program.returncode, -sent)
                program.stdin.close()
                program.stderr.close()
        self.assert_nothing_left_behind()
        self.assertFalse(os.path.exists(self.path("out.json")))

    def test_at_any_time_the_file_is_old_or_complete(self):
        rng = random.Random(1)
        for i in range(ROUNDS):
            for command in (["plan", self.wide, "--time-limit", "0.5"],
                            ["plan", self.wide, "--shape", "free", "--threads", "2", "--time-limit", "0.5"],
                            ["compare", self.wide, "--format", "json", "--algorithms", "dpl,greedy,local-search",
                             "--time-limit", "0.3"],
                            ["sweep", self.wide, "--vary", "accelerators=2..3", "--time-limit", "0.2"],
                            ["convert", self.wide, "--to", "workload"]):
                sent = rng.choice([signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
                delay = SLACK * rng.choice([rng.uniform(0, 0.05), rng.uniform(0, 1)])
                second = rng.random() < 0.5
                with self.subTest(round=i, command=command, sent=sent, delay=delay, second=second):
                    out = self.write("out.json", "old")
                    program = self.start(*command, "-o", out)
                    time.sleep(delay)
                    program.send_signal(sent)
                    if second:
                        time.sleep(rng.uniform(0, 0.02))
                        program.send_signal(sent)
                    self.finish(program)
                    self.assertIn(program.returncode, (0, 12, -sent))
                    if self.read("out.json") != "old":
                        self.read_json("out.json")
                    self.assert_nothing_left_behind()


@unittest.skipIf(SLACK > 1, "sanitizers need memory of their own")
class Memory(Fault):
    QUESTIONS = [["--shape", "staged"], ["--shape", "free"], ["--objective", "latency"], ["--objective", "gpipe"],
                 ["--shape", "free", "--transfers", "overlap"], ["--replicate", "2"]]
    ON_THREADS = [["--shape", "free", "--threads", "2"], ["--objective", "latency", "--threads", "4"]]

    def setUp(self):
        super().setUp()
        self.wide = self.write("wide.json", wide_graph(layers=20, width=40))

    def run_short_of_memory(self, *arguments, limit=None, address_space=None):
        """A run that may end with an answer or without one, but in no other way. Returns (code, stderr)."""
        def restrict():
            if address_space:
                resource.setrlimit(resource.RLIMIT_AS, (address_space, address_space))

        options = ["--memory-limit", str(limit)] if limit else []
        done = subprocess.run([PARTITA, *arguments, *options], capture_output=True, timeout=100, preexec_fn=restrict,
                              check=False)
        err = done.stderr.decode()
        self.assertIn(done.returncode, (0, NO_SPLIT_FOUND, OUT_OF_MEMORY), (arguments, limit, address_space, err))
        if done.returncode == OUT_OF_MEMORY:
            self.assertIn("memory", err.splitlines()[-1])
        return done.returncode, err

    def test_the_best_so_far_is_kept(self):
        answers = 0
        for question in self.QUESTIONS:
            for limit in (12 * MIB, 30 * MIB):
                with self.subTest(question=question, limit=limit):
                    plan = self.path("plan.json")
                    if os.path.exists(plan):
                        os.remove(plan)
                    code, err = self.run_short_of_memory("plan", self.wide, *question, "--time-limit", "0.7", "-q", "-o",
                                                         plan, limit=limit)
                    answers += code == 0
                    self.assertLessEqual(err.count("\n"), 1, err)
                    if code == 0:
                        self.assert_legal(self.wide, plan, *question)
        self.assertGreaterEqual(answers, len(self.QUESTIONS))

    def test_the_address_space_may_be_short_too(self):
        for question in self.QUESTIONS:
            for size in (60, 150):
                with self.subTest(question=question, size=size):
                    self.run_short_of_memory("plan", self.wide, *question, "--time-limit", "0.3", "-q", "-o",
                                             self.path("plan.json"), address_space=size * MIB)

    def test_on_threads(self):
        # Each thread has a stack of 8 MiB, and whoever runs out ends alone.
        for question in self.ON_THREADS:
            for limit in (12 * MIB, 30 * MIB, 200 * MIB):
                with self.subTest(question=question, limit=limit):
                    code, _ = self.run_short_of_memory("plan", self.wide, *question, "--time-limit", "0.7", "-q", "-o",
                                                       self.path("plan.json"), limit=limit)
                    if code == 0:
                        self.assert_legal(self.wide, self.path("plan.json"), *question[:2])

    def test_it_is_said_in_one_line(self):
        code, err = self.run_short_of_memory("plan", self.wide, "-o", self.path("plan.json"), limit=MIB)
        self.assertEqual(code, OUT_OF_MEMORY)
        self.assertEqual(err, "partita: out of memory: the limit is 1 MiB\n")
        self.assertFalse(os.path.exists(self.path("plan.json")))

    def test_other_commands(self):
        self.run_program("plan", self.wide, "--time-limit", "1", "-q", "-o", self.path("plan.json"))
        for command in (["sweep", self.wide, "--vary", "accelerators=2..3", "--time-limit", "0.5", "-q"],
                        ["compare", self.wide, "--algorithms", "dpl,greedy,local-search,free", "--time-limit", "0.5"]):
            for limit in (MIB, 30 * MIB):
                code, err = self.run_short_of_memory(*command, limit=limit)
                self.assertEqual(code, OUT_OF_MEMORY if limit == MIB else 0, err)
        least = self.least_address_space()
        for command in (["check", self.wide], ["simulate", self.wide]):
            for size in range(least, least + 6):
                self.run_short_of_memory(*command, self.path("plan.json"), address_space=size * MIB)

    def least_address_space(self):
        """MiB in which the system can load the program and its libraries, whatever comes of it then."""
        for size in range(8, 1000):
            limit = (size * MIB, size * MIB)
            done = subprocess.run([PARTITA, "--version"], capture_output=True, timeout=60, check=False,
                                  preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, limit))
            if b"loading shared libraries" not in done.stderr and done.returncode != -signal.SIGSEGV:
                return size
        return self.fail("the program cannot be loaded")

    def test_an_exact_search_that_needs_too_much_says_so(self):
        out, err = self.run_program("plan", self.wide, "--algorithm", "exact", "--time-limit", "3", "--memory-limit",
                                    "20MiB")
        self.assertIn("limit reached: the best so far", out)
        if "memory limit reached" in out:
            self.assertIn("the memory limit of 20 MiB was reached", err)


class Names(Fault):
    NASTY = ["\x1b[31mred\x1b[0m", "two\nlines", "tab\tbell\x07", "\u202egnitirw", "\u009b2J", "long " * 1000, "\ufeff",
             "</script><b>", "a|b", "\\", "\uffff", "\x7f", "ü→🎻"]

    def assert_harmless(self, text, where):
        hidden = re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufffe\uffff]", text)
        self.assertIsNone(hidden, (where, hidden and text[max(0, hidden.start() - 40):hidden.end() + 20]))

    def run_harmless(self, *arguments, code=0):
        out, err = self.run_program(*arguments, code=code)  # decodes, so it is UTF-8
        self.assert_harmless(out, arguments)
        self.assert_harmless(err, arguments)
        for line in (out + err).splitlines():
            self.assertLess(len(line), 2000, arguments)
        return out, err

    def test_in_every_command_and_output(self):
        for name in self.NASTY:
            with self.subTest(name=name[:20]):
                self.check_everywhere(name)

    def check_everywhere(self, name):
        nodes = [node(i, name=name + str(i)) for i in range(6)]
        nasty = workload(nodes, [edge(i, i + 1, 0.1) for i in range(5)])
        nasty["name"] = name
        file, plan = self.write("nasty.json", nasty), self.path("plan.json")
        self.run_harmless("plan", file, "-v", "-o", plan, "--svg", self.path("a.svg"), "--dot", self.path("a.dot"),
                          "--report", self.path("a.html"))
        self.assertEqual(self.read_json("plan.json")["workload"], name)
        self.run_harmless("check", file, plan)
        self.run_harmless("simulate", file, plan, "--trace", self.path("a.trace"), "--svg", self.path("b.svg"), "-o",
                          self.path("simulation.json"))
        self.run_harmless("compare", file, file, "--algorithms", "dpl,greedy")
        self.run_harmless("compare", file, "--algorithms", "dpl,greedy", "--format", "markdown")
        self.run_harmless("sweep", file, "--vary", "accelerators=1..2", "--svg", self.path("c.svg"))
        for drawn in ("a.svg", "a.dot", "a.trace", "b.svg", "c.svg"):
            self.assert_harmless(self.read(drawn), drawn)
        # Violations quote names: of nodes in a list, of devices in the plan.
        broken = self.read_json("plan.json")
        broken["devices"][0]["name"] = name
        broken["devices"][0]["nodes"] = broken["devices"][0]["nodes"] * 2 + [777]
        self.run_harmless("check", file, self.write("broken.json", broken), code=11)
        # So do reasons why there is nothing, and complaints about fields.
        too_large = workload([node(1, size=1e30, name=name)], [], hosts=0) | {"name": name}
        self.run_harmless("plan", self.write("large.json", too_large), code=9)
        self.run_harmless("plan", self.write("field.json", nasty | {"nodes": name}), code=5)
        self.run_harmless("plan", self.write("kind.json", {"format": name, "version": name}), code=5)

    def test_device_classes(self):
        for name in ("\u202egpu", "\x85", "g" * 3000, "ü"):
            platform = {"classes": [{"name": name, "kind": "accelerator", "count": 2},
                                    {"name": "host", "kind": "host", "count": 1}]}
            file = self.write("classes.json", chain() | {"platform": platform})
            for field in ("maxFPGAs", "maxSizePerFPGA", "maxCPUs"):
                content = json.loads(self.read("classes.json"))
                content.pop(field, None)
                file = self.write("classes.json", content)
            done = subprocess.run([PARTITA, "plan", file, "-o", self.path("plan.json"), "--svg", self.path("a.svg")],
                                  capture_output=True, timeout=60, check=False)
            self.assertIn(done.returncode, (0, 5, 8))
            self.assert_harmless(done.stdout.decode() + done.stderr.decode(), name[:9])
            if done.returncode == 0:
                self.assert_harmless(self.read("a.svg"), name[:9])
                self.run_harmless("check", file, self.path("plan.json"))
                self.run_harmless("simulate", file, self.path("plan.json"), "--svg", self.path("b.svg"))

    def test_files_and_arguments(self):
        for name in (b"\xff\xfe.json", b"esc\x1b[31m.json", b"two\nlines.json", "\u202e.json".encode()):
            path = os.path.join(self.folder.encode(), name)
            with open(path, "wb") as file:
                file.write(json.dumps(workload([node(1), node(2)], [edge(1, 2)])).encode())
            self.run_harmless("plan", path, "-v", "-o", self.path("plan.json"), "--report", self.path("a.html"))
            self.read_json("plan.json")
            self.run_harmless("compare", path, path, "--algorithms", "dpl")
            self.run_harmless("sweep", path, "--vary", "hosts=0..1", "-o", self.path("sweep.json"))
            self.run_harmless("convert", path, "--to", "workload")
            missing = path + b"missing"
            self.run_harmless("plan", missing, code=3)
            self.run_harmless("plan", path, "-o", missing + b"/x", code=UNWRITABLE)
            self.run_harmless("plan", path, b"--shape", name, code=USAGE)
            self.run_harmless("plan", path, b"--" + name, code=USAGE)
            self.run_harmless(name, code=USAGE)
            self.run_harmless("compare", path, b"--algorithms", name, code=USAGE)
            self.run_harmless("sweep", path, b"--vary", name, code=USAGE)


if __name__ == "__main__":
    main()
