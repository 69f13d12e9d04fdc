# SPDX-License-Identifier: Apache-2.0
"""Which values of a forward pass have gradients."""

from __future__ import annotations

import torch

from partita.torch.forward import Forward


def nodes_with_gradient(forward: Forward) -> set:
    """The nodes whose results depend on a trained parameter in a way that can be differentiated."""
    from torch._subclasses.fake_tensor import FakeTensorMode

    found = set()

    class Run(torch.fx.Interpreter):
        def run_node(self, node):
            result = super().run_node(node)
            if isinstance(result, torch.Tensor) and result.requires_grad:
                found.add(node)
            return result

    mode = FakeTensorMode(allow_non_fake_inputs=True)
    values = [mode.from_tensor(value.detach().requires_grad_(value.requires_grad), static_shapes=True)
              if isinstance(value, torch.Tensor) else value for value in forward.values()]
    with mode, torch.enable_grad():
        Run(forward.graph_module).run(*values)
    return found
