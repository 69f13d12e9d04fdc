# SPDX-License-Identifier: Apache-2.0
"""What a run has measured, fed back: times of operators such that the plan would have predicted what was seen.

All operators of a stage are scaled by one factor, as nothing tells them apart. What the engine did between samples
belongs to every stage. A stage that is off by less than the noise is left as it is: corrections that chase noise make
plans worse, not better.
"""

from __future__ import annotations

from dataclasses import replace

from partita.errors import InputError
from partita.onnx.measurement import Measurement
from partita.onnx.statistics import center
from partita.plan_file import PlanFile
from partita.running.measured import Measured

CLOSE = 0.05  # a prediction that is off by no more than this part is good
_LEAST_NOISE, _MOST_NOISE = 0.02, 0.1
_MOST = 5.0  # a factor beyond this, or below its inverse, is the machine's fault, not the measurement's


def noise_of(measured: Measured) -> float:
    """The part of the time by which blocks of samples differ from their median: the median distance, at least 2 %. A
    machine that is noisier than 10 % is taken for one of 10 %: what is off by more must be looked at all the same."""
    if not measured.time_per_sample:
        return _LEAST_NOISE
    return min(_MOST_NOISE, max(_LEAST_NOISE, center(measured.blocks).spread / measured.time_per_sample))


def holds(measured: Measured) -> bool:
    """Whether the prediction is as good as can be seen."""
    if measured.error is None:
        raise InputError("the run had no plan, so nothing was predicted")
    return abs(measured.error) <= max(CLOSE, noise_of(measured))


def stage_factors(measured: Measured) -> dict[str, float]:
    """By device: what its operators' times must be multiplied with; 1 where the noise explains it."""
    between = max(0.0, measured.time_per_sample - max(device.load for device in measured.devices))
    noise = noise_of(measured)
    factors = {}
    for device in measured.devices:
        predicted = device.predicted
        if predicted is None or predicted.compute <= 0:
            continue
        seen = device.load + between
        if abs(seen / predicted.load - 1) <= noise:
            continue
        passing = predicted.load - predicted.compute / device.sharing
        factor = (seen - passing) * device.sharing / predicted.compute
        factors[device.name] = min(_MOST, max(1 / _MOST, factor))
    return factors


def recalibrated(measurement: Measurement, plan: PlanFile, measured: Measured) -> Measurement:
    """The measurement with operators of each stage as long as the stage was, and links no faster than was seen."""
    factors = stage_factors(measured)
    names = {int(key): name for key, name in plan.content.get("node_names", {}).items()}
    by_operator = {
        names[node]: factors[device.name]
        for device in plan.devices
        if device.name in factors
        for node in device.nodes
        if node in names
    }
    return replace(
        measurement.scaled(by_operator), link=replace(measurement.link, **_slower_link(measurement, measured))
    )


def repriced(plan: PlanFile, measurement: Measurement) -> PlanFile:
    """An older plan with what the newer measurement predicts of it: times of operators; transfers as they were."""
    names = {int(key): name for key, name in plan.content.get("node_names", {}).items()}
    seconds = {one.name: one.seconds for one in measurement.operators}
    unit = plan.milliseconds(1.0) / 1e3  # seconds in a unit of the plan's time
    devices = []
    for device in plan.devices:
        compute = sum(seconds.get(names.get(node), 0.0) for node in device.nodes) / unit
        devices.append(replace(device, compute=compute, load=compute + device.into + device.out))
    return replace(plan, devices=tuple(devices), value=max(device.load for device in devices))


def _slower_link(measurement: Measurement, measured: Measured) -> dict:
    """Links are only ever made slower: the engine hands over memory in place, so that what a transfer costs is partly
    in the times of the operators that read it first, and a short `in` or `out` proves nothing."""
    with_plan = [device for device in measured.devices if device.predicted]
    predicted = sum(device.predicted.into + device.predicted.out for device in with_plan)
    seen = sum(device.measured.into.median + device.measured.out.median for device in with_plan)
    if predicted <= 0 or seen <= predicted * (1 + noise_of(measured)):
        return {}
    factor = min(_MOST, seen / predicted)
    return {"latency": measurement.link.latency * factor, "bandwidth": measurement.link.bandwidth / factor}
