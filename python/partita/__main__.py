# SPDX-License-Identifier: Apache-2.0
"""`python -m partita COMMAND`: what only the Python package can do. All else is the program `partita`."""

from __future__ import annotations

import argparse
import sys

from partita.errors import Error, InputError

_INTERRUPTED = 130  # as shells report it
_BAD_INPUT = 2
_FAILED = 1


def main(arguments: list[str] | None = None) -> int:
    """The exit code: 0 done, 1 the pipeline broke, 2 what was given is wrong, 130 Ctrl-C."""
    from partita.onnx import command as measuring
    from partita.running import command_line as running

    parser = argparse.ArgumentParser(prog="python -m partita", description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(title="commands", dest="command", required=True, metavar="COMMAND")
    running.add_to(commands)
    measuring.add_to(commands)
    options = parser.parse_args(arguments)
    try:
        options.run(options)
    except KeyboardInterrupt:
        print("partita: interrupted; all processes have ended", file=sys.stderr)
        return _INTERRUPTED
    except Error as error:
        print(f"partita: {error}", file=sys.stderr)
        return _BAD_INPUT if isinstance(error, InputError) else _FAILED
    return 0


if __name__ == "__main__":
    sys.exit(main())
