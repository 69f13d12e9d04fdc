# SPDX-License-Identifier: Apache-2.0
"""Files that are meant to do harm, or go on for ever: refused early, in one line, with little memory. And files that
mean something else than they seem to: misspelt fields, options that change nothing."""

import gzip
import os
import resource
import subprocess
import time

from harness import PARTITA_CHECK, SLACK, CliTest, chain, main

MOST_MEGABYTES = 100


class HostileInputs(CliTest):

    def assert_cheaply_refused(self, code, path, stdin=subprocess.DEVNULL):
        """One line, this exit code, less than a second of processor time, and less than 100 MB."""
        out, err = self.path("out"), self.path("err")
        split = self.write("split.json", {"fpgas": [], "cpus": []})
        start = time.monotonic()
        with open(out, "wb") as out_file, open(err, "wb") as err_file:
            child = subprocess.Popen([PARTITA_CHECK, path, split], stdin=stdin, stdout=out_file, stderr=err_file)
            _, status, usage = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
        text = self.read("err")
        self.assertEqual(child.returncode, code, text)
        self.assertEqual(text.count("\n"), 1, text)
        self.assertLess(usage.ru_utime + usage.ru_stime, 1.0 * SLACK)
        self.assertLess(time.monotonic() - start, 20 * SLACK)
        if SLACK == 1:  # the sanitizers take memory of their own
            self.assertLess(usage.ru_maxrss / 1024, MOST_MEGABYTES)
        return text

    def test_a_bomb(self):
        packed = self.path("bomb.json.gz")
        for before, code in ((b"[", 5), (b'{"nodes": [', 5), (b'{"platform": [', 3)):
            # Piece by piece: the memory of this program would count as that of its child, which begins as its copy.
            with gzip.open(packed, "wb", 9) as file:
                file.write(before)
                for _ in range(200):
                    file.write(b"{}," * 100_000)
            self.assertLess(os.path.getsize(packed), 60_000)
            self.assert_cheaply_refused(code, packed)

    def test_an_endless_file(self):
        self.assert_cheaply_refused(4, "/dev/zero")
        for endless, code in (("yes", 4), ("printf '{\"nodes\": ['; yes '{},'", 5), ("yes ''", 4),
                              ("printf '{\"name\": \"'; yes", 4)):
            with subprocess.Popen(["sh", "-c", endless], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as pipe:
                self.assert_cheaply_refused(code, "-", stdin=pipe.stdout)
                pipe.stdout.close()
                pipe.wait()

    def test_an_endless_solution_file(self):
        """Texts that are no JSON are read whole, but not for ever."""
        limit = 2 << 30

        def low_memory():
            if SLACK == 1:
                resource.setrlimit(resource.RLIMIT_AS, (limit, limit))

        workload = self.write("w.json", chain())
        with open("/dev/zero", "rb") as zeros:
            done = subprocess.run([os.environ.get("PARTITA", "partita"), "plan", workload, "--read-solution", "-"],
                                  stdin=zeros, capture_output=True, timeout=120, check=False, preexec_fn=low_memory)
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn(b"larger than", done.stderr)


class FieldsThatMeanSomethingElse(CliTest):

    def setUp(self):
        super().setUp()
        content = chain()
        content["nodes"][1]["colorclass"] = 3
        self.file = self.write("misspelt.json", content)

    def test_strict_refuses_what_is_not_known(self):
        platform = self.write("platform.json", {"version": 1, "classes": [
            {"name": "gpu", "kind": "accelerator", "count": 2, "timefactor": 2}]})
        good = self.write("good.json", chain())
        for command in (["plan"], ["compare"], ["convert", "--to", "workload"], ["sweep", "--vary", "accelerators=1,2"]):
            self.assert_refused(5, command[0], self.file, *command[1:], "--strict",
                                mentions=["nodes[1].colorclass (node id 10)", "did you mean colorClass?"])
        self.assert_refused(5, "plan", good, "--platform", platform, "--strict",
                            mentions=["classes[0].timefactor", "did you mean timeFactor?"])
        self.run_program("plan", good, "--strict", "--quiet")

    def test_layers_are_asked_for_where_there_are_none(self):
        self.assert_refused(2, "plan", self.write("good.json", chain()), "--contract-layers",
                            mentions=["--contract-layers", "layerId"])

    def test_the_unit_is_written_again(self):
        self.write("unit.json", chain(meta={"unit": "ms and bytes"}))
        self.run_program("convert", self.path("unit.json"), "--to", "workload", "-o", self.path("again.json"))
        self.assertEqual(self.read_json("again.json")["unit"], "ms")


if __name__ == "__main__":
    main()
