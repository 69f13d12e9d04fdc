// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/staged/setups/solve_setups.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "partita/model/result.h"
#include "partita/reduce/setup_presolve.h"
#include "partita/reduce/threshold.h"
#include "partita/solve/staged/orders.h"
#include "partita/solve/staged/setups/pack_clusters.h"
#include "partita/solve/staged/setups/pipeline_value.h"
#include "partita/solve/staged/setups/segment_search.h"
#include "partita/util/statistics.h"
#include "partita/util/within_limits.h"

namespace partita {
namespace {

// A pipeline is worth finding if it is better by more than this; refuting it closes the gap as far as anybody asks.
constexpr double kImprovement = 1e-9;
constexpr const char* kByWork = "the work is more than the devices can do in less time";
constexpr const char* kSearch = "search over ideals";
constexpr const char* kBySearch = "exhaustive search: no chain of ideals fits below the bound";

class SetupSolver {
 public:
  SetupSolver(const SetupInstance& instance, const SetupOptions& options, Budget& budget, const Sink& sink)
      : graph_(instance.graph),
        rules_(instance.rules),
        options_(options),
        budget_(budget),
        sink_(sink),
        rng_(options.seed) {
    outcome_.proof = "loads are not negative";
    if (rules_.has_clusters()) flat_ = without_clusters(rules_);
  }

  SetupOutcome run() {
    within_limits(budget_, [this] { work(); });
    return std::move(outcome_);
  }

 private:
  void work() {
    if (options_.hint.infeasible) {
      outcome_.infeasible = true;
      return;
    }
    raise(options_.hint.bound, options_.hint.proof);
    if (!options_.hint.order.empty()) try_order(options_.hint.order);
    if (!graph_.order().has_closure()) return try_orders(settings().first_orders);
    if (!done()) try_orders(1);
    refresh_base();
    raise_by_work();
    try_orders(options_.search ? settings().first_orders : kLinearOrders);
    if (options_.search && !outcome_.pipeline) look_for_any();
    if (options_.search && outcome_.pipeline) climb();
  }

  const SetupSettings& settings() const { return options_.settings; }
  double value() const { return outcome_.pipeline ? outcome_.pipeline->value : kUnlimited; }
  double limit_to_beat() const { return value() * (1 - kImprovement); }
  bool done() const {
    return budget_.exhausted() ||
           (outcome_.pipeline && value() - outcome_.bound <= std::max(options_.gap, 2 * kImprovement) * value());
  }

  void tell(Progress::Event event, std::string detail) const {
    if (sink_) sink_({event, budget_.seconds_used(), value(), outcome_.bound, searched().size(), std::move(detail)});
  }
  void offer(SetupPipeline pipeline, const char* found_by) {
    if (pipeline.value >= value()) return;
    outcome_.pipeline = std::move(pipeline);
    tell(Progress::Event::Split, found_by);
  }
  void raise(double bound, const std::string& proof) {
    bound = std::min(bound, value());
    if (bound <= outcome_.bound) return;
    outcome_.bound = bound;
    outcome_.proof = proof;
    tell(Progress::Event::Bound, proof);
  }

  // The graph presolved for everything below the best value. What holds below one value holds below every smaller one,
  // so later presolves start from here.
  void refresh_base() {
    const double limit = outcome_.pipeline ? limit_to_beat() : most_load();
    SetupContraction base = presolve(base_ ? base_->graph : graph_, rules_, limit, options_.presolve, budget_);
    if (base_) base.lift = compose(base_->lift, base.lift);
    base_ = std::move(base);
    measure_.emplace(base_->graph, rules_);
    mirrored_.reset();
    relax_base(limit);
    tell(Progress::Event::Reduced, fmt::format("{} groups -> {}", graph_.size(), base_->graph.size()));
  }

