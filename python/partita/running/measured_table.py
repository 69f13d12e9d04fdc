# SPDX-License-Identifier: Apache-2.0
"""Predicted against measured, as a table for people."""

from __future__ import annotations

_WORTH_A_NOTE = 0.05  # of the time


def table(measured) -> str:
    """A row for each device, then the time per sample, in ms."""
    with_plan = any(device.predicted for device in measured.devices)
    rows = [_heads(with_plan)]
    slowest = measured.bottleneck
    for device in measured.devices:
        stages = ",".join(str(stage + 1) for stage in device.stages)
        row = [stages, device.name]
        for name in ("compute", "into", "out"):
            figure = getattr(device.measured, name).median
            if with_plan:
                row.append(_time(getattr(device.predicted, name)) if device.predicted else "-")
            row.append(_time(figure))
        if with_plan:
            row += [
                _time(device.predicted.load) if device.predicted else "-",
                _time(device.load),
                _percent(device.error),
            ]
        else:
            row.append(_time(device.load))
        row.append("*" if device is slowest and len(measured.devices) > 1 else "")
        rows.append(row)
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = ["  ".join(_aligned(cell, width, column) for column, (cell, width) in enumerate(zip(row, widths))).rstrip()
             for row in rows]
    if with_plan:
        lines.insert(0, "times in ms: predicted by the plan, then measured (median)")
    else:
        lines.insert(0, "times in ms, measured (median)")
    return "\n".join([*lines, "", *_summary(measured)])


def _heads(with_plan: bool) -> list[str]:
    if not with_plan:
        return ["stage", "device", "compute", "in", "out", "load", ""]
    heads = ["stage", "device"]
    for name in ("compute", "in", "out", "load"):
        heads += [name, "measured"]
    return [*heads, "error", ""]


def _summary(measured) -> list[str]:
    time = measured.time_per_sample
    noise = f"{_time(measured.low)} to {_time(measured.high)} in {len(measured.blocks)} blocks"
    lines = [f"time per sample  {_time(time)} ms measured ({noise}), {1000 / time:.4g} samples/s" if time else
             "time per sample  below the clock's resolution"]
    if measured.predicted is not None:
        lines.append(f"                 {_time(measured.predicted)} ms predicted: measured {_percent(measured.error)}")
    counted = measured.samples - measured.warm_up
    lines.append(f"{counted} samples after {measured.warm_up} of warm-up, at most {measured.window} in flight")
    if len(measured.devices) > 1:
        lines.append(f"* the slowest device: {measured.bottleneck.name}")
    for device in measured.devices:
        if (share := device.settings.get("core_taken") or 0) > _WORTH_A_NOTE:
            lines.append(f"note: other programs had the core of {device.name} for {100 * share:.0f} % of the time")
    return lines


def _time(milliseconds: float) -> str:
    return f"{milliseconds:.4g}" if milliseconds < 1000 else f"{milliseconds:.0f}"


def _percent(error: float | None) -> str:
    return "-" if error is None else f"{100 * error:+.1f} %"


def _aligned(cell: str, width: int, column: int) -> str:
    return cell.ljust(width) if column == 1 else cell.rjust(width)
