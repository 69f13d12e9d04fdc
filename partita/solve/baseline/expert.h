// SPDX-License-Identifier: Apache-2.0
// Somebody's own split, from a file, made whole: the paper's human experts.
//
// The listing's nodes are where it puts them: its i-th accelerator is the platform's i-th, and so for hosts. A split of
// the forward pass is extended to training. A node that is not listed goes where its colour class is, by the class's
// first listed member in the file's order (if the listing itself tears a class apart, that stays as it is, and `check`
// says so). This is what the paper's code does, and it gives the paper's values in all cells that have one.
//
// Orphans, that is backward nodes whose class has no forward node, must be placed here too (the original gives up).
// Each class goes to the device with which it shares the dearest edges, among those that can run it; those next to
// placed ones first, in the order of the trace. Orphans without any such neighbour go where the class before them in
// the trace is, or the first after, if it can run them.
//
// The paper evaluates one split for throughput and latency; in its table of latencies BERT-24's expert uses six
// accelerators where the input has five (its code does not count them): ask with --accelerators 6 to get that cell. A
// split for latency that is not contiguous has no value here; the paper's code cuts it into contiguous pieces without
// an order. Nothing is made better: `check` tells what is wrong with the split. Near-linear. Tests:
// tests/solve/baselines_test.cpp, tests/golden/baselines_test.cpp.
#pragma once

#include <optional>

#include "partita/model/problem.h"
#include "partita/model/split.h"

namespace partita::detail {

// Nothing if the listing is not of this workload: it names nodes that the graph does not have or names one twice, uses
// devices that the platform does not have, leaves out a forward node without a listed colour mate, or some orphan can
// run on no device.
std::optional<Split> expert_split(const Problem& problem, const SplitListing& listing);

}  // namespace partita::detail
