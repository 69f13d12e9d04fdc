// SPDX-License-Identifier: Apache-2.0
#include "python/bindings/search_arguments.h"

#include <fmt/format.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <vector>

#include "partita/check/check.h"
#include "partita/model/fingerprint.h"
#include "partita/util/error.h"

namespace partita::python {
namespace {

Algorithm algorithm_called(const std::string& name) {
  if (name == "auto") return Algorithm::Auto;
  if (name == "exact") return Algorithm::Exact;
  if (name == "linear") return Algorithm::Linear;
  if (name == "ip") return Algorithm::Ip;
  throw InputError(ErrorKind::Usage, "PlanOptions::algorithm",
                   fmt::format("'{}' is not one of its values; expected auto, exact, linear or ip", name));
}

template <class Value>
Value value_of(const nb::dict& arguments, const char* name) {
  return nb::cast<Value>(arguments[name]);
}

}  // namespace

PlanOptions search_options(const nb::dict& arguments) {
  PlanOptions options;
  options.algorithm = algorithm_called(value_of<std::string>(arguments, "algorithm"));
  options.gap = value_of<double>(arguments, "gap");
  options.threads = value_of<int>(arguments, "threads");
  options.seed = value_of<std::uint64_t>(arguments, "seed");
  options.contract_layers = value_of<bool>(arguments, "contract_layers");
  options.certificate = value_of<bool>(arguments, "certificate");
  if (options.certificate && options.contract_layers)  // a bound on such splits would be taken for one on all
    throw InputError(ErrorKind::Usage, "PlanOptions::certificate", "cannot be used together with contract_layers");
  for (const std::string& assignment : value_of<std::vector<std::string>>(arguments, "settings"))
    set(options.settings, assignment);
  return options;
}

Budget::Limits search_limits(const nb::dict& arguments) {
  Budget::Limits limits;
  limits.seconds = value_of<double>(arguments, "time_limit");
  limits.memory_bytes = value_of<std::size_t>(arguments, "memory_bytes");
  if (arguments.contains("ticks")) limits.ticks = value_of<std::uint64_t>(arguments, "ticks");
  return limits;
}

Split start_split(const PlanHandle& start, const Problem& problem) {
  if (!start.plan.result.split) throw InputError(ErrorKind::Usage, "start", "the plan has no split to start from");
  const std::string own = fingerprint(problem.workload->graph), other = fingerprint(start.problem.workload->graph);
  if (own != other) {
    throw InputError(
        ErrorKind::Usage, "start",
        fmt::format("is a plan for another graph: its fingerprint is {}, that of this one is {}", other, own));
  }
  const CheckReport report = check(problem, *start.plan.result.split);
  if (report.legal()) return *start.plan.result.split;
  throw InputError(ErrorKind::IllegalSplit, "start", report.violations.front().message);
}

}  // namespace partita::python
