# SPDX-License-Identifier: Apache-2.0
"""What the commands of `python -m partita` share: how they are declared, and what their options mean."""

from __future__ import annotations

import argparse

from partita.errors import InputError


def add_command(commands, name: str, run, *, help: str, description: str, examples: str) -> argparse.ArgumentParser:
    """A parser for one command; `run` is called with what was chosen."""
    parser = commands.add_parser(
        name,
        help=help,
        description=description,
        epilog=examples,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.set_defaults(run=run)
    return parser


def add_shared_options(parser) -> None:
    """Those of all commands that open a model on devices."""
    parser.add_argument(
        "--cores-per-device", type=int, default=1, metavar="N", help="threads of each device (default 1)"
    )
    parser.add_argument(
        "--dim", action="append", default=[], metavar="NAME=SIZE", help="the size of an open dimension (default 1)"
    )


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
