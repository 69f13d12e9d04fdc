# SPDX-License-Identifier: Apache-2.0
"""Options of `python -m partita run` for the engine ray."""

from __future__ import annotations

from partita.errors import InputError


def add_options(parser) -> None:
    """Those of RayOptions (ray_cluster.py) that the command line has."""
    group = parser.add_argument_group("with --engine ray")
    group.add_argument("--address", metavar="ADDRESS",
                       help="of the cluster (default: RAY_ADDRESS; without any, Ray is started here)")
    group.add_argument("--gpus-per-device", type=float, metavar="N", help="that a device asks the cluster for")
    group.add_argument("--resource", action="append", default=[], metavar="NAME=AMOUNT", help="what else it asks for")
    group.add_argument("--strategy", metavar="NAME", help="PACK: few nodes (default), SPREAD: many; STRICT_PACK, ...")
    group.add_argument("--group", type=int, metavar="N", help="samples in one message (default: what takes 20 ms)")


def chosen(options) -> dict:
    """What was given, as arguments of `partita.run`; refused for another engine."""
    given = {"address": options.address, "gpus_per_device": options.gpus_per_device,
             "resources": parse_resources(options.resource) or None, "strategy": options.strategy,
             "group": options.group}
    given = {name: value for name, value in given.items() if value is not None}
    if given and options.engine != "ray":
        option = next(iter(given)).replace("resources", "resource").replace("_", "-")
        raise InputError(f"--{option} is for --engine ray; the engine is {options.engine}")
    return given


def parse_resources(texts: list[str]) -> dict[str, float]:
    """
    >>> parse_resources(["tpu=1", "memory_gb=0.5"])
    {'tpu': 1.0, 'memory_gb': 0.5}
    """
    found = {}
    for text in texts:
        name, _, amount = text.partition("=")
        try:
            found[name] = float(amount)
        except ValueError:
            raise InputError(f"--resource: found {text!r}, expected NAME=AMOUNT, as in tpu=1") from None
    return found
