# SPDX-License-Identifier: Apache-2.0
"""`python -m partita run`."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from partita.errors import InputError
from partita.running import ray_command_line
from partita.running.report import check_can_report

_EXAMPLES = """examples:
  python -m partita run model.onnx plan.json --samples 200
  python -m partita run stages --trace trace.json --json measured.json
  python -m partita run model.onnx --devices 2 --recalibrate"""


def add_to(commands) -> None:
    """The command `run`, for a parser's commands."""
    parser = commands.add_parser(
        "run",
        help="run a plan, and compare what it predicts with what is measured",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        description="Runs the stages of a model as a pipeline. Without a plan, a model is measured, planned and cut "
        "first.",
    )
    parser.add_argument("model", metavar="MODEL", help="an ONNX model, or a folder of stages")
    parser.add_argument("plan", metavar="PLAN", nargs="?", help="its plan, as `partita plan -o` writes it")
    parser.add_argument(
        "--devices", metavar="N|KIND,...", help="how many, or what plays them: cpu,cpu or cuda:0,cuda:1"
    )
    parser.add_argument("--samples", type=int, default=200, metavar="N", help="how many to run (default 200)")
    parser.add_argument("--engine", default="local", choices=("local", "ray"), help="processes here, or actors of Ray")
    parser.add_argument("--window", type=int, metavar="N", help="samples in flight at most")
    parser.add_argument(
        "--cores-per-device", type=int, default=1, metavar="N", help="threads of each device (default 1)"
    )
    parser.add_argument("--oversubscribe", action="store_true", help="let devices share cores where there are too few")
    parser.add_argument("--dim", action="append", default=[], metavar="NAME=SIZE", help="the size of an open dimension")
    parser.add_argument("--trace", metavar="FILE", help="write what happened when, as `partita simulate --trace` does")
    parser.add_argument("--json", metavar="FILE", help="write what was measured (docs/running.md)")
    parser.add_argument("--report", metavar="FILE", help="write a page with the predicted and the measured timeline")
    parser.add_argument("--recalibrate", nargs="?", type=int, const=2, metavar="ROUNDS",
                        help="plan again with what was measured until the prediction holds (at most 2 rounds)")
    parser.add_argument("--against-even", action="store_true",
                        help="also run the split with as many operators for each device, turn by turn")
    ray_command_line.add_options(parser)
    parser.add_argument("-q", "--quiet", action="store_true", help="print nothing but errors")
    parser.set_defaults(run=run_command)


def run_command(options) -> None:
    """Runs what the command line asks for, and prints the table."""
    if options.report:
        check_can_report(options.plan is not None or _is_file(options.model))
    result = _run(options)
    if not options.quiet:
        print(result)
    if options.json:
        result.measured.write(options.json)
    if options.report:
        result.write_report(options.report)
    for file in (options.trace, options.json, options.report):
        if file and not options.quiet:
            print(f"wrote {file}")


def _run(options):
    arguments = dict(
        devices=parse_devices(options.devices), samples=options.samples, engine=options.engine, window=options.window,
        trace=options.trace, progress=None if options.quiet else progress_line(), dims=parse_dims(options.dim) or None,
        cores_per_device=options.cores_per_device, oversubscribe=options.oversubscribe, keep_outputs=False,
        **ray_command_line.chosen(options))
    measures_first = options.plan is None and _is_file(options.model)
    if measures_first or options.recalibrate is not None or options.against_even:
        from partita.running.whole import profile_plan_and_run

        return profile_plan_and_run(
            options.model, None, plan=options.plan, recalibrate=options.recalibrate or 0,
            against_even=options.against_even,
            tell=None if options.quiet else lambda line: print(line, file=sys.stderr, flush=True), **arguments)
    from partita.running import run

    return run(options.model, options.plan, **arguments)


def _is_file(model: str) -> bool:
    return Path(model).is_file()


def parse_devices(text: str | None) -> int | list[str] | None:
    """
    >>> parse_devices("2"), parse_devices("cpu,cuda:0")
    (2, ['cpu', 'cuda:0'])
    """
    if text is None:
        return None
    return int(text) if text.isdigit() else [kind.strip() for kind in text.split(",")]


def parse_dims(texts: list[str]) -> dict[str, int]:
    """
    >>> parse_dims(["batch=8,sequence=128"])
    {'batch': 8, 'sequence': 128}
    """
    found = {}
    for pair in ",".join(texts).split(",") if texts else ():
        name, equals, size = pair.partition("=")
        if not equals or not size.isdigit() or int(size) < 1:
            raise InputError(f"--dim: found {pair!r}, expected NAME=SIZE, as in batch=8")
        found[name] = int(size)
    return found


def progress_line(file=None):
    """Shows how many samples are done, in a terminal only."""
    file = file or sys.stderr
    if not file.isatty():
        return None

    def show(done: int, count: int | None) -> None:
        ended = done == count
        print(
            f"\r{done}{f' of {count}' if count else ''} samples{'' if not ended else ' done'}",
            end="\n" if ended else "",
            file=file,
            flush=True,
        )

    return show
