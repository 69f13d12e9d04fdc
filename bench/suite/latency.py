# SPDX-License-Identifier: Apache-2.0
"""The tables of latency: the time of one sample, for the published inputs, harder versions of them, and measured models."""

import gzip
import json
import math

from harness import PLAN_COLUMNS, Table, compare, missed, plan, text

LATENCY = ("--objective", "latency")


def read_workload(path):
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt", encoding="utf-8") as file:
        return json.load(file)


def total_memory(workload):
    return sum(node.get("size", 0) for node in workload["nodes"])


def largest_piece(workload):
    """The memory of the largest node, or of the largest set of nodes that share a device."""
    pieces = {}
    for node in workload["nodes"]:
        colour = node.get("colorClass")
        key = ("node", node["id"]) if colour is None else ("colour", colour)
        pieces[key] = pieces.get(key, 0) + node.get("size", 0)
    return max(pieces.values(), default=0)


def run_table(args, title, columns, instances, time_limit, record, make_row):
    """One table; make_row(name, path, target, limit) gives a row that is judged already."""
    table = Table(f"{title}, {time_limit:g} s", columns, [name for name, _, _ in instances])
    for name, path, target in instances:
        row = {"name": name, "group": title, "time_limit": time_limit} | make_row(name, path, target)
        table.add(row)
    record["latency"] += table.rows
    record["totals"][title] = table.total({})


def as_published(args, title, spec, instances, known, record):
    for part in ("quick", "proof"):
        limit = args.time_limit or spec[part]["time_limit"]

        def make_row(name, path, _, part=part, limit=limit):
            row = plan(args, path, limit, question=LATENCY)
            best = known.get(name, {}).get("latency")
            compare(row, best)
            target = spec[part]["target"]
            if part == "proof" and best is not None and best["status"] != "optimal":
                target = spec[part]["open_target"]
            row["missed"] = missed(row, target)
            return row

        run_table(args, f"{title}: latency, {part}", PLAN_COLUMNS, instances, limit, record, make_row)


def with_cheap_transfers(args, title, spec, instances, record):
    limit = args.time_limit or spec["time_limit"]

    def make_row(name, path, _):
        workload = read_workload(path)
        for edge in workload["edges"]:
            edge["cost"] *= spec["factor"]
        changed = args.output.parent / "cheap.json"
        changed.write_text(json.dumps(workload), encoding="utf-8")
        row = plan(args, changed, limit, question=LATENCY)
        row["missed"] = missed(row, spec["target"])
        return row

    run_table(args, f"{title}: latency, transfers x {spec['factor']:g}", PLAN_COLUMNS, instances, limit, record, make_row)


def on_few_accelerators(args, title, spec, instances, record):
    """As few as can hold the model, if nothing is on a host."""
    limit = args.time_limit or spec["time_limit"]

    def make_row(name, path, _):
        workload = read_workload(path)
        fewest = math.ceil(total_memory(workload) / workload["maxSizePerFPGA"])
        row = plan(args, path, limit, question=(*LATENCY, "--accelerators", str(fewest)))
        row["accelerators"] = fewest
        row["missed"] = missed(row, spec["target"])
        return row

    columns = PLAN_COLUMNS[:1] + [("k", lambda r: text(r["accelerators"], "d"))] + PLAN_COLUMNS[1:]
    run_table(args, f"{title}: latency, fewest accelerators", columns, instances, limit, record, make_row)


def run_latency(args, title, group, instances, known, record):
    spec = group.get("latency", {})
    if not instances:
        return
    if "quick" in spec:
        as_published(args, title, spec, instances, known, record)
    if "cheap" in spec:
        with_cheap_transfers(args, title, spec["cheap"], instances, record)
    if "few" in spec:
        on_few_accelerators(args, title, spec["few"], instances, record)
