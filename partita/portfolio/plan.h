// SPDX-License-Identifier: Apache-2.0
// What a caller asks of plan() besides the problem, and what comes back.
#pragma once

#include <cstdint>
#include <optional>

#include "partita/check/check.h"
#include "partita/model/certificate.h"
#include "partita/model/layer_ends.h"
#include "partita/model/result.h"
#include "partita/model/settings.h"
#include "partita/model/split.h"

namespace partita {

enum class Algorithm {
  Auto,    // the best portfolio for the question
  Exact,   // the exact dynamic program over ideals
  Linear,  // the linearised dynamic program (DPL): fast, bound from the relaxation only
  Ip,      // the integer program of the question, by CBC or HiGHS: slow, but for every shape and objective
};

struct PlanOptions {
  Algorithm algorithm = Algorithm::Auto;
  // Nodes of one layer share a device (reduce/layers.h). Value and split are those of the problem itself; bound and
  // status then speak of the splits that keep layers together.
  bool contract_layers = false;
  LayerEnds layer_ends = LayerEnds::Apart;  // with contract_layers: what then holds before and behind all layers
  double gap = 0;                           // stop once (value - bound)/value is at most this
  // At most this many. With more than one, answers may differ from run to run where several are as good, or where a
  // limit ends the search; what is claimed of them holds as with one.
  int threads = 1;
  std::uint64_t seed = 1;  // for the random orders tried by the heuristics
  // Look for a certificate of the bound also where that takes time of its own, once the answer is known: staged splits
  // and latency, for which the search then has seven tenths of the time. The other certificates come with the bounds,
  // asked or not.
  bool certificate = false;
  Settings settings = {};  // of the solvers, for research
  // A split that is there already: the answer is never worse than it, where it is legal, and says that it is it where
  // nothing better was found.
  std::optional<Split> start = {};
};

struct Plan {
  Result result;
  // Of result.bound, where it has one that was verified; of staged splits and latency, if asked for, and its limit may
  // be less.
  std::optional<Certificate> certificate;
  CheckReport report;  // of result.split, where there is one
};

}  // namespace partita
