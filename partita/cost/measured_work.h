// SPDX-License-Identifier: Apache-2.0
// What the nodes of a measured workload did: its file names operators and sizes of outputs, but no shapes.
//
// A product of A (m x k) and B (k x n) has sizes mk, kn and mn, of which the shapes follow: k^2 = mk * kn / mn. A convolution
// has the sizes of its input (N C H W), its weights (K C R S) and its output (N K P Q). For a kernel of R S elements and a stride,
// K^2 = (K C R S / R S) * (N K P Q / N C H W) * (stride^2), and K, C and the rest must be whole numbers: the first of the usual kernels and strides
// that makes them so is taken. (A stride of two is then often taken for half as many channels, and its arithmetic counts double.) Products of activations (batches of small matrices) have one size more than equations; they
// are bound by memory where they matter, and count with their bytes alone.
#pragma once

#include "partita/cost/estimate.h"
#include "partita/model/workload.h"

namespace partita::detail {

// By node; elements of its tensors have so many bytes.
IdVector<NodeId, Work> work_of_measured(const Workload& workload, DataType type);

}  // namespace partita::detail
