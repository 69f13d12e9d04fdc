#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What each technique is worth: plans a workload as it is, then with each switch turned off, and prints a table.

    bench/ablation.py build/partita model.json --time-limit 10 -- --shape free

What stands behind -- are options of `partita plan`. Only switches of solvers that the plain run used are tried, as its
statistics tell; --all tries every one. docs/options.md describes the settings.
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile


def switches(program):
    page = subprocess.run([program, "help", "settings"], stdout=subprocess.PIPE, text=True, check=True).stdout
    return re.findall(r"(?m)^  (\w+\.\w+)=true", page)


def plan(args, settings):
    with tempfile.TemporaryDirectory() as folder:
        output = pathlib.Path(folder) / "plan.json"
        command = [args.program, "plan", args.workload, "-q", "--stats", "-o", output,
                   "--time-limit", str(args.time_limit)]
        for setting in settings:
            command += ["--set", setting]
        done = subprocess.run([*map(str, command), *args.options], stderr=subprocess.PIPE, text=True, check=False)
        if not output.is_file():
            sys.exit(done.stderr.strip())
        return json.loads(output.read_text(encoding="utf-8"))


def show(name, answer, plain):
    def number(value):
        return "-" if value is None else f"{value:.6g}"

    def change(key):
        old, new = plain.get(key), answer.get(key)
        return "" if not old or new is None or new == old else f"{100 * (new / old - 1):+.2f}%"

    gap = "-" if answer["gap"] is None else f"{100 * answer['gap']:.2f}%"
    print(f"{name:34} {answer['seconds']:8.2f} {number(answer['value']):>12} {change('value'):>9} "
          f"{number(answer['bound']):>12} {change('bound'):>9} {gap:>8}  {answer['status']}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", help="the program partita")
    parser.add_argument("workload")
    parser.add_argument("--time-limit", type=float, default=10, help="seconds for each plan (default 10)")
    parser.add_argument("--all", action="store_true", help="also switches of solvers that were not used")
    arguments = sys.argv[1:]
    rest = arguments.index("--") if "--" in arguments else len(arguments)
    args = parser.parse_args(arguments[:rest])
    args.options = arguments[rest + 1:]
    plain = plan(args, [])
    used = {row["technique"].split(".")[0] for row in plain["statistics"]} | {"portfolio"}
    print(f"{'without':34} {'seconds':>8} {'value':>12} {'':>9} {'bound':>12} {'':>9} {'gap':>8}  status")
    show("(nothing: as it is)", plain, plain)
    for switch in switches(args.program):
        if args.all or switch.split(".")[0] in used:
            show(switch, plan(args, [f"{switch}=false"]), plain)


if __name__ == "__main__":
    main()
