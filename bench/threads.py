#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How much sooner several threads answer hard questions than one: `bench/threads.py --workloads FOLDER`.

Each question is asked with one thread and with several (--threads: 2,4,16), for the same time at most. Where both prove
it, the speed-up is the quotient of their times; elsewhere it has none, and the gaps left tell. `work` is the processor
time of several threads over that of one: what sharing costs. Loaded machines make speed-ups meaningless, never `work`.

Questions that one thread answers in 2 to 30 s come first. `--within 360 --time-limit 40 --threads 2,16` is a look at
those that takes six minutes: no question is begun that could take longer.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

# Files are named as below the folder of workloads; those that are not there are left out.
QUESTIONS = [
    ("h200/llama-1b-inference.json.gz", ["--shape", "contiguous"]),
    ("paper/throughput-inputs/LayerGraphs/inceptionv3_inference.json", ["--shape", "contiguous"]),
    ("h200/llama-1b-training.json.gz", []),
    ("paper/throughput-inputs/OperatorGraphs/bert_L-12_training.json", ["--shape", "free"]),
    ("paper/throughput-inputs/LayerGraphs/inceptionv3_training.json", ["--transfers", "overlap"]),
    ("paper/throughput-inputs/LayerGraphs/inceptionv3_training.json", ["--objective", "gpipe"]),
    ("h200/moe-8x8-inference.json.gz", []),
    ("h200/bert-large-training.json.gz", []),
    ("h200/bert-large-inference.json.gz", ["--shape", "contiguous"]),
    ("h200/densenet-201-inference.json.gz", ["--shape", "contiguous"]),
    ("paper/throughput-inputs/LayerGraphs/inceptionv3_training.json", ["--replicate", "2", "--sync-bandwidth", "inf"]),
    ("paper/throughput-inputs/OperatorGraphs/resnet50_training.json", ["--replicate", "2", "--sync-bandwidth", "inf"]),
    ("paper/throughput-inputs/OperatorGraphs/bert_L-12_training.json", []),
    ("paper/throughput-inputs/OperatorGraphs/bert_l-6_training.json", ["--shape", "free"]),
    ("paper/throughput-inputs/OperatorGraphs/bert_l-6_inference.json", ["--shape", "contiguous"]),
    ("h200/inception-v3-training.json.gz", ["--memory-model", "1f1b"]),
    ("h200/gpt2-medium-training.json.gz", ["--memory-model", "1f1b", "--recompute"]),
    ("h200/densenet-201-training.json.gz", []),
    ("h200/moe-8x8-training.json.gz", []),
    ("h200/dlrm-training.json.gz", []),
    ("paper/throughput-inputs/LayerGraphs/inceptionv3_training.json", ["--shape", "free"]),
    ("h200/bert-large-inference.json.gz", ["--shape", "free"]),
    ("h200/densenet-201-inference.json.gz", []),
]


def ask(args, file, question, threads):
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / "plan.json"
        command = [args.partita, "plan", file, *question, "--threads", threads, "--time-limit", args.time_limit, "-q",
                   "-o", output]
        before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
        done = subprocess.run([str(part) for part in command], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                              text=True, check=False)
        wall, after = time.monotonic() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
        row = {"threads": threads, "seconds": wall,
               "cpu": after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime}
        if not output.is_file():
            return row | {"status": done.stderr.strip() or "no plan"}
        answer = json.loads(output.read_text(encoding="utf-8"))
        return row | {key: answer.get(key) for key in ("status", "value", "bound", "gap")}


def text_of(row):
    if row["status"] == "optimal":
        return f"{row['seconds']:8.2f} s"
    gap = row.get("gap")
    return f"{100 * gap:7.2f} %" if gap is not None else row["status"][:10]


def contradiction(one, other):
    """Whether two answers to one question cannot both be true."""
    if one.get("value") is None or other.get("value") is None:
        return False
    return one["bound"] > other["value"] * (1 + 1e-9) or other["bound"] > one["value"] * (1 + 1e-9)


def main():
    root = Path(__file__).resolve().parent.parent
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--partita", type=Path, default=root / "build" / "partita")
    parser.add_argument("--workloads", type=Path, default=os.environ.get("PARTITA_WORKLOADS"))
    parser.add_argument("--threads", default=str(os.cpu_count()), help="numbers of threads to compare with one: 2,16")
    parser.add_argument("--time-limit", type=float, default=60)
    parser.add_argument("--within", type=float, default=float("inf"), help="seconds for all questions together")
    parser.add_argument("--only", default="", help="questions whose file or options contain this text")
    parser.add_argument("--output", type=Path, help="all numbers, as JSON")
    args = parser.parse_args()
    if args.workloads is None:
        parser.error("--workloads FOLDER, or PARTITA_WORKLOADS, says where the questions are")
    several = [int(number) for number in args.threads.split(",")]
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores, at most {args.time_limit:g} s each")
    head = "".join(f"{f'{n} threads':>12}{'speed-up':>10}{'work':>7}" for n in several)
    print(f"{'question':58}{'1 thread':>12}{head}")
    rows, wrong, begun = [], 0, time.monotonic()
    for name, question in QUESTIONS:
        file = args.workloads / name
        title = " ".join([name.rsplit("/", 1)[-1].split(".")[0], *question])
        if not file.is_file() or args.only not in title:
            continue
        if time.monotonic() - begun + (1 + len(several)) * args.time_limit > args.within:
            print("out of time: the questions that follow were not asked")
            break
        one = ask(args, file, question, 1)
        line = f"{title:58}{text_of(one):>12}"
        answers = [one]
        for threads in several:
            row = ask(args, file, question, threads)
            answers.append(row)
            both = one["status"] == row["status"] == "optimal"
            speed = f"{one['seconds'] / row['seconds']:.2f}" if both else "-"
            work = f"{row['cpu'] / one['cpu']:.2f}" if both else "-"
            line += f"{text_of(row):>12}{speed:>10}{work:>7}"
            if contradiction(one, row):
                wrong += 1
                line += "  contradiction!"
        print(line, flush=True)
        rows.append({"question": title, "answers": answers})
    if args.output:
        args.output.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
