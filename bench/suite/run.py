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

ROOT = pathlib.Path(__file__).resolve().parents[2]
SAME = 1e-5  # relative; the best known values are rounded


# --- running ----------------------------------------------------------------------------------------------------------


def run_measured(args, command):
    """(exit code, wall seconds, peak megabytes, standard error) of a command; bench/measure.cpp says why not rusage here."""
    report = args.output.parent / "measured.txt"
    report.unlink(missing_ok=True)
    launcher = [str(args.build / "bench" / "measure"), str(report)]
    result = subprocess.run(launcher + command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
    seconds, kilobytes = report.read_text(encoding="utf-8").split()
    return result.returncode, float(seconds), int(kilobytes) / 1024, result.stderr.strip()


def plan(args, path, time_limit, algorithm="auto", shape="staged"):
    """One row of a table: what `partita plan` answered, what it used, and what partita-check says about it.

    The bound of a free split comes with a certificate, which partita-check verifies as well.
    """
    output = args.output.parent / "plan.json"
    certificate = args.output.parent / "certificate.json"
    for file in (output, certificate):
        file.unlink(missing_ok=True)
    command = [args.build / "partita", "plan", path, "--objective", "throughput", "--shape", shape, "--threads", "1",
               "--time-limit", str(time_limit), "--algorithm", algorithm, "--quiet", "-o", output]
    if shape == "free":
        command += ["--certificate", certificate]
    load_before = os.getloadavg()[0]
    code, seconds, megabytes, stderr = run_measured(args, [str(part) for part in command])
    row = {"seconds": seconds, "megabytes": megabytes, "exit": code, "load_average": load_before,
           "status": "error", "value": None, "bound": None, "gap": None, "verified": False}
    if not output.is_file():
        row["message"] = stderr or "no plan was written"
        return row
    answer = json.loads(output.read_text(encoding="utf-8"))
    row.update({key: answer.get(key) for key in ("status", "value", "bound", "gap", "proof")})
    row["solver_seconds"] = answer.get("seconds")
    if row["value"] is None:
        row["message"] = answer.get("reason", stderr)
        return row
    command = [args.build / "partita-check", path, output, "--shape", shape]
    row["certified"] = certificate.is_file()
    if row["certified"]:
        command += ["--certificate", certificate]
    check = subprocess.run([str(part) for part in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                           check=False)
    row["verified"] = check.returncode == 0
    if check.returncode != 0:
        row["message"] = check.stdout.strip().splitlines()[-1] if check.stdout.strip() else "partita-check failed"
    return row


# --- judging ----------------------------------------------------------------------------------------------------------


def compare(row, known):
    """Adds how the row stands against the best known value and bound."""
    if known is None or row["value"] is None:
        row["against_known"] = None
        return
    row["known_value"], row["known_bound"] = known["value"], known["bound"]
    difference = row["value"] / known["value"] - 1 if known["value"] else row["value"]
    row["against_known"] = "same" if abs(difference) <= SAME else "better" if difference < 0 else "worse"
    row["difference"] = difference
    # A value below the known bound, or a bound above the known value, says that somebody is wrong.
    if known["bound"] is not None and row["value"] < known["bound"] * (1 - SAME):
        row["contradiction"] = "the value is below the known bound"
    if row["bound"] > known["value"] * (1 + SAME):
        row["contradiction"] = "the bound is above the known value"


def missed(row, target):
    """What of its target the row misses, in a few words; empty if nothing."""
    misses = []
    if not row["verified"]:
        misses.append("not verified")
    if "status" in target and row["status"] != target["status"]:
        misses.append(f"not {target['status']}")
    if "seconds" in target and row["seconds"] > target["seconds"]:
        misses.append(f"over {target['seconds']:g} s")
    if "megabytes" in target and row["megabytes"] > target["megabytes"]:
        misses.append(f"over {target['megabytes']:g} MB")
    if "gap" in target and (row["gap"] is None or row["gap"] > target["gap"]):
        misses.append(f"gap over {100 * target['gap']:g} %")
    if "value" in target and (row["value"] is None or row["value"] > target["value"]):
        misses.append(f"value over {target['value']:g}")
    if target.get("known") and row.get("against_known") == "worse":
        misses.append("worse than known")
    if target.get("status") == "optimal" and row.get("against_known") in ("better", "worse"):
        misses.append(f"{row['against_known']} than known")
    if target.get("certified") and not row.get("certified"):
        misses.append("no certificate")
    if "contradiction" in row:
        misses.append(row["contradiction"])
    return ", ".join(misses)


# --- tables -----------------------------------------------------------------------------------------------------------


def text(value, spec):
    return "-" if value is None else format(value, spec)


PLAN_COLUMNS = [
    ("workload", lambda r: r["name"]),
    ("status", lambda r: r["status"]),
    ("value", lambda r: text(r["value"], ".7g")),
    ("bound", lambda r: text(r["bound"], ".7g")),
    ("gap %", lambda r: text(None if r["gap"] is None else 100 * r["gap"], ".3f")),
    ("known", lambda r: text(r.get("known_value"), ".7g")),
    ("", lambda r: r.get("against_known") or "-"),
    ("seconds", lambda r: text(r["seconds"], ".3f")),
    ("MB", lambda r: text(r["megabytes"], ".0f")),
    ("target", lambda r: "MISSED: " + r["missed"] if r["missed"] else "met"),
]
LINEAR_COLUMNS = [
    ("workload", lambda r: r["name"]),
    ("value", lambda r: text(r["value"], ".7g")),
    ("published", lambda r: text(r.get("published"), ".7g")),
    ("best known", lambda r: text(r.get("known_value"), ".7g")),
    ("seconds", lambda r: text(r["seconds"], ".3f")),
    ("solving", lambda r: text(r.get("solver_seconds"), ".3f")),
    ("MB", lambda r: text(r["megabytes"], ".0f")),
    ("target", lambda r: "MISSED: " + r["missed"] if r["missed"] else "met"),
]


QUICK_COLUMNS = [
    ("workload", lambda r: r["name"]),
    ("value", lambda r: text(r["value"], ".7g")),
    ("published", lambda r: text(r.get("published"), ".7g")),
    ("difference %", lambda r: text(r.get("against_published"), "+.3f")),
    ("seconds", lambda r: text(r["seconds"], ".3f")),
    ("target", lambda r: "MISSED: " + r["missed"] if r["missed"] else "met"),
]


class Table:
    """Prints each row as soon as it is there, so column widths are fixed beforehand."""

    def __init__(self, title, columns, names):
        self.columns = columns
        self.widths = [max([len(head), 10] + ([len(n) for n in names] if i == 0 else [])) for i, (head, _) in
                       enumerate(columns)]
        self.rows = []
        print(f"\n{title}")
        self.line([head for head, _ in columns])

    def line(self, cells):
        aligned = [cell.ljust(width) if i in (0, len(cells) - 1) else cell.rjust(width)
                   for i, (cell, width) in enumerate(zip(cells, self.widths))]
        print("  " + "  ".join(aligned).rstrip(), flush=True)

    def add(self, row):
        self.rows.append(row)
        self.line([show(row) for _, show in self.columns])
        if "message" in row:
            print(f"    {row['message']}", flush=True)

    def total(self, target):
        """The closing line; returns it as a record."""
        seconds = sum(row["seconds"] for row in self.rows)
        megabytes = max((row["megabytes"] for row in self.rows), default=0)
        misses = sum(1 for row in self.rows if row["missed"])
        record = {"rows": len(self.rows), "seconds": seconds, "megabytes": megabytes, "missed": misses}
        verdict = f"{len(self.rows) - misses} of {len(self.rows)} targets met"
        if "seconds" in target:
            verdict += f"; together {'under' if seconds <= target['seconds'] else 'OVER'} {target['seconds']:g} s"
        if "megabytes" in target:
            verdict += f", {'under' if megabytes <= target['megabytes'] else 'OVER'} {target['megabytes']:g} MB"
        print(f"  total {seconds:.2f} s, peak {megabytes:.0f} MB: {verdict}")
        return record


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
        output = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False).stdout
    except OSError:
        return None
    return output.strip().splitlines()[0] if output.strip() else None


def stamp(build):
    cache = (build / "CMakeCache.txt").read_text(encoding="utf-8") if (build / "CMakeCache.txt").is_file() else ""
    compiler = re.search(r"^CMAKE_CXX_COMPILER:\w+=(.*)$", cache, re.MULTILINE)
    build_type = re.search(r"^CMAKE_BUILD_TYPE:\w+=(.*)$", cache, re.MULTILINE)
    cpuinfo = pathlib.Path("/proc/cpuinfo")
    model = re.search(r"^model name\s*:\s*(.*)$", cpuinfo.read_text(encoding="utf-8"), re.MULTILINE) if cpuinfo.is_file() else None
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
    if not instances:
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


def run_free(args, title, group, instances, known, record):
    """The table of free splits of a group, each with a certificate, and never worse than the staged split found before."""
    if not instances or "free" not in group:
        return
    staged = {row["name"]: row["value"] for row in record["staged"]}
    table = Table(f"{title}: free, best portfolio", PLAN_COLUMNS, [name for name, _, _ in instances])
    for name, path, _ in instances:
        limit = args.time_limit or group["free"]["time_limit"]
        row = {"name": name, "group": title, "time_limit": limit} | plan(args, path, limit, shape="free")
        best = known.get(name, {}).get("free")
        compare(row, best)
        proved = best is not None and best["status"] == "optimal"
        target = {"certified": True} | group["free"].get("target" if proved else "open_target", {})
        if staged.get(name) is not None:
            target["value"] = staged[name] * (1 + SAME)
        row["missed"] = missed(row, target)
        table.add(row)
    record["free"] += table.rows
    record["totals"][f"{title} free"] = table.total(group["free"].get("total", {}))


def run_quick(args, title, group, instances, published, record):
    """Free splits in a second, against the published non-contiguous values."""
    if not instances or "quick" not in group:
        return
    table = Table(f"{title}: free, {group['quick']['time_limit']:g} s", QUICK_COLUMNS, [name for name, _, _ in instances])
    for name, path, _ in instances:
        row = {"name": name, "group": title} | plan(args, path, group["quick"]["time_limit"], shape="free")
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
    parser.add_argument("--time-limit", type=float, metavar="SECONDS", help="for every workload, instead of its group's")
    parser.add_argument("--tables", metavar="NAMES", default="staged,linear,quick,free",
                        help="which tables, with commas between (default: all; staged, linear, quick, free)")
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
    if "free" in tables:
        run_free(args, title, group, instances, known, record)


def main():
    args = parse_arguments()
    suite = load_json(pathlib.Path(__file__).with_name("instances.json"), None)
    folder = find_workloads()
    if folder is None:
        print("only the bundled examples: set PARTITA_WORKLOADS to the folder that holds the published workloads for all")
    known = load_json(folder and folder / "best-known.json", {})
    tables = load_json(folder and folder / "paper" / "tables.json", {"throughput": []})
    published = {row["file"]: row for row in tables["throughput"]}
    wanted = re.compile(args.only)

    record = {"stamp": stamp(args.build), "staged": [], "linear": [], "quick": [], "free": [], "totals": {}}
    for group in suite["groups"]:
        instances = [(name, path, group["target"] | suite["targets"].get(name, {}))
                     for name, path in instances_of(group, folder) if wanted.search(name)]
        run_tables(args, group["name"], group, instances, known, published, record)
    for spec in suite["generated"]:
        if wanted.search(spec["name"]):
            instances = [(spec["name"], generate(args, spec), spec["target"])]
            run_tables(args, spec["name"], spec, instances, known, published, record)

    args.output.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    print(f"\nwritten to {args.output}")
    rows = record["staged"] + record["linear"] + record["quick"] + record["free"]
    return 0 if all(row["verified"] for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
