# SPDX-License-Identifier: Apache-2.0
"""What happens to tensors at the borders of stages.

- They keep their strides. Engines send contiguous memory, so a tensor that is dense in another order of its
  dimensions is sent in that order and turned back behind the border: both are views. Others (slices, expanded ones)
  arrive contiguous.
- In training, engines expect a gradient for everything that they have passed on, also for token ids, masks, and
  tensors that are then only compared. A tensor without gradient travels in a floating-point tensor of the same bits
  (`ToCarrier`, `FromCarrier`), and the last stage that takes a tensor gives it a gradient of zeros, plus what it has
  (`Tie`).

They are modules, not functions, so that stages can be pickled: `torch.fx` keeps calls of modules as they are.
"""

from __future__ import annotations

import torch

_SAME_SIZE = {8: torch.float64, 4: torch.float32, 2: torch.float16}


def sending_order(value) -> tuple[int, ...] | None:
    """The order of dimensions in which a tensor is dense; None if it is contiguous, or dense in no order.

    >>> sending_order(torch.empty(2, 3, 4).transpose(0, 2))
    (2, 1, 0)
    """
    if value.is_contiguous():
        return None
    order = tuple(sorted(range(value.dim()), key=lambda i: (-value.stride(i), i)))
    expected = 1
    for i in reversed(order):
        if value.shape[i] != 1 and value.stride(i) != expected:
            return None
        expected *= value.shape[i]
    return order


def inverse(order: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(order.index(i) for i in range(len(order)))


class ToCarrier(torch.nn.Module):
    """A tensor without gradient, as a floating-point tensor that can have one."""

    def forward(self, value):
        value = value.detach()
        if not value.is_floating_point():
            if value.element_size() == 1:
                value = value.to(torch.float16)  # exact for all 256 values
            else:
                value = value.view(_SAME_SIZE[value.element_size()])
        return value.requires_grad_() if torch.is_grad_enabled() else value


class FromCarrier(torch.nn.Module):
    """The way back, to a tensor of the given type."""

    def __init__(self, dtype):
        super().__init__()
        self.dtype = dtype

    def forward(self, carrier):
        carrier = carrier.detach()
        if self.dtype.is_floating_point:
            return carrier
        if self.dtype.itemsize == 1:
            return carrier.to(self.dtype)
        return carrier.view(self.dtype)


class Tie(torch.nn.Module):
    """`value`, such that its backward pass adds zeros to the gradients of the others: all have one then."""

    def forward(self, value, *carriers):
        return _ZeroGradients.apply(value, *carriers) if torch.is_grad_enabled() else value


class _ZeroGradients(torch.autograd.Function):
    @staticmethod
    def forward(ctx, value, *carriers):
        ctx.carriers = [(carrier.shape, carrier.dtype, carrier.device) for carrier in carriers]
        return value.view_as(value)

    @staticmethod
    def backward(ctx, gradient):
        return (gradient, *(torch.zeros(shape, dtype=dtype, device=device) for shape, dtype, device in ctx.carriers))


def carrier_dtype(dtype):
    """The type in which a tensor of type `dtype` travels.

    >>> carrier_dtype(torch.int64)
    torch.float64
    """
    return dtype if dtype.is_floating_point else torch.float16 if dtype.itemsize == 1 else _SAME_SIZE[dtype.itemsize]
