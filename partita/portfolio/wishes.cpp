// SPDX-License-Identifier: Apache-2.0
// The cases are answered one after the other, in the order of their simple bounds (first_answer.h), so that a good split
// comes early. A case whose simple bound is no less than the best value so far is left out. Of the time that is left, each
// case has an equal share with those behind it; what it does not need is theirs. Pins alone are one case, which has all.
//
// The optimum is the least of the cases' optima, so the least of the bounds holds for the problem, and where every case
// is infeasible so is the problem. A certificate speaks of a case, which no file holds, and is dropped. `check` measures the
// split for the problem as it was asked, and holds it to the wishes by code of its own.
#include "partita/portfolio/wishes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "partita/portfolio/first_answer.h"
#include "partita/portfolio/settle.h"
#include "partita/reduce/joined_classes.h"
#include "partita/reduce/node_name.h"
#include "partita/reduce/wish_cases.h"

namespace partita::detail {
namespace {

class WishPortfolio {
 public:
  WishPortfolio(const Problem& problem, const PlanOptions& options, Budget& budget, const Sink& sink,
                const WishlessAnswer& answer)
      : problem_(problem), options_(options), budget_(budget), sink_(sink), answer_(answer) {}

  Plan run() {
    plan_.result.seed = options_.seed;
    const WishGroups groups = group_by_wishes(problem_);
    if (!groups.contradiction.empty()) {
      rule_out("a wish that no split keeps", groups.contradiction);
    } else {
      const WishCases cases(groups);
      several_ = cases.size() > 1;
      answer_all(cases);
    }
    plan_.result.seconds = budget_.seconds_used();
    const Result& result = plan_.result;
    if (sink_ && (several_ || result.status == Status::Infeasible))
      sink_({Progress::Event::Done, result.seconds, result.value, result.bound, 0, result.proof});
    return std::move(plan_);
  }

 private:
  void rule_out(std::string proof, std::string reason) {
    plan_.result.status = Status::Infeasible;
    plan_.result.proof = std::move(proof);
    plan_.result.reason = std::move(reason);
  }

  void answer_all(const WishCases& cases) {
    bounds_.assign(cases.size(), kUnlimited);
    proofs_.assign(cases.size(), "simple bounds of the cases");
    for (std::size_t i = 0; i < cases.size(); ++i) {
      const WishCase one = cases.make(i);
      if (one.possible) bounds_[i] = several_ ? first_bound(one.problem) : 0;
    }
    std::vector<std::size_t> order(cases.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::erase_if(order, [&](std::size_t i) { return bounds_[i] == kUnlimited; });
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return bounds_[i]; });
    for (std::size_t k = 0; k < order.size(); ++k) {
      if (bounds_[order[k]] >= best_value_) continue;
      answer_case(cases.make(order[k]), order[k], order.size() - k);
    }
    conclude(cases.size());
  }

  void answer_case(const WishCase& one, std::size_t number, std::size_t cases_left) {
    Budget slice(budget_, budget_.ticks_left() / cases_left, budget_.seconds_left() / static_cast<double>(cases_left));
    const Plan found = answer_(one.problem, several_ ? slice : budget_, several_ ? news_of(number) : sink_);
    const Result& result = found.result;
    if (result.status == Status::Infeasible) {
      bounds_[number] = kUnlimited;
      if (reason_.empty()) reason_ = result.reason;
      return;
    }
    if (result.bound >= bounds_[number]) {
      bounds_[number] = result.bound;
      proofs_[number] = result.proof;
    }
    unverified_ = unverified_ || result.unverified;
    if (!result.split || result.value >= best_value_) return;
    best_value_ = result.value;
    best_ = lifted(one, *result.split);
  }

  Split lifted(const WishCase& one, const Split& found) const {
    Split split = lift_joined(problem_, found);
    split = lift_devices(one.devices, problem_.workload->platform.device_count(), split);
    for (const auto& [node, device] : one.to_swap) {
      const DeviceId holder = split.device_of[node];
      split = swap_devices(std::move(split), holder, device);
    }
    return split;
  }

  // What a case tells, as far as it holds for all of them.
  Sink news_of(std::size_t number) {
    if (!sink_) return {};
    double others = kUnlimited;
    for (std::size_t i = 0; i < bounds_.size(); ++i) {
      if (i != number) others = std::min(others, bounds_[i]);
    }
    return [this, others](const Progress& progress) {
      if (progress.event == Progress::Event::Done) return;
      Progress news = progress;
      news.value = std::min(best_value_, progress.value);
      news.bound = std::min({others, progress.bound, news.value});
      sink_(news);
    };
  }

  void conclude(std::size_t cases) {
    const std::string ways = several_ ? fmt::format("in {} cases of what is apart", cases) : "with the wishes";
    const auto least = std::ranges::min_element(bounds_);
    if (least == bounds_.end() || *least == kUnlimited) {
      if (reason_.empty()) return rule_out("a wish that no split keeps", no_device_left());
      return rule_out(ways + ": no split exists", ways + ": " + reason_);
    }
    const double bound = *least;
    Result& result = plan_.result;
    result.bound = bound;
    result.proof = fmt::format("{}: {}", ways, proofs_[static_cast<std::size_t>(least - bounds_.begin())]);
    result.unverified = unverified_;
    if (!best_) {
      result.reason = kNoSplitYet;
      return;
    }
    result.split = std::move(best_);
    // Where host nodes wait for cores, rounding may decide which is first: the value is whatever `check` says.
    if (problem_.strict_host_cores) return settle_status(problem_, bound, plan_);
    settle_status(problem_, best_value_, bound, plan_);
  }

  std::string no_device_left() const {
    std::string list;
    for (const std::vector<NodeId>& nodes : problem_.wishes.apart) {
      for (NodeId v : nodes) list += (list.empty() ? "" : ", ") + name_node(problem_.workload->graph.nodes[v]);
    }
    return fmt::format("too few devices that can run them for the nodes to be apart ({})", list);
  }

  const Problem& problem_;
  const PlanOptions& options_;
  Budget& budget_;
  const Sink& sink_;
  const WishlessAnswer& answer_;
  Plan plan_;
  bool several_ = false;
  std::vector<double> bounds_;  // by case: no split of it is below this; infinite where it has none
  std::vector<std::string> proofs_;
  std::optional<Split> best_;
  double best_value_ = kUnlimited;
  std::string reason_;  // why the first case without a split has none
  bool unverified_ = false;
};

}  // namespace

Plan answer_with_wishes(const Problem& problem, const PlanOptions& options, Budget& budget, const Sink& sink,
                        const WishlessAnswer& answer) {
  return WishPortfolio(problem, options, budget, sink, answer).run();
}

}  // namespace partita::detail
