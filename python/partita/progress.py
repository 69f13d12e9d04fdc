# SPDX-License-Identifier: Apache-2.0
"""A line that shows how a search goes on: on a terminal, and in a notebook."""

from __future__ import annotations

import contextlib
import math
import sys
import time
from typing import Any, Callable, Iterator

SHOWN_AFTER = 0.5  # seconds: a search that is over sooner needs no line
REDRAWN_AFTER = 0.1


def _in_notebook() -> bool:
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    return type(shell).__name__ == "ZMQInteractiveShell"


def line_of(value: float, bound: float, seconds: float, limit: float, unit: str) -> str:
    """One line: what was found, what was proved, and how much of the time is gone.

    >>> line_of(4.0, 3.0, 6.0, 60.0, "ms")
    'planning: 4 ms, bound 3 ms, gap 25.0 %, 6 s of 60 s'
    """
    unit = f" {unit}" if unit else ""
    time_text = f"{seconds:.0f} s" if math.isinf(limit) else f"{seconds:.0f} s of {limit:.0f} s"
    if math.isinf(value):
        return f"planning: no split yet, bound {bound:.6g}{unit}, {time_text}"
    gap = (value - bound) / value if value > 0 else 0.0
    return f"planning: {value:.6g}{unit}, bound {bound:.6g}{unit}, gap {gap:.1%}, {time_text}".replace("%,", " %,")


class TerminalLine:
    """Rewrites the last line of standard error, and leaves nothing behind."""

    def __init__(self) -> None:
        self.width = 0

    def show(self, text: str) -> None:
        sys.stderr.write("\r" + text.ljust(self.width))
        sys.stderr.flush()
        self.width = len(text)

    def close(self) -> None:
        if self.width:
            sys.stderr.write("\r" + " " * self.width + "\r")
            sys.stderr.flush()


class NotebookLine:
    """Text below the cell that is replaced as it changes."""

    def __init__(self) -> None:
        self.display: Any = None

    def show(self, text: str) -> None:
        from IPython.display import display

        data = {"text/plain": text}
        if self.display is None:
            self.display = display(data, raw=True, display_id=True)
        else:
            self.display.update(data, raw=True)

    def close(self) -> None:
        if self.display is not None:
            self.display.update({"text/plain": ""}, raw=True)


def _line(progress: bool | None) -> TerminalLine | NotebookLine | None:
    if progress is False:
        return None
    if _in_notebook():
        return NotebookLine()
    if progress or (sys.stderr is not None and sys.stderr.isatty()):
        return TerminalLine()
    return None


@contextlib.contextmanager
def progress_callback(
    callback: Callable | None, progress: bool | None, limit: float, unit: str
) -> Iterator[Callable | None]:
    """What to hand the search: the user's callback, with a line shown beside it where somebody looks."""
    line = _line(progress)
    if line is None:
        yield callback
        return
    drawn = -math.inf

    def both(value: float, bound: float, seconds: float) -> Any:
        nonlocal drawn
        now = time.monotonic()
        if seconds >= SHOWN_AFTER and now - drawn >= REDRAWN_AFTER:
            drawn = now
            line.show(line_of(value, bound, seconds, limit, unit))
        return None if callback is None else callback(value, bound, seconds)

    try:
        yield both
    finally:
        line.close()
