#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What each solver of integer programs proves: the table of docs/algorithms/integer-programs.md, as Markdown.

usage: bench/backends.py [--partita build/partita] [--seconds 60] [--backends cbc,highs] [--only WORD]

Asks `partita plan --algorithm ip` for every row and backend, one after the other. What is limited is the solver's
processor time (the system ends its process there, and what it has said until then counts), so a busy machine changes
the table little; the wall is limited to five times as much. PARTITA_WORKLOADS names the folder that holds the workloads
(paper/, h200/), ../shared/workloads if it is not set.
"""

import argparse
import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
WORKLOADS = pathlib.Path(os.environ.get("PARTITA_WORKLOADS") or ROOT.parent / "shared" / "workloads")
WALL = 5  # times the processor time

THROUGHPUT, LATENCY = "paper/throughput-inputs/", "paper/latency-inputs/"
# name, file, question
ROWS = [
    ("BERT-3 inference, operators", THROUGHPUT + "OperatorGraphs/bert_l-3_inference.json", "contiguous"),
    ("BERT-6 inference, operators", THROUGHPUT + "OperatorGraphs/bert_l-6_inference.json", "contiguous"),
    ("BERT-24 inference, layers", THROUGHPUT + "LayerGraphs/bert24_inference.json", "contiguous"),
    ("GNMT inference, layers", THROUGHPUT + "LayerGraphs/gnmt_inference.json", "contiguous"),
    ("U-Net inference, h200", "h200/unet-inference.json.gz", "contiguous"),
    ("BERT-3 training, operators", THROUGHPUT + "OperatorGraphs/bert_l-3_training.json", "free"),
    ("BERT-24 inference, layers", THROUGHPUT + "LayerGraphs/bert24_inference.json", "free"),
    ("DLRM inference, h200", "h200/dlrm-inference.json.gz", "free"),
    ("GNMT inference, layers", THROUGHPUT + "LayerGraphs/gnmt_inference.json", "staged"),
    ("GNMT inference, layers", LATENCY + "LayerGraphs/gnmt_inference.json", "latency"),
    ("BERT-24 inference, layers", LATENCY + "LayerGraphs/bert24_inference.json", "latency"),
    ("U-Net inference, h200", "h200/unet-inference.json.gz", "latency"),
]


def limit_processor_time(seconds):
    # The soft limit ends a process by a signal; children inherit it and count for themselves.
    return lambda: resource.setrlimit(resource.RLIMIT_CPU, (seconds, resource.RLIM_INFINITY))


def ask(partita, file, question, backend, seconds):
    """(value, gap, whether it is proved, processor seconds) of one run; value is None where there is no split."""
    options = ["--objective", "latency"] if question == "latency" else ["--shape", question]
    with tempfile.TemporaryDirectory() as folder:
        plan = pathlib.Path(folder) / "plan.json"
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        run = subprocess.run(
            [partita, "plan", str(file), "--algorithm", "ip", "--set", f"mip.backend={backend}", "--threads", "1",
             "--time-limit", f"{WALL * seconds}s", "--quiet", "-o", str(plan), *options],
            stderr=subprocess.PIPE, text=True, preexec_fn=limit_processor_time(seconds))
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        if not plan.is_file():
            print(f"{file}, {question}, {backend}: {run.stderr.strip()}", file=sys.stderr)
            return None, None, False, 0
        answer = json.loads(plan.read_text(encoding="utf-8"))
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return answer["value"], answer["gap"], answer["status"] == "optimal", used


def cell(gap, proved, used):
    if proved:
        return f"proved, {used:.1f} s"
    return f"gap {100 * gap:.2g} %" if gap is not None else "no split"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--partita", default=str(ROOT / "build" / "partita"))
    parser.add_argument("--seconds", type=int, default=60, help="processor time of each run")
    parser.add_argument("--backends", default="cbc,highs")
    parser.add_argument("--only", default="", help="rows whose name, file or question has this in it")
    args = parser.parse_args()
    backends = args.backends.split(",")
    print(f"| Input | Question | Value | {' | '.join(backends)} |")
    print("| --- " * (3 + len(backends)) + "|", flush=True)
    for name, file, question in ROWS:
        if args.only not in f"{name} {file} {question}":
            continue
        if not (WORKLOADS / file).is_file():
            print(f"{WORKLOADS / file} is not there: row left out", file=sys.stderr)
            continue
        answers = [ask(args.partita, WORKLOADS / file, question, backend, args.seconds) for backend in backends]
        values = [value for value, *_ in answers if value is not None]
        best = f"{min(values):.6g}" if values else "-"
        cells = [cell(*rest) + (f" ({value:.6g})" if value is not None and value > min(values) * (1 + 1e-6) else "")
                 for value, *rest in answers]
        print(f"| {name} | {question} | {best} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
