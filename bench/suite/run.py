#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the benchmark suite: every workload found, one thread, one after the other.

Each plan is verified by partita-check and compared with the best known values; each row is held against its target in
instances.json. Prints tables and writes them as JSON, stamped with commit, compiler and machine. Exits with 1 if a plan
was wrong (not legal, or its value not confirmed); a missed target is only marked.
"""

import argparse
import datetime
import json
import os
import pathlib
import platform
import re
import subprocess
import sys

from harness import PLAN_COLUMNS, SAME, Table, compare, missed, plan, text
from latency import run_latency
from schedules import run_schedules
from setups import run_setups

ROOT = pathlib.Path(__file__).resolve().parents[2]

TABLES = ("staged", "linear", "quick", "free", "contiguous", "in_flight", "latency", "setups", "schedules")
TARGET_COLUMN = ("target", lambda r: "MISSED: " + r["missed"] if r["missed"] else "met")
PUBLISHED_COLUMNS = [
    ("workload", lambda r: r["name"]),
    ("value", lambda r: text(r["value"], ".7g")),
    ("published", lambda r: text(r.get("published"), ".7g")),
]
LINEAR_COLUMNS = [
    *PUBLISHED_COLUMNS,
    ("best known", lambda r: text(r.get("known_value"), ".7g")),
    ("seconds", lambda r: text(r["seconds"], ".3f")),
    ("solving", lambda r: text(r.get("solver_seconds"), ".3f")),
    ("MB", lambda r: text(r["megabytes"], ".0f")),
    TARGET_COLUMN,
]
QUICK_COLUMNS = [
    *PUBLISHED_COLUMNS,
    ("difference %", lambda r: text(r.get("against_published"), "+.3f")),
    ("seconds", lambda r: text(r["seconds"], ".3f")),
    TARGET_COLUMN,
]


# --- what there is to run ---------------------------------------------------------------------------------------------


def find_workloads():
    """The folder with the published and measured workloads, or None."""
    named = os.environ.get("PARTITA_WORKLOADS")
    candidates = [pathlib.Path(named)] if named else [ROOT.parent / "shared" / "workloads"]
    return next((folder for folder in candidates if folder.is_dir()), None)


def load_json(path, otherwise):
    return json.loads(path.read_text(encoding="utf-8")) if path is not None and path.is_file() else otherwise


def instances_of(group, folder):
    base = ROOT if group["name"] == "examples" else folder
    if base is None:
        return []
    found = sorted(base.glob(group["files"]))
    return [(str(path.relative_to(base)).removeprefix(group["strip"]), path) for path in found]


def generate(args, spec):
    path = args.output.parent / f"{spec['name']}.json"
    with open(path, "wb") as file:
        subprocess.run([str(args.build / "bench" / "make_transformer"), str(spec["nodes"]), spec["kind"]], stdout=file,
                       check=True)
    return path


# --- the stamp --------------------------------------------------------------------------------------------------------


def first_line(command):
    try:
        output = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                                check=False).stdout
    except OSError:
        return None
    return output.strip().splitlines()[0] if output.strip() else None


def stamp(build):
    cache = (build / "CMakeCache.txt").read_text(encoding="utf-8") if (build / "CMakeCache.txt").is_file() else ""
    compiler = re.search(r"^CMAKE_CXX_COMPILER:\w+=(.*)$", cache, re.MULTILINE)
    build_type = re.search(r"^CMAKE_BUILD_TYPE:\w+=(.*)$", cache, re.MULTILINE)
    cpuinfo = pathlib.Path("/proc/cpuinfo")
    cpus = cpuinfo.read_text(encoding="utf-8") if cpuinfo.is_file() else ""
    model = re.search(r"^model name\s*:\s*(.*)$", cpus, re.MULTILINE)
    changed = subprocess.run(["git", "-C", str(ROOT), "status", "--porcelain"], stdout=subprocess.PIPE,
                             stderr=subprocess.DEVNULL, text=True, check=False).stdout
    return {
        "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
        "commit": first_line(["git", "-C", str(ROOT), "rev-parse", "HEAD"]),
        "uncommitted_changes": bool(changed.strip()),
        "compiler": first_line([compiler.group(1), "--version"]) if compiler else None,
        "build_type": build_type.group(1) if build_type else None,
        "machine": {"cores": os.cpu_count(), "cpu": model.group(1) if model else platform.processor(),
                    "system": platform.platform(), "load_average": list(os.getloadavg())},
    }


# ----------------------------------------------------------------------------------------------------------------------


def run_group(args, title, group, instances, known, record):
    """The staged table of a group."""
    if not instances or "time_limit" not in group:
        return
    table = Table(f"{title}: staged, best portfolio", PLAN_COLUMNS, [name for name, _, _ in instances])
    for name, path, target in instances:
        limit = args.time_limit or group["time_limit"]
        row = {"name": name, "group": title, "time_limit": limit} | plan(args, path, limit, "auto")
        compare(row, known.get(name, {}).get("staged"))
        row["missed"] = missed(row, target)
        table.add(row)
    record["staged"] += table.rows
    record["totals"][title] = table.total(group.get("total", {}))


def run_linear(args, title, group, instances, known, published, record):
    """The table of the linearised DP."""
    if not instances or "linear" not in group:
        return
    table = Table(f"{title}: linearised DP", LINEAR_COLUMNS, [name for name, _, _ in instances])
    for name, path, _ in instances:
        row = {"name": name, "group": title} | plan(args, path, args.time_limit or group["time_limit"], "linear")
        target = {"seconds": group["linear"]["seconds"]}
        row["known_value"] = known.get(name, {}).get("staged", {}).get("value")
        row["published"] = published.get(name)
        if group["linear"].get("published") and row["published"] is not None:
            target["value"] = row["published"] + 0.005  # printed with two digits
        row["missed"] = missed(row, target)
        table.add(row)
    record["linear"] += table.rows
    record["totals"][f"{title} linear"] = table.total({})


def run_wider(args, shape, title, group, instances, known, record):
    """The table of free or contiguous splits of a group, each with a certificate, and never worse than the staged split
    found before."""
    if not instances or shape not in group:
        return
    staged = {row["name"]: row["value"] for row in record["staged"]}
    spec = group[shape]
    table = Table(f"{title}: {shape}, best portfolio", PLAN_COLUMNS, [name for name, _, _ in instances])
    for name, path, _ in instances:
        own = spec.get("targets", {}).get(name, {})
        limit = args.time_limit or own.get("time_limit", spec["time_limit"])
        row = {"name": name, "group": title, "time_limit": limit} | plan(args, path, limit, shape=shape)
        best = known.get(name, {}).get(shape)
        compare(row, best)
        proved = best is not None and best["status"] == "optimal"
        target = {"certified": True} | spec.get("target" if proved else "open_target", {}) | own
        if staged.get(name) is not None:
            target["value"] = staged[name] * (1 + SAME)
        row["missed"] = missed(row, target)
        table.add(row)
    record[shape] += table.rows
    record["totals"][f"{title} {shape}"] = table.total(spec.get("total", {}))


def run_in_flight(args, title, group, instances, record):
    """Training with the memory of samples in flight: how much of the gap is due to it."""
    if not instances or "in_flight" not in group:
        return
    plain = {row["name"]: row["gap"] for row in record["staged"]}
    spec = group["in_flight"]
    wanted = [instance for instance in instances if instance[0].endswith(spec["ending"])]
    table = Table(f"{title}: staged, samples in flight", PLAN_COLUMNS, [name for name, _, _ in wanted])
    for name, path, _ in wanted:
        limit = args.time_limit or spec["time_limit"]
        row = {"name": name, "group": title, "time_limit": limit}
        row |= plan(args, path, limit, question=("--memory-model", "1f1b"))
        target = {} if plain.get(name) is None else {"gap": plain[name] + spec["more_gap"]}
        row["missed"] = missed(row, target)
        table.add(row)
    record["in_flight"] += table.rows
    record["totals"][f"{title} in flight"] = table.total({})


def run_quick(args, title, group, instances, published, record):
    """Free splits in a second, against the published non-contiguous values."""
    if not instances or "quick" not in group:
        return
    limit = group["quick"]["time_limit"]
    table = Table(f"{title}: free, {limit:g} s", QUICK_COLUMNS, [name for name, _, _ in instances])
    for name, path, _ in instances:
        row = {"name": name, "group": title} | plan(args, path, limit, shape="free")
        row["published"] = published.get(name)
        target = {}
        if row["published"] is not None and row["value"] is not None:
            row["against_published"] = 100 * (row["value"] / row["published"] - 1)
            target["value"] = row["published"] * (1 + group["quick"]["tolerance"])
        row["missed"] = missed(row, target)
        table.add(row)
    record["quick"] += table.rows
    record["totals"][f"{title} quick"] = table.total({})


def parse_arguments():
    parser = argparse.ArgumentParser(description="Runs the benchmark suite.")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build", help="the build folder (default: build)")
    parser.add_argument("--only", metavar="REGEX", default="", help="only workloads whose name matches")
    parser.add_argument("--time-limit", type=float, metavar="SECONDS",
                        help="for every workload, instead of its group's")
    parser.add_argument("--tables", metavar="NAMES", default=",".join(TABLES),
                        help=f"which tables, with commas between (default: all; {', '.join(TABLES)})")
    parser.add_argument("--staged-certificates", action="store_true",
                        help="ask for certificates of staged splits too, which takes time of its own")
    parser.add_argument("--output", type=pathlib.Path, help="the JSON file (default: BUILD/bench/suite.json)")
    args = parser.parse_args()
    args.build = args.build.resolve()
    args.output = (args.output or args.build / "bench" / "suite.json").resolve()
    args.output.parent.mkdir(parents=True, exist_ok=True)
    for program in ("partita", "partita-check", "bench/measure", "bench/make_transformer"):
        if not (args.build / program).is_file():
            sys.exit(f"{args.build / program}: not found; `./dev bench` builds it")
    return args


def run_tables(args, title, group, instances, known, published, record):
    tables = args.tables.split(",")
    if "staged" in tables:
        run_group(args, title, group, instances, known, record)
    if "linear" in tables:
        run_linear(args, title, group, instances, known, {name: row["dpl"] for name, row in published.items()}, record)
    if "quick" in tables:
        free = {name: row["ipNonContiguous"]["tps"] for name, row in published.items()}
        run_quick(args, title, group, instances, free, record)
    for shape in ("free", "contiguous"):
        if shape in tables:
            run_wider(args, shape, title, group, instances, known, record)
    if "in_flight" in tables:
        run_in_flight(args, title, group, instances, record)
    if "latency" in tables:
        run_latency(args, title, group, instances, known, record)
    if "setups" in tables:
        run_setups(args, title, group, instances, record)
    if "schedules" in tables:
        run_schedules(args, title, group, instances, record)


def main():
    args = parse_arguments()
    suite = load_json(pathlib.Path(__file__).with_name("instances.json"), None)
    folder = find_workloads()
    if folder is None:
        print("only the bundled examples: set PARTITA_WORKLOADS to the folder that holds the published workloads for "
              "all")
    known = load_json(folder and folder / "best-known.json", {})
    tables = load_json(folder and folder / "paper" / "tables.json", {"throughput": []})
    published = {row["file"]: row for row in tables["throughput"]}
    wanted = re.compile(args.only)

    record = {"stamp": stamp(args.build)} | {table: [] for table in TABLES} | {"totals": {}}
    for group in suite["groups"]:
        instances = [(name, path, group.get("target", {}) | suite["targets"].get(name, {}))
                     for name, path in instances_of(group, folder) if wanted.search(name)]
        run_tables(args, group["name"], group, instances, known, published, record)
    for spec in suite["generated"]:
        if wanted.search(spec["name"]):
            instances = [(spec["name"], generate(args, spec), spec["target"])]
            run_tables(args, spec["name"], spec, instances, known, published, record)

    args.output.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    print(f"\nwritten to {args.output}")
    rows = [row for table in TABLES for row in record[table]]
    return 0 if all(row["verified"] for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
