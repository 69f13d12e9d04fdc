# SPDX-License-Identifier: Apache-2.0
"""The tables of latency: the time of one sample, for the published inputs, harder versions of them, and measured
models."""

import gzip
import json
import math
import subprocess

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


def run_table(title, columns, instances, time_limit, record, make_row):
    """One table; make_row(name, path, target, limit) gives a row that is judged already."""
    table = Table(f"{title}, {time_limit:g} s", columns, [name for name, _, _ in instances])
    for name, path, target in instances:
        row = {"name": name, "group": title, "time_limit": time_limit} | make_row(name, path, target)
        table.add(row)
    record["latency"] += table.rows
    record["totals"][title] = table.total({})


def planned(args, path, limit, target, *options):
    row = plan(args, path, limit, question=(*LATENCY, *options))
    row["missed"] = missed(row, target)
    return row


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

        run_table(f"{title}: latency, {part}", PLAN_COLUMNS, instances, limit, record, make_row)


def with_cheap_transfers(args, title, spec, instances, record):
    limit = args.time_limit or spec["time_limit"]

    def make_row(name, path, _):
        workload = read_workload(path)
        for edge in workload["edges"]:
            edge["cost"] *= spec["factor"]
        changed = args.output.parent / "cheap.json"
        changed.write_text(json.dumps(workload), encoding="utf-8")
        return planned(args, changed, limit, spec["target"])

    run_table(f"{title}: latency, transfers x {spec['factor']:g}", PLAN_COLUMNS, instances, limit, record, make_row)


def on_few_accelerators(args, title, spec, instances, record):
    """As few as can hold the model, if nothing is on a host."""
    limit = args.time_limit or spec["time_limit"]

    def make_row(name, path, _):
        workload = read_workload(path)
        fewest = math.ceil(total_memory(workload) / workload["maxSizePerFPGA"])
        return planned(args, path, limit, spec["target"], "--accelerators", str(fewest)) | {"accelerators": fewest}

    columns = PLAN_COLUMNS[:1] + [("k", lambda r: text(r["accelerators"], "d"))] + PLAN_COLUMNS[1:]
    run_table(f"{title}: latency, fewest accelerators", columns, instances, limit, record, make_row)


def baselines(args, path, question, time_limit):
    """What others would give: {algorithm: latency}, legal splits only."""
    names = "greedy,max-load-for-latency"
    output = args.output.parent / "compared.json"
    output.unlink(missing_ok=True)
    command = [args.build / "partita", "compare", path, *question, "--algorithms", names, "--time-limit", time_limit,
               "--format", "json", "--quiet", "-o", output]
    subprocess.run([str(part) for part in command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    if not output.is_file():
        return {}
    answers = json.loads(output.read_text(encoding="utf-8"))["workloads"][0]["algorithms"]
    return {answer["algorithm"]: answer["value"] for answer in answers if answer.get("legal")}


def with_little_memory(args, title, spec, instances, record):
    """Memory such that the model needs so many accelerators; better than what one would do without a solver."""
    limit = args.time_limit or spec["time_limit"]

    def make_row(name, path, _):
        workload = read_workload(path)
        memory = max(total_memory(workload) / (spec["accelerators"] - 0.5), largest_piece(workload))
        question = (*LATENCY, "--memory", f"{memory:.0f}")
        row = plan(args, path, limit, question=question)
        others = baselines(args, path, question, spec["baseline_seconds"])
        row["greedy"], row["for_throughput"] = others.get("greedy"), others.get("max-load-for-latency")
        better = [value * (1 - 1e-6) for value in (row["greedy"], row["for_throughput"]) if value is not None]
        row["missed"] = missed(row, {"value": min(better, default=math.inf), "gap": spec["gap"]})
        return row

    columns = PLAN_COLUMNS[:5] + [("greedy", lambda r: text(r["greedy"], ".5g")),
                                  ("throughput split", lambda r: text(r["for_throughput"], ".5g"))] + PLAN_COLUMNS[7:]
    wanted = [instance for instance in instances if instance[0].endswith(spec["ending"])]
    run_table(f"{title}: latency, memory for {spec['accelerators']} accelerators", columns, wanted, limit, record,
              make_row)


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
    if "little_memory" in spec:
        with_little_memory(args, title, spec["little_memory"], instances, record)
