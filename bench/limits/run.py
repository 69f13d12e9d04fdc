#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Are limits kept? Every objective, shape, algorithm and kind of platform on graphs of thousands of nodes.

Each case is run twice: with a time limit, and with Ctrl-C after half of it. The table shows how long the search took
(the plan's own clock, which counts neither reading nor writing), CPU and wall seconds of the whole program, and how
long after Ctrl-C the program ended, writing included. Time that a busy machine gives to others is counted in the wall
seconds alone (patient_clock.cpp). A mark says where more than 10 % + 0.2 s were added to the limit, more than a second
to Ctrl-C, or where there was no split or no bound. Exit code 1 if there is any mark.

    bench/limits/run.py --build build --nodes 5000 --limits 1
    bench/limits/run.py --build build --nodes 100000 --only free --where     # also says what it was doing when too late
"""

import argparse
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

import graphs

GRACE_PART, GRACE_SECONDS, CTRL_C_SECONDS = 0.1, 0.2, 1.0
HANG_SECONDS = 30  # beyond the limit: then the program is killed


# --- the cases --------------------------------------------------------------------------------------------------------


def questions():
    """(platform, objective, shape, algorithm, further options) for every question that `plan` answers."""
    for platform in ("plain", "classes", "clusters"):
        for objective in ("max-load", "gpipe"):
            for algorithm in ("auto", "exact", "linear"):
                yield platform, objective, "staged", algorithm, []
            if platform != "clusters":
                yield platform, objective, "contiguous", "auto", []
                yield platform, objective, "free", "auto", []
        if platform != "clusters":
            yield platform, "latency", "free", "auto", []
    yield "plain", "latency", "free", "auto", ["--subgraphs", "3"]
    yield "plain", "max-load", "staged", "auto", ["--transfers", "overlap"]
    yield "plain", "max-load", "free", "auto", ["--transfers", "overlap"]
    for platform in ("clusters", "plain"):
        for objective in ("max-load", "gpipe"):
            yield platform, objective, "staged", "auto", ["--replicate", "4", "--sync-bandwidth", "inf"]
    yield "plain", "max-load", "staged", "auto", ["--memory-model", "1f1b"]
    yield "plain", "gpipe", "staged", "auto", ["--memory-model", "gpipe", "--microbatches", "8"]


def name_of(question):
    platform, objective, shape, algorithm, options = question
    return " ".join([platform, objective, shape, algorithm, *options])


def command_for(args, folder, kind, question, limit):
    platform, objective, shape, algorithm, options = question
    training = objective == "gpipe"
    file = folder / f"{kind}-{args.nodes}{'-training' if training else ''}.json"
    if not file.exists():
        graphs.write(file, graphs.workload(kind, args.nodes, training))
    command = [str(args.build / "partita"), "plan", str(file), "--objective", objective, "--algorithm", algorithm,
               "--threads", str(args.threads), "--time-limit", str(limit), "-q", "-o", str(folder / "plan.json"),
               *options]
    if objective != "latency":
        command += ["--shape", shape]
    if platform != "plain":
        memory = json.loads(file.read_text(encoding="utf-8"))["maxSizePerFPGA"]
        command += ["--platform", graphs.write(str(folder / f"{platform}.json"), graphs.platform(platform, memory))]
    return command


# --- one run ----------------------------------------------------------------------------------------------------------


def stack_of(process):
    """What the program is doing now, innermost first, as far as gdb can say."""
    command = ["gdb", "-p", str(process.pid), "-batch", "-ex", "thread apply all bt 25"]
    shown = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    names = []
    for line in shown.splitlines():
        if line.startswith("Thread"):
            names.append("|")
        if line.startswith("#") and "partita::" in line:
            names.append(line.split(" in ")[-1].split("(")[0].removeprefix("partita::").strip()[:60])
    return " < ".join(names)


def waited(process):
    """For how many seconds the program was ready to run and was not let; None once it has ended."""
    try:
        return int(pathlib.Path(f"/proc/{process.pid}/schedstat").read_text(encoding="utf-8").split()[1]) / 1e9
    except (OSError, IndexError):
        return None


def run(command, plan, clock, interrupt_after=None, look_after=None, kill_after=60.0):
    """The plan, wall and CPU seconds, seconds from Ctrl-C to the end, and where it was when it was late. All moments
    are seconds since the start that the program could run."""
    plan.unlink(missing_ok=True)
    found = {"plan": None, "where": "", "stopped": None}
    environment = dict(os.environ, LD_PRELOAD=str(clock)) if clock else None
    with tempfile.TemporaryFile() as messages:
        start = time.monotonic()
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=messages, env=environment)
        interrupted, now = None, 0.0
        while True:
            pid, status, usage = os.wait4(process.pid, os.WNOHANG)
            if pid:
                break
            lost = waited(process)
            now = time.monotonic() - start - lost if lost is not None else now
            if interrupt_after is not None and interrupted is None and now >= interrupt_after:
                process.send_signal(signal.SIGINT)
                interrupted = now
            if look_after is not None and not found["where"] and now >= look_after:
                found["where"] = stack_of(process)
            if now >= kill_after:
                os.kill(process.pid, signal.SIGKILL)
            time.sleep(0.01)
        process.returncode = os.waitstatus_to_exitcode(status)
        messages.seek(0)
        found["message"] = messages.read().decode(errors="replace").strip()
    found["wall"], found["ran"] = time.monotonic() - start, now
    found["cpu"] = usage.ru_utime + usage.ru_stime
    found["megabytes"] = usage.ru_maxrss / 1024
    if interrupted is not None:
        found["stopped"] = now - interrupted
    if plan.exists():
        found["plan"] = json.loads(plan.read_text(encoding="utf-8"))
    return found


def measure(args, folder, kind, question, limit):
    plan = folder / "plan.json"
    command = command_for(args, folder, kind, question, limit)
    reading = args.reading.get((kind, question[1] == "gpipe"))
    if reading is None:  # how long the program needs without a search
        reading = run(command[:command.index("--time-limit")] + ["--time-limit", "0", "-q", "-o", str(plan)], plan,
                      args.clock, kill_after=HANG_SECONDS)["ran"]
        args.reading[(kind, question[1] == "gpipe")] = reading
    late = limit * (1 + GRACE_PART) + GRACE_SECONDS
    kill_after = reading + limit + HANG_SECONDS
    row = run(command, plan, args.clock, None, reading + late if args.where else None, kill_after)
    answer = row["plan"]
    row["seconds"] = answer["seconds"] if answer else row["ran"] - reading
    marks = []
    if row["seconds"] > late:
        marks.append("late" if answer else "killed")
    if not answer or answer["value"] is None and answer["status"] != "infeasible":
        marks.append("no split")
    elif answer["status"] == "feasible" and not answer["bound"]:
        marks.append("no bound")
    if row["seconds"] > limit / 2:
        again = run(command_for(args, folder, kind, question, 20 * limit), plan, args.clock, reading + limit / 2, None,
                    kill_after)
        row["stopped"] = again["stopped"]
        if again["stopped"] is not None and again["stopped"] > CTRL_C_SECONDS:
            marks.append("Ctrl-C late")
    row["marks"] = marks
    return row


def show(kind, question, limit, row):
    answer = row["plan"] or {}
    stopped = "" if row["stopped"] is None else f"{row['stopped']:.2f}"
    gap = "" if answer.get("gap") is None else f"{100 * answer['gap']:.1f} %"
    print(f"{kind:<12}{name_of(question):<44}{limit:>5g}{row['seconds']:>8.2f}{row['cpu']:>7.1f}{row['wall']:>7.1f}"
          f"{stopped:>7}{row['megabytes']:>7.0f} {gap:>7} {', '.join(row['marks'])}", flush=True)
    if row["where"] and row["marks"]:
        print("    " + row["where"])
    if "no split" in row["marks"] and row["message"]:
        print("    " + row["message"].splitlines()[-1])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build"))
    parser.add_argument("--nodes", type=int, default=5000)
    parser.add_argument("--limits", type=float, nargs="+", default=[1.0, 5.0])
    parser.add_argument("--graphs", nargs="+", default=list(graphs.GRAPHS), choices=list(graphs.GRAPHS))
    parser.add_argument("--only", default="", help="cases whose name contains all of these words")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--where", action="store_true", help="ask gdb what a late search is doing")
    args = parser.parse_args()
    args.reading = {}
    clock = args.build / "bench" / "libpatient_clock.so"
    args.clock = clock.resolve() if clock.exists() else None
    load = os.getloadavg()[0]
    print(f"{args.nodes} nodes, {args.threads} thread(s), load {load:.1f} on {os.cpu_count()} cores")
    print(f"{'graph':<12}{'question':<44}{'limit':>5}{'search':>8}{'CPU':>7}{'wall':>7}{'Ctrl-C':>7}{'MB':>7}"
          f" {'gap':>7}")
    marked = count = 0
    with tempfile.TemporaryDirectory() as folder:
        for kind in args.graphs:
            for question in questions():
                if not all(word in name_of(question).split() for word in args.only.split()):
                    continue
                for limit in args.limits:
                    row = measure(args, pathlib.Path(folder), kind, question, limit)
                    show(kind, question, limit, row)
                    count += 1
                    marked += bool(row["marks"])
    print(f"{marked} of {count} runs marked; load now {os.getloadavg()[0]:.1f}")
    return 1 if marked else 0


if __name__ == "__main__":
    sys.exit(main())
