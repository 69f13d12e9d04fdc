#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Plans every workload of examples/ and compares with the best values that examples/README.md promises: those of the
workloads as they are, and those of workloads with options behind their names, among them platforms of examples/.

usage: examples_keep_their_word.py SOURCE_DIR PARTITA PARTITA_CHECK
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile

ROW = re.compile(r"^\| `([^`]+)` \|.*\| ([0-9.]+) \|$", re.MULTILINE)
TOLERANCE = 1e-6  # the README's values are rounded to 7 digits


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    folder = pathlib.Path(sys.argv[1]) / "examples"
    partita, checker = sys.argv[2:]
    promised = dict(ROW.findall((folder / "README.md").read_text(encoding="utf-8")))
    used = {word for row in promised for word in row.split() if ".json" in word}
    # Models are no workloads: they have no times yet.
    present = {str(path.relative_to(folder)) for path in folder.rglob("*.json*") if path.parent != folder / "models"}
    failures = [f"{name}: in examples/README.md or in the folder, but not in both" for name in sorted(present ^ used)]
    for row, best in sorted(promised.items()):
        workload, *options = [str(folder / word) if word in present else word for word in row.split()]
        with tempfile.TemporaryDirectory() as scratch:
            output = pathlib.Path(scratch) / "plan.json"
            command = [partita, "plan", workload, *options, "--quiet", "--time-limit", "60", "-o", str(output)]
            subprocess.run(command, check=True)
            plan = json.loads(output.read_text(encoding="utf-8"))
            subprocess.run([checker, workload, str(output), *options], check=True, stdout=subprocess.DEVNULL)
        value, best = plan["value"], float(best)
        print(f"{row}: {plan['status']} {value}, promised {best}")
        if plan["status"] != "optimal" or abs(value - best) > TOLERANCE * best:
            failures.append(f"{row}: {plan['status']} {value}, but examples/README.md promises optimal {best}")
    for failure in failures:
        print(failure)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
