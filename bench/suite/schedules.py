# SPDX-License-Identifier: Apache-2.0
"""The tables of splits at work: what a long simulation takes, how near it comes to the formula, and the report's
page."""

import json

from harness import Table, missed, plan, run_measured, text

COLUMNS = [
    ("workload", lambda r: r["name"]),
    ("split", lambda r: r["shape"]),
    ("schedule", lambda r: r["schedule"]),
    ("pieces", lambda r: text(r.get("pieces"), "d")),
    ("formula", lambda r: text(r.get("formula"), ".7g")),
    ("simulated", lambda r: text(r.get("value"), ".7g")),
    ("above %", lambda r: text(r.get("above"), ".3f")),
    ("seconds", lambda r: text(r["seconds"], ".3f")),
    ("MB", lambda r: text(r["megabytes"], ".0f")),
    ("page kB", lambda r: text(r.get("page_kilobytes"), ".0f")),
    ("target", lambda r: "MISSED: " + r["missed"] if r["missed"] else "met"),
]


def schedules_of(path):
    return ("pipeline", "1f1b", "gpipe") if "training" in path.name else ("pipeline",)


def simulate(args, path, shape, schedule, samples):
    """One row: the plan that was just made, run on so many samples, and the page about it."""
    measurements = args.output.parent / "simulation.json"
    page = args.output.parent / "page.html"
    for file in (measurements, page):
        file.unlink(missing_ok=True)
    command = [args.build / "partita", "simulate", path, args.output.parent / "plan.json", "--shape", shape,
               "--schedule", schedule, "--quiet"]
    row = {"shape": shape, "schedule": schedule, "samples": samples, "value": None, "verified": False}
    code, row["seconds"], row["megabytes"], stderr = run_measured(
        args, [str(part) for part in [*command, "--samples", samples, "-o", measurements]])
    if code != 0:
        row["message"] = stderr
        return row
    answer = json.loads(measurements.read_text(encoding="utf-8"))
    row |= {"pieces": len(answer["pieces"]), "value": answer["time_per_sample"], "formula": answer["formula"],
            "remark": answer.get("remark", "")}
    if row["formula"]:
        row["above"] = 100 * (row["value"] / row["formula"] - 1)
    # A pipeline keeps its promise; the other schedules may have reasons not to, and say them.
    row["verified"] = abs(row["above"]) < 1e-6 if schedule == "pipeline" else row["value"] > 0
    run_measured(args, [str(part) for part in [*command, "--report", page]])
    row["page_kilobytes"] = page.stat().st_size / 1000 if page.is_file() else None
    return row


def run_schedules(args, title, group, instances, record):
    if not instances or "schedules" not in group:
        return
    spec = group["schedules"]
    limit = args.time_limit or spec["time_limit"]
    table = Table(f"{title}: {spec['samples']} samples simulated", COLUMNS, [name for name, _, _ in instances])
    for name, path, _ in instances:
        for shape in ("staged", "free"):
            if plan(args, path, limit, shape=shape)["value"] is None:
                continue
            for schedule in schedules_of(path):
                row = {"name": name, "group": title} | simulate(args, path, shape, schedule, spec["samples"])
                row["missed"] = missed(row, spec["target"] if shape == "staged" else {})
                table.add(row)
    record["schedules"] += table.rows
    record["totals"][f"{title} schedules"] = table.total({})
