# SPDX-License-Identifier: Apache-2.0
"""`python -m partita profile`."""

from __future__ import annotations

import argparse

from partita.running.command_line import parse_devices, parse_dims

_EXAMPLES = """examples:
  python -m partita profile model.onnx --devices 2 -o measured
  partita plan measured/model.onnx --profile measured/measurement.json --platform measured/platform.json -o plan.json"""


def add_to(commands) -> None:
    """The command `profile`, for a parser's commands."""
    parser = commands.add_parser(
        "profile",
        help="measure a model's operators on the devices of this machine",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        description="Optimises an ONNX model as a whole, times its operators on devices that work at the same time, "
        "and what passing tensors between them costs; writes the model, measurement.json and platform.json.",
    )
    parser.add_argument("model", metavar="MODEL", help="an ONNX model")
    parser.add_argument("-o", "--output", metavar="FOLDER", help="where to write (default MODEL.measured)")
    parser.add_argument(
        "--devices", default="2", metavar="N|KIND,...", help="how many, or what they are: cuda:0,cuda:1 (default 2)"
    )
    parser.add_argument(
        "--cores-per-device", type=int, default=1, metavar="N", help="threads of each device (default 1)"
    )
    parser.add_argument(
        "--provider", metavar="NAME", help="the execution provider of ONNX Runtime (default: the CPU's)"
    )
    parser.add_argument(
        "--repetitions", type=int, default=25, metavar="N", help="runs of which the median counts (default 25)"
    )
    parser.add_argument(
        "--warmup", type=int, default=3, metavar="N", help="runs before them that do not count (default 3)"
    )
    parser.add_argument("--alone", action="store_true", help="time one device while the others stand idle")
    parser.add_argument(
        "--level",
        default="all",
        choices=("none", "basic", "extended", "all"),
        help="how far ONNX Runtime optimises the model (default all)",
    )
    parser.add_argument(
        "--dim", action="append", default=[], metavar="NAME=SIZE", help="the size of an open dimension (default 1)"
    )
    parser.add_argument("--workload", metavar="FILE", help="also write a workload with the measured times")
    parser.set_defaults(run=execute)


def execute(options) -> None:
    """Measures, and prints what was found."""
    from partita.onnx.profiling import profile

    measurement = profile(
        options.model,
        devices=parse_devices(options.devices),
        cores_per_device=options.cores_per_device,
        repetitions=options.repetitions,
        warmup=options.warmup,
        busy=not options.alone,
        providers=options.provider,
        folder=options.output,
        level=options.level,
        dims=parse_dims(options.dim),
    )
    print(measurement)
    print(f"wrote {measurement.model.parent}")
    if options.workload:
        print(f"wrote {measurement.workload(options.workload)}")
