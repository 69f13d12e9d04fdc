# SPDX-License-Identifier: Apache-2.0
"""Do pipelines run as predicted? A table of models, each measured, planned, run and recalibrated, and run against the
even split.

usage: pipeline_table.py [--devices 2] [--models FOLDER] [--samples N] [--rounds 2] [--json FILE] [MODEL.onnx|NAME...]

Names are those of pipeline_models.py, which are made in FOLDER (a build folder) where they are not there; without any,
all three. Prints a Markdown table; times are ms per sample. `error` is measured / predicted - 1 after the last round;
`noise` is how far blocks of samples of one run differ. The two splits are run turn by turn. Needs onnx, onnxruntime and
numpy, and the program partita (PATH or PARTITA) or the compiled module."""

import argparse
import json
import os
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "python"))

import pipeline_models

from partita.errors import Error
from partita.running.recalibrate import noise_of
from partita.running.whole import profile_plan_and_run

HEADS = (
    "model",
    "devices",
    "one device",
    "predicted first",
    "measured first",
    "predicted",
    "measured",
    "error",
    "noise",
    "even split",
    "faster by",
    "turns differ by",
    "rounds",
)
SECONDS_OF_A_RUN = 6.0  # about as long as each run should take


def samples_for(measured_seconds, devices):
    """Enough for a steady state, and for a run of some seconds."""
    return int(min(3000, max(60, SECONDS_OF_A_RUN * devices / measured_seconds)))


def row_of(path, options):
    from partita.onnx.profiling import profile

    folder = Path(options.models) / f"{path.stem}.{options.devices}"
    measurement = profile(
        path,
        devices=options.devices,
        cores_per_device=options.cores_per_device,
        folder=folder / "measured",
        repetitions=options.repetitions,
    )
    print(f"\n{measurement}", file=sys.stderr, flush=True)
    samples = options.samples or samples_for(measurement.whole.seconds, options.devices)
    result = profile_plan_and_run(
        path,
        devices=options.devices,
        samples=samples,
        recalibrate=options.rounds,
        against_even=True,
        measurement=measurement,
        cores_per_device=options.cores_per_device,
        folder=folder,
        keep_outputs=False,
        tell=lambda line: print(line, file=sys.stderr, flush=True),
    )
    first, last, compared = result.rounds[0], result.measured, result.compared
    return {
        "model": path.stem,
        "devices": options.devices,
        "one device": 1e3 * measurement.whole.seconds,
        "alone": 1e3 * measurement.whole_alone.seconds if measurement.whole_alone else None,
        "spread": measurement.spread,
        "predicted first": first.predicted,
        "measured first": first.time_per_sample,
        "predicted": last.predicted,
        "measured": last.time_per_sample,
        "error": last.error,
        "noise": noise_of(last),
        "planned turns": compared.planned,
        "even turns": compared.even,
        "even split": sorted(compared.even)[len(compared.even) // 2],
        "faster by": compared.faster_by,
        "turns differ by": compared.noise,
        "rounds": len(result.rounds) - 1,
        "samples": samples,
    }


def cell(head, value):
    if head in ("error", "noise", "turns differ by"):
        return f"{100 * value:{'+' if head == 'error' else ''}.0f} %"
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="MODEL")
    parser.add_argument("--devices", type=int, default=2)
    parser.add_argument("--cores-per-device", type=int, default=1)
    parser.add_argument("--models", default="build/pipeline", help="a folder for models and what is measured")
    parser.add_argument("--samples", type=int, help="of each run (default: some seconds' worth)")
    parser.add_argument("--rounds", type=int, default=2, help="of recalibration at most")
    parser.add_argument("--repetitions", type=int, default=25)
    parser.add_argument("--json", help="write the numbers here too")
    options = parser.parse_args()
    rows, failed = [], 0
    for name in options.names or list(pipeline_models.MODELS):
        path = Path(name)
        try:
            if name in pipeline_models.MODELS:
                path = pipeline_models.write_models(options.models, (name,))[0]
            rows.append(row_of(path, options))
        except Error as error:
            failed += 1
            print(f"{name}: {error}", file=sys.stderr)
    print("| " + " | ".join(HEADS) + " |")
    print("|" + "---|" + "--:|" * (len(HEADS) - 1))
    for row in rows:
        print("| " + " | ".join(cell(head, row[head]) for head in HEADS) + " |", flush=True)
    if options.json:
        stamp = {"cores": len(os.sched_getaffinity(0)), "time": time.strftime("%Y-%m-%d %H:%M:%S")}
        Path(options.json).write_text(json.dumps({"machine": stamp, "rows": rows}, indent=1) + "\n", encoding="utf-8")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
