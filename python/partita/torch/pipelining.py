# SPDX-License-Identifier: Apache-2.0
"""Stages in `torch.distributed.pipelining`: as manual stages, or as a policy for its own tracer."""

from __future__ import annotations

import torch

from partita.torch.placement import stage_of_graph


def pipeline_stage(part, index: int, count: int, device="cpu", group=None):
    """A stage of `partita.torch.stages` as a `PipelineStage`, for the process that runs it.

    Shapes are given rather than found out by a first run, which would count in batch norm's statistics:

        stage = pipeline_stage(parts[rank], rank, len(parts), device)
        ScheduleGPipe(stage, n_microbatches=4, loss_fn=loss).step(x)    # the first stage; the last one: step(target=y)
    """
    from torch.distributed.pipelining import PipelineStage

    return PipelineStage(part, index, count, torch.device(device),
                         input_args=tuple(passed.example(device) for passed in part.passed_in),
                         output_args=tuple(passed.example(device) for passed in part.passed_on), group=group)


def split_policy(plan):
    """A policy for `torch.distributed.pipelining.pipeline`, which traces the module and cuts it where the policy says.

    The plan must be of the same module and microbatch. Operators are put in the order of stages; all else is the
    tracer's.

        pipe = pipeline(module, mb_args=(x,), split_policy=partita.torch.split_policy("plan.json"))
        stage = pipe.build_stage(rank, device)
    """
    def policy(traced: torch.fx.GraphModule) -> torch.fx.GraphModule:
        import torch.distributed.pipelining  # noqa: F401, registers the operator

        graph = traced.graph
        stage, count = stage_of_graph(plan, graph, "module")
        output = next(node for node in graph.nodes if node.op == "output")
        for place in range(count):
            inside = [node for node in graph.nodes if stage.get(node) == place]
            if place:
                with graph.inserting_before(output):
                    graph.call_function(torch.ops.pippy._pipe_split.default)  # what `pipe_split()` is traced as
            for node in inside:
                output.prepend(node)
        graph.lint()
        traced.recompile()
        return traced

    return policy
