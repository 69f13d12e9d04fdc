# SPDX-License-Identifier: Apache-2.0
"""What all tables of the benchmark suite need: a plan run, measured and verified, judged, and shown as a row."""

import json
import os
import subprocess

SAME = 1e-5  # relative; the best known values are rounded


# --- running ----------------------------------------------------------------------------------------------------------


def run_measured(args, command):
    """(exit code, wall seconds, peak megabytes, standard error) of a command; bench/measure.cpp says why not rusage
    here."""
    report = args.output.parent / "measured.txt"
    report.unlink(missing_ok=True)
    launcher = [str(args.build / "bench" / "measure"), str(report)]
    result = subprocess.run(launcher + command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                            check=False)
    seconds, kilobytes = report.read_text(encoding="utf-8").split()
    return result.returncode, float(seconds), int(kilobytes) / 1024, result.stderr.strip()


def plan(args, path, time_limit, algorithm="auto", shape="staged", question=()):
    """One row of a table: what `partita plan` answered, what it used, and what partita-check says about it.

    The bound of a free or contiguous split comes with a certificate, which partita-check verifies as well. One for a
    staged split is looked for in time of its own, so that it is asked for only with --staged-certificates. `question`
    are options that change the question, for both programs; without --objective there it is throughput.
    """
    output = args.output.parent / "plan.json"
    certificate = args.output.parent / "certificate.json"
    for file in (output, certificate):
        file.unlink(missing_ok=True)
    question = ["--shape", shape, *question]
    command = [args.build / "partita", "plan", path, *question, "--threads", "1", "--time-limit", str(time_limit),
               "--algorithm", algorithm, "--quiet", "-o", output]
    if shape != "staged" or args.staged_certificates:
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
    command = [args.build / "partita-check", path, output, *question]
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
