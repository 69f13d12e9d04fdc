# SPDX-License-Identifier: Apache-2.0
"""Medians and error bars."""

from __future__ import annotations

from partita.onnx.measurement import Time


def center(values) -> Time:
    """The median, and the median distance from it: half of the values lie within. Robust against the few runs that
    something else on the machine has disturbed.

    >>> center([3.0, 1.0, 2.0, 100.0, 2.0])
    Time(seconds=2.0, spread=1.0)
    """
    import numpy

    middle = float(numpy.median(values))
    return Time(middle, float(numpy.median(numpy.abs(numpy.asarray(values) - middle))))


def without_bookkeeping(seconds: list[float], whole: float, most: float = 15e-6) -> list[float]:
    """Operators' times such that they add up to `whole`.

    The profiler notes shapes and sizes of each operator within its time, 5 to 15 us, and sees nothing of what lies
    between two operators: both are the same for every operator. So the difference is first taken off in equal parts (at
    most `most` of each, and nine tenths of it), and the rest, which is the machine's, in proportion.

    >>> [round(1e6 * one, 3) for one in without_bookkeeping([10e-6, 110e-6], 100e-6)]
    [1.0, 99.0]
    """
    total = sum(seconds)
    if not seconds or total <= 0 or whole <= 0:
        return list(seconds)
    each = _equal_part(seconds, total - whole, most) if total > whole else 0.0
    left = [max(one - each, one / 10) for one in seconds]
    factor = whole / sum(left)
    return [one * factor for one in left]


def _equal_part(seconds: list[float], excess: float, most: float) -> float:
    """What to take off each, where none goes below a tenth: by bisection."""
    low, high = 0.0, most
    for _ in range(60):
        middle = (low + high) / 2
        taken = sum(min(middle, 0.9 * one) for one in seconds)
        low, high = (middle, high) if taken < excess else (low, middle)
    return low
