# SPDX-License-Identifier: Apache-2.0
"""Help, version and shell completion."""

import os
import re
import shutil
import subprocess

from harness import PARTITA, PARTITA_CHECK, CliTest, main

COMMANDS = ("plan", "check", "compare", "sweep", "simulate", "diff", "split", "export", "bench", "convert",
            "calibrate", "platforms", "completion", "help")


class Help(CliTest):
    def test_every_help_ends_with_examples_and_where_the_exit_codes_are(self):
        for arguments in ([], *([c] for c in COMMANDS)):
            out, err = self.run_program(*arguments, "--help")
            self.assertEqual(err, "")
            self.assertRegex(out, r"(?s)\nExamples?:\n(  \S[^\n]*\n)+\nExit codes: `partita help exit-codes`\n$")
            self.assertEqual(out, self.run_program(*arguments, "-h")[0])
            self.assertEqual(out, self.run_program("help", *arguments)[0])
        out, _ = self.run_program("--help", program=PARTITA_CHECK)
        self.assertRegex(out, r"Exit codes:\n +0  done")

    def test_exit_codes_are_a_topic(self):
        out, _ = self.run_program("help", "exit-codes")
        self.assertRegex(out, r"^Exit codes:\n +0  done")
        self.assertEqual([int(code) for code in re.findall(r"(?m)^ +(\d+)  ", out)], list(range(15)))

    def test_options_are_in_groups(self):
        out, _ = self.run_program("plan", "--help")
        groups = re.findall(r"(?m)^([A-Z]\w+):$", out)
        self.assertEqual(groups, ["Arguments", "Question", "Devices", "Search", "Output", "Other", "Examples"])
        self.assertRegex(out, r"(?s)\nDevices:\n  --platform .*\n  --accelerators .*\nSearch:\n.*--time-limit")

    def test_wraps_at_the_width_of_the_terminal(self):
        for command in COMMANDS:
            for columns in (60, 80, 120):
                _, shown = self.run_on_terminal(command, "--help", columns=columns, both=True)
                lines = [line for line in shown.splitlines() if not re.match("  (partita|source) ", line)]
                self.assertLessEqual(max(map(len, lines)), columns, shown)
                if command == "plan":
                    self.assertGreater(max(map(len, lines)), columns - 10, shown)

    def test_plan_explains_its_progress_lines(self):
        out, _ = self.run_program("plan", "--help")
        for code in "rsb.d":
            self.assertRegex(out, rf"(?m)^  {re.escape(code)}  \w")

    def test_lines_are_not_too_long(self):
        for command in COMMANDS:
            for line in self.run_program(command, "--help")[0].splitlines():
                self.assertLessEqual(len(line), 80, line)

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
        bash, fish, zsh = (self.script(shell) for shell in ("bash", "fish", "zsh"))
        for command in COMMANDS:
            help_text, _ = self.run_program(command, "--help")
            help_text = help_text[:help_text.find("What is read")]  # where options are mentioned again
            options = set(re.findall(r"(?m)^  (?:-\w,)?--([a-z-]+)", help_text))
            self.assertIn("help", options)
            for option in options:
                self.assertRegex(bash, rf"(?m)^ +{command}\) .*--{option}[ ']")
                self.assertRegex(fish, rf"(?m)seen_subcommand_from {command}'.* -l {option} ")
                self.assertIn(f"--{option}[", zsh)

    def complete(self, *words):
        script = (f'source <("{PARTITA}" completion bash); COMP_WORDS=(partita "$@"); COMP_CWORD=$#; '
                  '_partita; echo "${COMPREPLY[*]}"')
        done = subprocess.run(["bash", "-c", script, "bash", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              timeout=60, check=True)
        return done.stdout.decode().split()

    def test_bash_offers_what_fits(self):
        self.assertEqual(self.complete("pl"), ["plan", "platforms"])
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
        self.assertEqual(self.complete("bench", ""), ["paper"])
        self.assertEqual(set(self.complete("help", "")), {*COMMANDS, "exit-codes", "settings"})

    def test_bash_offers_what_can_be_varied_and_lists_of_algorithms(self):
        self.assertEqual(self.complete("sweep", "model.json", "--vary", ""),
                         ["accelerators=", "hosts=", "memory=", "bandwidth="])
        self.assertEqual(self.complete("sweep", "--vary", "me"), ["memory="])
        self.assertEqual(self.complete("sweep", "--vary", "accelerators", "="), [])
        self.assertEqual(self.complete("sweep", "--vary", "accelerators", "=", "1.."), [])
        self.assertEqual(self.complete("compare", "--algorithms", "gre"), ["greedy"])
        self.assertEqual(self.complete("compare", "--algorithms", "dp,dpl,gre"), ["dp,dpl,greedy"])
        self.assertIn("local-search", self.complete("compare", "--algorithms", ""))

    def test_bash_knows_options_with_an_equals_sign(self):
        self.assertEqual(self.complete("plan", "--shape", "=", "st"), ["staged"])
        self.assertEqual(self.complete("plan", "--shape", "="), ["staged", "contiguous", "free"])

    def test_fish_offers_the_same(self):
        if not shutil.which("fish"):
            self.skipTest("no fish on this system")
        file = self.write("script", self.script("fish"))

        def complete(line):
            done = subprocess.run(["fish", "--no-config", "-c", f"source {file}; complete -C '{line}'"],
                                  stdout=subprocess.PIPE, timeout=60, check=True, env=os.environ | {"HOME": self.folder})
            return [text.split("\t")[0] for text in done.stdout.decode().splitlines()]

        self.assertEqual(complete("partita sweep --vary m"), ["memory="])
        self.assertEqual(complete("partita compare --algorithms dp,gre"), ["dp,greedy"])
        self.assertEqual(complete("partita bench "), ["paper"])
        self.assertEqual(set(complete("partita plan --shape ")), {"staged", "contiguous", "free"})

    def test_zsh_offers_the_same(self):
        script = self.script("zsh")
        self.assertIn(':PARAMETER=RANGE: compadd -S "" -- accelerators= hosts= memory= bandwidth=', script)
        self.assertRegex(script, ": _values -s , value auto [^']*greedy")
        self.assertIn(":value:(paper)", script)


if __name__ == "__main__":
    main()
