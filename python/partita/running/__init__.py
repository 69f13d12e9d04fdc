# SPDX-License-Identifier: Apache-2.0
"""Runs plans: the stages of a model as a pipeline, on this machine or over a cluster."""

from partita.running.runs import RunResult, run, stream

__all__ = ["RunResult", "run", "stream"]