  // All devices next to each other, and nothing to exchange for groups that take no time: what no is an answer to
  // there, it is an answer to here.
  void relax_base(double limit) {
    relaxed_.reset();
    const bool exchanges = rules_.replicas > 1 && rules_.sync_bandwidth < kUnlimited;
    if (!settings().relaxation || (!exchanges && !rules_.has_clusters())) return;
    SetupRules rules = flat_ ? *flat_ : rules_;
    if (DeviceCounts::vectors(rules.root()) > DeviceCounts::kMost) return;
    SetupContraction contraction = presolve(exchanges ? without_idle_weights(base_->graph) : base_->graph, rules, limit,
                                            options_.presolve, budget_);
    if (!rules_.has_clusters() && contraction.graph.size() == base_->graph.size()) return;
    WorkMeasure measure(contraction.graph, rules);
    relaxed_.emplace(Relaxation{std::move(rules), std::move(contraction), std::move(measure)});
  }

  void offer_lifted(std::vector<PipelinePart> parts, const char* found_by) {
    if (base_) parts = lift_parts(base_->lift, parts);
    const double found = pipeline_value(graph_, rules_, parts);
    offer({found, std::move(parts)}, found_by);
  }

  const SetupGraph& searched() const { return base_ ? base_->graph : graph_; }

  // The least time in which the devices can do the work, by bisection: more time never does less.
  void raise_by_work() {
    const IdVector<ClassId, int> devices = all_devices(rules_);
    const auto enough = [&](double limit) {
      double most = 0;
      for (ClassId c : devices.all()) most += measure_->most(c, devices[c] * limit);
      return most >= measure_->total() * (1 - kRoundingSlack);
    };
    double low = 0, high = 1;
    while (!enough(high) && high < kUnlimited) high *= 2;
    for (int i = 0; i < kBisections; ++i) {
      const double limit = (low + high) / 2;
      (enough(limit) ? high : low) = limit;
    }
    raise(low * (1 - kRoundingSlack), kByWork);
  }

  void try_orders(int count) {
    for (int i = 0; i < count && !done(); ++i) try_order(order_to_try(searched().order(), orders_tried_++, rng_));
  }

  void try_order(const std::vector<GroupId>& order) {
    Technique linear(budget_, "setups.linear", "better splits");
    const double before = value();
    if (order.size() > kCoarseFrom) try_linear(order, order.size() / 500);
    try_linear(order, 1);
    if (rules_.has_clusters() && !done()) try_line(order, kUnlimited, kLinePrecision);
    linear.yield(value() < before);
  }
  // With clusters: as if there were none, and then as many stages to a cluster as fit.
  void try_linear(const std::vector<GroupId>& order, std::size_t stride) {
    SetupRules rules = flat_ ? *flat_ : rules_;
    rules.replicas = rules_.replicas;  // in one cluster there are no more
    if (DeviceCounts::vectors(rules.root()) > DeviceCounts::kMost) return;
    auto found = linear_pipeline(searched(), rules, order, limit_to_beat(), stride, budget_);
    if (!found) return;
    if (!flat_) return offer_lifted(std::move(found->parts), "linearised");
    if (auto packed = pack_into_clusters(rules_, *flat_, found->parts)) offer_lifted(std::move(*packed), "linearised");
  }

  // The same questions as for the graph itself, with the groups in one line: first whether there is any pipeline (or
  // one within the given limit), then for less and less.
  void try_line(const std::vector<GroupId>& order, double first, double precision) {
    const SetupGraph line = in_line(searched(), order);
    if (!line.order().has_closure()) return;  // too large to search in
    const WorkMeasure measure(line, rules_);
    Budget slice(budget_, settings().line_ticks);
    double low = outcome_.bound, high = outcome_.pipeline ? limit_to_beat() : most_load();
    for (double limit = std::min(first, high); !slice.exhausted(); limit = (low + high) / 2) {
      SegmentSearch search(line, rules_, measure, Segment(line, rules_), limit, measure.total(), slice);
      const Answer answer = search.run();
      if (answer == Answer::Unknown) return;
      if (answer == Answer::Yes) {
        std::vector<PipelinePart> parts = search.parts();
        name_groups(order, parts);
        high = std::min(limit, pipeline_value(searched(), rules_, parts));
        offer_lifted(std::move(parts), "linearised");
      } else {
        low = limit;
      }
      if (high - low <= precision * high) return;
    }
  }

