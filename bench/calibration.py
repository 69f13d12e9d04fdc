#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How good predicted costs are: `partita calibrate` on half of the measured models, the other half predicted, both
ways round.

For each model that the fit has not seen: the measured and the predicted sum of its operators' times, and what a split
that was found on predicted times is worth on measured ones, against the best split found on measured times and the
bound on any. Markdown on standard output.

    bench/calibration.py [--partita build/partita] [--workloads DIR] [--time-limit 20s]
"""

import argparse
import gzip
import json
import os
import re
import subprocess
import sys
import tempfile

HALVES = [["bert-large", "densenet-201", "llama-1b", "unet"], ["gpt2-medium", "inception-v3", "moe-8x8", "dlrm"]]
PHASES = ["inference", "training"]


def read(path):
    with (gzip.open if path.endswith(".gz") else open)(path, "rt") as file:
        return json.load(file)


def total(path):
    return sum(node.get("fpgaLatency") or 0 for node in read(path)["nodes"])


def run(program, *arguments):
    return subprocess.run([program, *arguments], check=True, capture_output=True, text=True).stdout


def plan(program, workload, output, limit):
    run(program, "plan", workload, "--time-limit", limit, "-q", "-o", output)
    return read(output)


def value_on(program, workload, plan_file):
    """What a plan's split is worth on other costs: without the values that the plan claims, which are of its own."""
    split = json.loads(run(program, "convert", plan_file, "--to", "seed"), object_hook=lambda o: {
        key: value for key, value in o.items() if key not in ("maxLoad", "load")})
    file = plan_file + ".seed"
    with open(file, "w") as out:
        json.dump(split, out)
    return float(re.search(r"^value: (\S+)", run(program, "check", workload, file), re.MULTILINE).group(1))


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--partita", default=os.path.join(here, "..", "build", "partita"))
    parser.add_argument("--workloads", default=os.path.join(here, "..", "..", "shared", "workloads", "h200"))
    parser.add_argument("--time-limit", default="20s", help="of each search for a split (default 20s)")
    parser.add_argument("--device", default="h200")
    arguments = parser.parse_args()

    def measured(model, phase):
        return os.path.join(arguments.workloads, f"{model}-{phase}.json.gz")

    missing = [m for half in HALVES for m in half if not os.path.exists(measured(m, PHASES[0]))]
    if missing:
        sys.exit(f"{arguments.workloads} has no {missing[0]}-{PHASES[0]}.json.gz; say with --workloads where they are")
    print("| model | measured (ms) | predicted (ms) | error | best split | bound | split of predicted costs "
          "| worse by |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    with tempfile.TemporaryDirectory() as folder:
        for fitted, tested in (HALVES, HALVES[::-1]):
            run(arguments.partita, "calibrate", *[measured(m, p) for m in fitted for p in PHASES], "--device",
                arguments.device, "--test", *[measured(m, p) for m in tested for p in PHASES], "--predict", folder)
            sums = [0, 0]
            for model in tested:
                for phase in PHASES:
                    file = measured(model, phase)
                    predicted = os.path.join(folder, f"{model}-{phase}.json")
                    best = plan(arguments.partita, file, os.path.join(folder, "best.json"), arguments.time_limit)
                    split = os.path.join(folder, "split.json")
                    plan(arguments.partita, predicted, split, arguments.time_limit)
                    value = value_on(arguments.partita, file, split)
                    least = min(value, best["value"])  # a search that a limit ended may miss the better one
                    times = total(file), total(predicted)
                    sums = [sums[0] + times[0], sums[1] + times[1]]
                    print(f"| {model}-{phase} | {times[0]:.2f} | {times[1]:.2f} | {times[1] / times[0] - 1:+.1%} | "
                          f"{least:.3f} | {best['bound']:.3f} | {value:.3f} | {value / least - 1:.1%} |", flush=True)
            print(f"| **fitted to {', '.join(fitted)}** | {sums[0]:.2f} | {sums[1]:.2f} | "
                  f"**{sums[1] / sums[0] - 1:+.1%}** | | | | |", flush=True)


if __name__ == "__main__":
    main()
