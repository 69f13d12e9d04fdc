// SPDX-License-Identifier: Apache-2.0
// As many layers on every accelerator: what most engines do when nobody tells them otherwise.
//
// With n layers and k accelerators, layer i (from 0) is on accelerator floor(i k / n), so counts differ by one at most;
// neither times nor memory nor transfers are looked at. This is the default of Megatron-LM and of vLLM's pipeline
// parallelism. A layer is a group: a colour class, or a node without a colour, with cycles contracted; so on a graph of
// operators each of them counts as a layer, unless layers were made colour classes before. The order is the file's,
// corrected where it is not topological; backward nodes follow their forward ones, so the split is staged.
//
// Accelerators of several classes stand in the order of the platform, and are all given as much.
//
// A group that its accelerator cannot run goes to the first host that can, and the split may then have no shape: ask
// `check`. Without accelerators the hosts share the layers. O(nodes + edges) after the reduction. Tests:
// tests/solve/baselines_test.cpp.
#pragma once

#include <optional>

#include "partita/model/problem.h"
#include "partita/model/split.h"

namespace partita::detail {

// Nothing if some group can run neither there nor on a host.
std::optional<Split> even_layers_split(const Problem& problem);

}  // namespace partita::detail