  static void name_groups(const std::vector<GroupId>& order, std::vector<PipelinePart>& parts) {
    for (PipelinePart& part : parts) {
      for (GroupId& v : part.groups) v = order[v.index()];
      name_groups(order, part.parts);
    }
  }

  // More than any load can be.
  double most_load() const {
    double most = 1, factor = 1, sync = 0;
    for (const ClusterType& type : rules_.clusters) factor = std::max(factor, type.factor);
    double link = 1;
    for (const SetupClass& c : rules_.classes) link = std::max(link, c.link_factor);
    for (GroupId v : graph_.all()) {
      for (ClassId c : graph_.classes()) most += graph_.compute(c, v) + graph_.time(c, v).recompute;
      sync += factor * graph_.memory(v).weights / rules_.sync_bandwidth;
    }
    for (NetId e : graph_.nets()) most += 2 * link * factor * graph_.cost(e);
    return most + sync * static_cast<double>(rules_.clusters.size() + 1);
  }

  // Memory binds so tightly that no order could be cut: ask the exact search whether there is anything.
  void look_for_any() {
    if (ask(most_load(), budget_.limits().ticks) == Answer::No) outcome_.infeasible = true;
  }

  // The question that would close the gap is asked first. Where it is too hard, or was worth asking, others halve the
  // gap before it is asked again.
  void climb() {
    std::uint64_t slice = settings().first_slice;
    bool direct = true;
    double share = 0.5;
    while (!done()) {
      const double gap = value() - outcome_.bound;
      direct = direct || gap < kNearlyClosed * value();
      const Answer answer = ask(direct ? limit_to_beat() : outcome_.bound + gap * share, slice);
      if (answer != Answer::Unknown) {
        share = std::min(0.5, share * 2);
        direct = false;
        continue;
      }
      if (out_of_memory_ && share < kSmallestShare) return;  // more time would end the same way
      if (!direct || gap < kNearlyClosed * value()) share *= 0.5;
      direct = false;
      if (share < kSmallestShare) {
        share = 0.5;
        slice *= 3;
      }
      try_orders(settings().orders_per_failure);
    }
  }

  struct Found {
    Answer answer;
    std::vector<PipelinePart> parts;
  };

  // The relaxation is asked first: its no is a no, and its yes often leads to a split as good as it says.
  Answer ask(double limit, std::uint64_t ticks) {
    Budget slice(budget_, ticks);
    if (relaxed_) {
      Technique relaxation(budget_, "setups.relaxation", "limits decided");
      const auto [answer, parts] =
          search(relaxed_->contraction.graph, relaxed_->rules, relaxed_->measure, limit, slice);
      relaxation.yield(answer == Answer::No);
      if (answer == Answer::No) return no(limit);
      if (answer == Answer::Yes && holds_for_real(lift_parts(relaxed_->contraction.lift, parts), limit)) return yes();
    }
    Technique exact(budget_, "setups.search", "limits decided");
    auto [answer, parts] = search_from_either_end(limit, slice);
    exact.yield(answer != Answer::Unknown);
    if (answer == Answer::No) return no(limit);
    if (answer != Answer::Yes) return answer;
    offer_lifted(std::move(parts), kSearch);
    return yes();
  }

