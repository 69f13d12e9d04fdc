# SPDX-License-Identifier: Apache-2.0
"""Help, version and shell completion."""

import re
import shutil
import subprocess

from harness import PARTITA, PARTITA_CHECK, CliTest, main

COMMANDS = ("plan", "check", "compare", "sweep", "simulate", "bench", "convert", "completion")


class Help(CliTest):
    def test_every_help_has_an_example_and_the_exit_codes(self):
        for arguments in ([], *([c] for c in COMMANDS)):
            out, err = self.run_program(*arguments, "--help")
            self.assertEqual(err, "")
            self.assertIn("Example", out)
            self.assertRegex(out, r"Exit codes:\n +0  done")
            self.assertIn("\n  13  ", out)
            self.assertEqual(out, self.run_program(*arguments, "-h")[0])
        out, _ = self.run_program("--help", program=PARTITA_CHECK)
        self.assertIn("Exit codes:", out)

    def test_plan_explains_its_progress_lines(self):
        out, _ = self.run_program("plan", "--help")
        for code in "rsb.d":
            self.assertRegex(out, rf"(?m)^  {re.escape(code)}  \w")

    def test_lines_are_not_too_long(self):
        for command in COMMANDS:
            for line in self.run_program(command, "--help")[0].splitlines():
                self.assertLessEqual(len(line), 125, line)

    def test_version(self):
        out, _ = self.run_program("--version")
        self.assertRegex(out, r"^partita \d+\.\d+\.\d+\n$")


class Completion(CliTest):
    def script(self, shell):
        return self.run_program("completion", shell)[0]

    def test_scripts_parse(self):
        for shell in ("bash", "zsh", "fish"):
            with self.subTest(shell=shell):
                file = self.write("script", self.script(shell))
                if shutil.which(shell):
                    subprocess.run([shell, "-n", file], check=True, timeout=60)

    def test_scripts_know_every_option_in_the_help(self):
        for command in COMMANDS:
            help_text, _ = self.run_program(command, "--help")
            options = set(re.findall(r"(?m)^  (?:-\w,)?--([a-z-]+)", help_text))
            self.assertIn("help", options)
            for option in options:
                self.assertRegex(self.script("bash"), rf"(?m)^ +{command}\) .*--{option}[ ']")
                self.assertRegex(self.script("fish"), rf"(?m)seen_subcommand_from {command}'.* -l {option} ")
                self.assertIn(f"--{option}[", self.script("zsh"))

    def complete(self, *words):
        script = (f'source <("{PARTITA}" completion bash); COMP_WORDS=(partita "$@"); COMP_CWORD=$#; '
                  '_partita; echo "${COMPREPLY[*]}"')
        done = subprocess.run(["bash", "-c", script, "bash", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              timeout=60, check=True)
        return done.stdout.decode().split()

    def test_bash_offers_what_fits(self):
        self.assertEqual(self.complete("pl"), ["plan"])
        self.assertEqual(set(self.complete("")), {*COMMANDS, "-h", "--help", "--version"})
        self.assertEqual(self.complete("plan", "--shape", ""), ["staged", "contiguous", "free"])
        self.assertEqual(self.complete("plan", "model.json", "--objective", "t"), ["throughput"])
        self.assertEqual(self.complete("plan", "--time"), ["--time-limit"])
        self.assertEqual(self.complete("check", "--host-cores", ""), ["unlimited", "strict"])
        self.assertEqual(self.complete("plan", "--subgraphs", ""), [])
        self.assertEqual(self.complete("plan", "--gap", ""), [])
        self.assertEqual(self.complete("convert", "plan.json", "--to", "s"), ["seed"])
        self.assertEqual(self.complete("compare", "a.json", "b.json", "--format", ""), ["table", "json", "markdown"])
        self.assertEqual(self.complete("completion", ""), ["bash", "zsh", "fish"])


if __name__ == "__main__":
    main()
