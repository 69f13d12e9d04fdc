// SPDX-License-Identifier: Apache-2.0
#include "partita/check/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>

#include "partita/check/copies.h"
#include "partita/check/latency.h"
#include "partita/check/limits.h"
#include "partita/check/loads.h"
#include "partita/check/memory.h"
#include "partita/check/placement.h"
#include "partita/check/shape.h"
#include "partita/check/shared_links.h"
#include "partita/check/wishes.h"

namespace partita {

using namespace detail;

namespace {

void check_placement(const Problem& problem, const Placement& placement, CheckReport& report) {
  const bool latency = problem.objective == Objective::Latency;
  const ClusterTree clusters(problem.workload->platform);
  measure_passes(problem, placement, clusters, report);
  share_stages(problem, placement, clusters, report);
  // Memory may depend on the order of the stages, so the shape comes before it, but is told after it.
  const std::vector<Violation> of_shape =
      latency ? std::vector<Violation>() : check_shape(problem, placement, clusters, report);
  measure_memory(problem, placement, report);
  fill_copies(report);
  add_up_loads(problem, report);
  measure_shared_links(problem, placement, clusters, report);

  check_memory(problem, report);
  check_colours(problem, placement, report);
  check_support(problem, placement, report);
  check_wishes(problem, placement, report);
  if (latency) {
    check_subgraphs(problem, placement, report);
    measure_latency(problem, placement, clusters, report);
  } else {
    report.violations.insert(report.violations.end(), of_shape.begin(), of_shape.end());
    report.value = throughput_value(problem, report);
  }
}

void check_claim(const Problem& problem, double claimed, CheckReport& report) {
  if (!std::isfinite(report.value)) return;  // nothing to compare with; the circle has been named
  const double tolerance = kValueTolerance * std::max(std::abs(claimed), std::abs(report.value));
  // Written so that a claim that is no number is wrong.
  if (std::isfinite(claimed) && std::abs(claimed - report.value) <= tolerance) return;
  report.violations.push_back(
      {Violation::Kind::Value, fmt::format("the split claims the value {:.10g}, but its {} is {:.10g}", claimed,
                                           to_string(problem.objective), report.value)});
}

}  // namespace

CheckReport check(const Problem& problem, const Split& split) {
  CheckReport report;
  const Placement placement = match_split(problem, split, report.violations);
  check_placement(problem, placement, report);
  return report;
}

CheckReport check(const Problem& problem, const SplitListing& listing) {
  CheckReport report;
  const Placement placement = match_listing(problem, listing, report.violations);
  check_placement(problem, placement, report);
  if (listing.claimed_value) check_claim(problem, *listing.claimed_value, report);
  return report;
}

double pass_load(const PassLoad& pass, TransferMode mode) {
  switch (mode) {
    case TransferMode::Sum: return pass.compute + pass.in + pass.out;
    case TransferMode::Overlap: return std::max(pass.compute, pass.in + pass.out);
    case TransferMode::Duplex: return std::max({pass.compute, pass.in, pass.out});
  }
  assert(false && "no such transfer mode");
  return 0;
}

double shared_load(double load, std::size_t sharing, double sync, TransferMode mode) {
  const double own = load / static_cast<double>(sharing);
  return mode == TransferMode::Sum ? own + sync : std::max(own, sync);
}

PassLoads pass_loads(const Problem& problem, const DeviceReport& device) {
  const bool training = problem.workload->graph.has_backward();
  const auto shared = [&](const PassLoad& pass, bool with_sync) {
    return shared_load(pass_load(pass, problem.transfers), device.sharing, with_sync ? device.sync : 0,
                       problem.transfers);
  };
  return {shared(device.forward, !training), shared(device.backward, training)};
}

const char* to_string(Violation::Kind kind) {
  switch (kind) {
    case Violation::Kind::UnknownNode: return "unknown node";
    case Violation::Kind::DuplicateNode: return "duplicate node";
    case Violation::Kind::MissingNode: return "missing node";
    case Violation::Kind::TooManyDevices: return "too many devices";
    case Violation::Kind::Memory: return "memory";
    case Violation::Kind::Colour: return "colour";
    case Violation::Kind::Support: return "support";
    case Violation::Kind::Subgraph: return "subgraph";
    case Violation::Kind::Copies: return "copies";
    case Violation::Kind::Recompute: return "recompute";
    case Violation::Kind::Pin: return "pin";
    case Violation::Kind::Together: return "together";
    case Violation::Kind::Apart: return "apart";
    case Violation::Kind::Shape: return "shape";
    case Violation::Kind::Value: return "value";
  }
  return "?";
}

}  // namespace partita