  // Some graphs are much easier from one end: a host beside clusters can take any of many sets at one end of the
  // pipeline, and few at the other. Where the samples in flight are counted from the end, there is no choice.
  Found search_from_either_end(double limit, Budget& slice) {
    if (!settings().both_ends || rules_.memory_model == MemoryModel::OneF1B || !rules_.has_clusters())
      return search(base_->graph, rules_, *measure_, limit, slice);
    for (const std::uint64_t ticks : {kFirstLook, settings().first_slice, Budget::Limits{}.ticks}) {
      Budget from_the_end(slice, ticks);
      Found found = search(base_->graph, rules_, *measure_, limit, from_the_end);
      if (found.answer != Answer::Unknown || slice.exhausted()) return found;
      if (!mirrored_) mirror_base();
      Budget from_the_beginning(slice, ticks);
      found = search(mirrored_->graph, rules_, mirrored_->measure, limit, from_the_beginning);
      found.parts = turned_round(std::move(found.parts), mirrored_->graph.size());
      if (found.answer != Answer::Unknown || slice.exhausted()) return found;
    }
    return {Answer::Unknown, {}};
  }

  void mirror_base() {
    SetupGraph graph = reversed(base_->graph);
    WorkMeasure measure(graph, rules_);
    mirrored_.emplace(Mirrored{std::move(graph), std::move(measure)});
  }

  Answer no(double limit) {
    raise(limit * (1 - kRoundingSlack), kBySearch);
    return Answer::No;
  }
  Answer yes() {
    refresh_base();
    return Answer::Yes;
  }

  // A pipeline of the relaxation as one of the base: as it is or, with clusters, in whatever way its order allows.
  bool holds_for_real(std::vector<PipelinePart> parts, double limit) {
    if (!rules_.has_clusters()) {
      offer_lifted(std::move(parts), kSearch);
      return value() <= limit;
    }
    std::vector<GroupId> order;
    for (PipelinePart& part : parts) {
      std::sort(part.groups.begin(), part.groups.end());  // groups are numbered along the order
      order.insert(order.end(), part.groups.begin(), part.groups.end());
    }
    try_line(order, limit, kLinePrecision / 10);
    return value() <= limit;
  }

  Found search(const SetupGraph& graph, const SetupRules& rules, const WorkMeasure& measure, double limit,
               Budget& slice) {
    Found found{Answer::Unknown, {}};
    std::size_t ideals = 0;
    const bool enough = within_limits(slice, [&] {
      SegmentSearch search(graph, rules, measure, Segment(graph, rules), limit, measure.total(), slice);
      const Answer answer = search.run();
      out_of_memory_ = search.out_of_memory();
      ideals = search.ideals();
      if (answer == Answer::Yes) found.parts = search.parts();
      found.answer = answer;
    });
    out_of_memory_ = out_of_memory_ || !enough;
    const char* word = found.answer == Answer::Yes ? "yes" : found.answer == Answer::No ? "no" : "unknown";
    tell(Progress::Event::Searching,
         fmt::format("limit {:.6g}: {}, {} groups, {} ideals", limit, word, graph.size(), ideals));
    return found;
  }

  static constexpr int kLinearOrders = 3, kBisections = 100;
  static constexpr std::size_t kCoarseFrom = 3000;
  static constexpr std::uint64_t kFirstLook = 1'000'000;
  static constexpr double kLinePrecision = 1e-3, kNearlyClosed = 1e-4, kSmallestShare = 0.06;

  const SetupGraph& graph_;
  const SetupRules& rules_;
  const SetupOptions& options_;
  std::optional<SetupRules> flat_;  // without clusters, where there are some
  Budget& budget_;
  const Sink& sink_;
  Rng rng_;
  std::optional<SetupContraction> base_;
  std::optional<WorkMeasure> measure_;  // of the base
  struct Relaxation {
    SetupRules rules;
    SetupContraction contraction;  // of the base
    WorkMeasure measure;
  };
  std::optional<Relaxation> relaxed_;
  struct Mirrored {
    SetupGraph graph;
    WorkMeasure measure;
  };
  std::optional<Mirrored> mirrored_;  // the base turned round, once it is needed
  SetupOutcome outcome_;
  int orders_tried_ = 0;
  bool out_of_memory_ = false;  // in the last search
};

}  // namespace

SetupOutcome solve_setups(const SetupInstance& instance, const SetupOptions& options, Budget& budget,
                          const Sink& sink) {
  return SetupSolver(instance, options, budget, sink).run();
}

}  // namespace partita
