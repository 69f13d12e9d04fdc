#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a plan takes more through Python than the search itself.

usage: python_overhead.py [FILE] [--repeat N]

The search measures itself (`Plan.seconds` is the time of the C++ call), and the clock around `plan` the whole: what
lies between them is Python's. Also the time of `import partita`, in a process of its own. Prints a table of medians.
"""

import argparse
import statistics
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "python"))

IMPORT = "import time; t = time.perf_counter(); import partita; print(time.perf_counter() - t)"
USE = "import time; t = time.perf_counter(); from partita import Graph, Platform, plan; print(time.perf_counter() - t)"


def seconds_of(script):
    command = [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(ROOT / 'python')!r}); {script}"]
    return float(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("file", nargs="?", default=str(ROOT / "examples" / "with-host.json"))
    parser.add_argument("--repeat", type=int, default=50)
    arguments = parser.parse_args()

    from partita import Graph, plan

    graph = Graph.read(arguments.file)
    over, over_with_callback = [], []
    for _ in range(arguments.repeat):
        for times, callback in ((over, None), (over_with_callback, lambda *news: None)):
            start = time.perf_counter()
            found = plan(graph, callback=callback, progress=False)
            times.append(time.perf_counter() - start - found.seconds)
    rows = [
        ("plan: Python over the search", statistics.median(over)),
        ("plan with a callback", statistics.median(over_with_callback)),
        ("import partita", statistics.median(seconds_of(IMPORT) for _ in range(5))),
        ("import partita, Graph, Platform, plan", statistics.median(seconds_of(USE) for _ in range(5))),
    ]
    for name, seconds in rows:
        print(f"{name:<40} {seconds * 1e3:8.3f} ms")


if __name__ == "__main__":
    main()
