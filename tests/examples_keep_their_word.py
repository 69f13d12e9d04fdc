#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Plans every workload of examples/ and compares with the best values that examples/README.md promises.

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
    present = {path.name for path in folder.glob("*.json*")}
    failures = [f"{name}: in examples/README.md or in the folder, but not in both" for name in present ^ set(promised)]
    for name in sorted(present & set(promised)):
        with tempfile.TemporaryDirectory() as scratch:
            output = pathlib.Path(scratch) / "plan.json"
            command = [partita, "plan", str(folder / name), "--quiet", "--time-limit", "60", "-o", str(output)]
            subprocess.run(command, check=True)
            plan = json.loads(output.read_text(encoding="utf-8"))
            subprocess.run([checker, str(folder / name), str(output)], check=True, stdout=subprocess.DEVNULL)
        value, best = plan["value"], float(promised[name])
        print(f"{name}: {plan['status']} {value}, promised {best}")
        if plan["status"] != "optimal" or abs(value - best) > TOLERANCE * best:
            failures.append(f"{name}: {plan['status']} {value}, but examples/README.md promises optimal {best}")
    for failure in failures:
        print(failure)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
