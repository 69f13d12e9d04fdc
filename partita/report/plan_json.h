// SPDX-License-Identifier: Apache-2.0
// Writes plans: Partita's own versioned JSON, and the paper code's output format (docs/formats.md).
#pragma once

#include <string>

#include "partita/check/check.h"
#include "partita/model/fingerprint.h"
#include "partita/model/platform_spec.h"
#include "partita/model/problem.h"
#include "partita/model/result.h"
#include "partita/model/settings.h"
#include "partita/util/statistics.h"

namespace partita {

// Plans and simulations list idle devices on platforms of up to so many devices; on larger ones, those in use alone.
inline constexpr std::size_t kIdleListedUpTo = 256;

// How the search went, besides its result.
struct RunRecord {
  Settings settings = {};                  // those that differ from their defaults are written
  const Statistics* statistics = nullptr;  // null: nobody asked for them
  ModelRecord model = {};                  // its fingerprint is not read
  bool contract_layers = false;            // bound and status are those of splits that keep layers together
  std::string engine = {};                 // whose rules the plan keeps; empty: nobody's
};

// A plan of `result`, with the loads as `report` recomputed them. A result without a split gives a plan without
// devices. The version of the plan is the oldest that understands it. `devices`: the platform with what the nodes' times were
// made of, for others to make them again; without classes, it is the workload's platform. A plan that names another
// platform than the workload's is checked with these.
std::string plan_json(const Problem& problem, const Result& result, const CheckReport& report,
                      const PlatformSpec& devices = {}, const RunRecord& run = {});

// The paper code's format: maxLoad, fpgas[].nodes, cpus[].nodes, original ids. Where accelerators may run several
// subgraphs, each subgraph is an entry of its own. Throws InputError(Unsupported) for a split with copies or with
// stages that recompute, which the format cannot express. Precondition: result.split.
std::string seed_json(const Problem& problem, const Result& result, const CheckReport& report);

// The same from a listing alone, for `convert`; loads are written as -1 where the listing does not hold them.
std::string seed_json(const SplitListing& listing);

}  // namespace partita
