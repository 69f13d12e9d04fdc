# SPDX-License-Identifier: Apache-2.0
"""The tables of staged splits on other devices than the paper's: transfers beside compute, copies, clusters, two
speeds."""

import json

from harness import PLAN_COLUMNS, Table, missed, plan

COLUMNS = [column for column in PLAN_COLUMNS if column[0] not in ("known", "")]  # nobody has published any


def is_training(path):
    return "training" in path.name


def two_speeds(args, path):
    """The workload's accelerators as three fast ones and three that take twice as long."""
    workload = json.loads(path.read_text(encoding="utf-8"))
    memory = workload["maxSizePerFPGA"]
    platform = {
        "version": 1,
        "classes": [
            {"name": "fast", "kind": "accelerator", "count": 3, "memory": memory},
            {"name": "slow", "kind": "accelerator", "count": 3, "memory": memory, "timeFactor": 2},
            {"name": "cpu", "kind": "host", "count": workload["maxCPUs"]},
        ],
    }
    file = args.output.parent / "two-speeds.json"
    file.write_text(json.dumps(platform) + "\n", encoding="utf-8")
    return ("--platform", str(file))


def questions(args, path, spec):
    """Each question by its name: the options that ask it."""
    copies = ("--accelerators", "6", "--replicate", "6")
    if is_training(path):
        copies += ("--sync-bandwidth", str(spec["sync_bandwidth"]))
    return {
        "overlap": ("--transfers", "overlap"),
        "duplex": ("--transfers", "duplex"),
        "copies on 6": copies,
        "2 clusters of 3": ("--accelerators", "6", "--clusters", "2:0.1"),
        "3 fast, 3 slow": two_speeds(args, path),
    }


def run_setups(args, title, group, instances, record):
    if not instances or "setups" not in group:
        return
    spec = group["setups"]
    limit = args.time_limit or spec["time_limit"]
    for question in questions(args, instances[0][1], spec):
        table = Table(f"{title}: staged, {question}, {limit:g} s", COLUMNS, [name for name, _, _ in instances])
        for name, path, _ in instances:
            row = {"name": name, "group": title, "question": question, "time_limit": limit}
            row |= plan(args, path, limit, question=questions(args, path, spec)[question])
            row["missed"] = missed(row, spec["target"])
            table.add(row)
        record["setups"] += table.rows
        record["totals"][f"{title} {question}"] = table.total({})
