// SPDX-License-Identifier: Apache-2.0
// What the nodes of a measured workload did: its file names operators and sizes of outputs, but no shapes.
//
// A product of A (m x k) and B (k x n) has sizes mk, kn and mn, of which the shapes follow: k^2 = mk * kn / mn. Shapes of convolutions
// follow from the sizes of three tensors (convolution_shape.h), helped by batch norms: these make statistics beside their planes, whose size
// tells the number of channels. The batch is the largest number that divides both the elements that batch norms have of each channel and
// the rows that weights multiply; so the planes are known, and whether they lie as a multiplier wants them. Products of activations (batches
// of small matrices) have one size more than equations; they are bound by memory where they matter, and count with their bytes alone.
#pragma once

#include "partita/cost/estimate.h"
#include "partita/model/workload.h"

namespace partita::detail {

// By node; elements of its tensors have so many bytes.
IdVector<NodeId, Work> work_of_measured(const Workload& workload, DataType type);

}  // namespace partita::detail
