// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/staged/setups/solve_setups.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "partita/model/result.h"
#include "partita/reduce/setup_shrink.h"
#include "partita/reduce/shrink.h"
#include "partita/reduce/threshold.h"
#include "partita/solve/shared/incumbent.h"
#include "partita/solve/staged/orders.h"
#include "partita/solve/staged/setups/border_splits.h"
#include "partita/solve/staged/setups/chain_bound.h"
#include "partita/solve/staged/setups/pack_clusters.h"
#include "partita/solve/staged/setups/pipeline_value.h"
#include "partita/solve/staged/setups/presolve_setups.h"
#include "partita/solve/staged/setups/segment_search.h"
#include "partita/util/statistics.h"
#include "partita/util/within_limits.h"

namespace partita::detail {
namespace {

// A pipeline is worth finding if it is better by more than this; refuting it closes the gap as far as anybody asks.
constexpr double kImprovement = 1e-9;
constexpr const char* kByWork = "the work is more than the devices can do in less time";
constexpr const char* kByWindows = "relaxation: no sequence of windows of work fits below the bound";
constexpr const char* kByChain = "relaxation: no way to cut a chain of groups fits below the bound";
constexpr const char* kBySearch = "exhaustive search: no chain of ideals fits below the bound";

class SetupSolver {
 public:
  SetupSolver(const SetupInstance& instance, const SetupOptions& options, Budget& budget, const Sink& sink)
      : graph_(instance.graph),
        rules_(instance.rules),
        options_(options),
        budget_(budget),
        best_(budget, sink),
        rng_(options.seed) {
    if (rules_.has_clusters()) flat_ = without_clusters(rules_);
  }

  SetupOutcome run() {
    within_limits(budget_, [this] { work(); });
    return best_.outcome();
  }

 private:
  void work() {
    if (options_.hint.infeasible) return best_.prove_infeasible();
    best_.raise_bound(options_.hint.bound, options_.hint.proof);
    if (!options_.hint.order.empty()) try_order(options_.hint.order);
    if (!graph_.order().has_closure()) return try_orders(settings().first_orders);
    if (!done()) try_orders(1);
    refresh_base();
    raise_by_work();
    if (options_.search && best_.split() && rules_.memory_model == MemoryModel::OneF1B) raise_by_chain();
    try_orders(options_.search ? settings().first_orders : kLinearOrders);
    if (options_.search && !best_.split()) look_for_any();
    if (!options_.search || !best_.split()) return;
    bisect_by_windows();
    climb();
  }

  const SetupSettings& settings() const { return options_.settings; }
  PresolveSetupsOptions presolving(int rounds = kWindowRounds) const { return {rounds, options_.presolve}; }
  double value() const { return best_.value(); }
  double limit_to_beat() const { return value() * (1 - kImprovement); }
  double limit_of_interest() const { return best_.split() ? limit_to_beat() : most_load(); }
  bool done() const { return budget_.exhausted() || best_.closed(std::max(options_.gap, 2 * kImprovement)); }
  void refuted(double limit, const char* proof) { best_.raise_bound(limit * (1 - kRoundingSlack), proof); }

  // The graph presolved for everything below the best value. What holds below one value holds below every smaller one,
  // so later presolves start from here.
  void refresh_base() {
    const double limit = limit_of_interest();
    PresolvedSetups small = presolve_setups(searched(), rules_, limit, presolving(), budget_);
    if (small.infeasible) refuted(limit, kByWindows);
    if (base_) small.contraction.lift = compose(base_->lift, small.contraction.lift);
    base_ = std::move(small.contraction);
    shrunk_yes_from_.fill(kUnlimited);
    relax_base(limit);
    best_.tell(Progress::Event::Reduced, base_->graph.size(),
               fmt::format("{} groups -> {}", graph_.size(), base_->graph.size()));
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
    relaxed_.emplace(Relaxation{std::move(rules), std::move(contraction)});
  }

  void offer_lifted(std::vector<PipelinePart> parts) {
    if (base_) parts = lift_parts(base_->lift, parts);
    const double found = pipeline_value(graph_, rules_, parts);
    best_.offer({found, std::move(parts)});
  }

  const SetupGraph& searched() const { return base_ ? base_->graph : graph_; }

  // The least time in which the devices can do the work, by bisection: more time never does less.
  void raise_by_work() {
    const WorkMeasure measure(base_->graph, rules_);
    const IdVector<ClassId, int> devices = all_devices(rules_);
    const auto enough = [&](double limit) {
      double most = 0;
      for (ClassId c : devices.all()) most += measure.most(c, devices[c] * limit);
      return most >= measure.total() * (1 - kRoundingSlack);
    };
    double low = 0, high = 1;
    while (!enough(high) && high < kUnlimited) high *= 2;
    for (int i = 0; i < kBisections; ++i) {
      const double limit = (low + high) / 2;
      (enough(limit) ? high : low) = limit;
    }
    refuted(low, kByWork);
  }

  // On the shrunk graph first where it is much smaller: windows see more where less floats.
  void bisect_by_windows() {
    if (settings().relaxation && setups_can_shrink(rules_)) {
      const ShrunkSetups shrunk = shrink_setups(base_->graph, rules_, limit_to_beat(), kShrinkDoses[0], budget_);
      if (kMuchSmaller * shrunk.removed.size() > base_->graph.size()) bisect_by_windows(shrunk.graph);
    }
    bisect_by_windows(base_->graph);
  }

  void bisect_by_windows(const SetupGraph& graph) {
    double low = best_.bound(), high = limit_to_beat();
    for (int i = 0; i < settings().bisections && high - low > kBisectTo * high && !done(); ++i) {
      const double limit = (low + high) / 2;
      Technique bisection(budget_, "setups.bisection", "limits refuted");
      const bool infeasible = presolve_setups(graph, rules_, limit, presolving(kQuickRounds), budget_).infeasible;
      bisection.yield(infeasible);
      if (infeasible) refuted(limit, kByWindows);
      (infeasible ? low : high) = limit;
    }
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
    if (!flat_) return offer_lifted(std::move(found->parts));
    if (auto packed = pack_into_clusters(rules_, *flat_, found->parts)) offer_lifted(std::move(*packed));
  }

  // The same questions as for the graph itself, with the groups in one line: first whether there is any pipeline (or
  // one within the given limit), then for less and less.
  void try_line(const std::vector<GroupId>& order, double first, double precision) {
    const SetupGraph line = in_line(searched(), order);
    if (!line.order().has_closure()) return;  // too large to search in
    Budget slice(budget_, settings().line_ticks);
    if (line.size() > kLongLine) {
      const SetupContraction blocks = contract(line, blocks_of(line));
      if (blocks.graph.order().has_closure()) search_line(blocks.graph, &blocks.lift, order, first, precision, slice);
    }
    search_line(line, nullptr, order, first, precision, slice);
  }

  // A long line in blocks of equal work: stages end between blocks alone, but the first splits come at once.
  IdVector<GroupId, GroupId> blocks_of(const SetupGraph& line) const {
    const WorkMeasure measure(line, rules_);
    IdVector<GroupId, GroupId> block;
    double work = 0;
    for (GroupId v : line.all()) {
      work += measure.work(v);
      const double place = measure.total() > 0 ? work / measure.total() : 1;
      block.push_back(GroupId(std::min(kBlocks - 1, static_cast<std::size_t>(place * kBlocks))));
    }
    return block;
  }

  // `lift`: to the line, of a graph that was made smaller; null: it is the line.
  void search_line(const SetupGraph& line, const Lift* lift, const std::vector<GroupId>& order, double first,
                   double precision, Budget& slice) {
    double low = best_.bound(), high = limit_of_interest();
    for (double limit = std::min(first, high); !slice.exhausted(); limit = (low + high) / 2) {
      auto [answer, parts] = search_presolved(line, rules_, limit, presolving(kQuickRounds), slice);
      if (answer == Answer::Unknown) return;
      if (answer == Answer::Yes) {
        if (lift) parts = lift_parts(*lift, parts);
        name_groups(order, parts);
        high = std::min(limit, pipeline_value(searched(), rules_, parts));
        offer_lifted(std::move(parts));
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
    Link link;
    for (const ClusterType& type : rules_.clusters) {
      factor = std::max(factor, type.factor);
      for (const Link& there : type.links) link = most_of(link, there);
    }
    for (GroupId v : graph_.all()) {
      for (ClassId c : graph_.classes()) most += graph_.compute(c, v) + graph_.time(c, v).recompute;
      sync += factor * graph_.memory(v).weights / rules_.sync_bandwidth;
    }
    for (NetId e : graph_.nets()) most += 2 * price(link, graph_.traffic(e));
    return most + sync * static_cast<double>(rules_.clusters.size() + 1);
  }

  // Memory binds so tightly that no order could be cut: ask the exact search whether there is anything.
  void look_for_any() {
    if (ask(most_load(), budget_.limits().ticks) == Answer::No) best_.prove_infeasible();
  }

  // The question that would close the gap is asked first. Where it is too hard, or was worth asking, others halve the
  // gap before it is asked again.
  void climb() {
    std::uint64_t slice = settings().first_slice;
    bool direct = true;
    double share = 0.5;
    while (!done()) {
      const double gap = value() - best_.bound();
      direct = direct || gap < kNearlyClosed * value();
      const Answer answer = ask(direct ? limit_to_beat() : best_.bound() + gap * share, slice);
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
      try_borders();
      if (!asked_again_) ask_again();
    }
  }

  // Bounds that are not worth their time where the search is quick.
  void ask_again() {
    asked_again_ = true;
    if (rules_.memory_model != MemoryModel::OneF1B) raise_by_chain();
    if (!options_.another_hint || done()) return;
    const SetupHint hint = options_.another_hint();
    if (hint.infeasible) return best_.prove_infeasible();
    best_.raise_bound(hint.bound, hint.proof);
  }

  void raise_by_chain() {
    const SetupRules& rules = flat_ ? *flat_ : rules_;
    if (!ChainBound::worthwhile(rules) || done()) return;
    const WorkMeasure measure(base_->graph, rules);
    ChainBound chain(base_->graph, rules, measure, value());
    double low = best_.bound(), high = limit_to_beat();
    for (int i = 0; i < settings().bisections && !done(); ++i) {
      const double limit = i == 0 ? high : (low + high) / 2;  // first the one that closes the gap
      Technique asking(budget_, "setups.chain", "limits refuted");
      const bool refutes = chain.refutes(limit);
      asking.yield(refutes);
      if (refutes) refuted(limit, kByChain);
      (refutes ? low : high) = limit;
    }
  }

  // The sides of each row of borders quickly, then those of the best row in full. Only where questions are too hard:
  // elsewhere the search itself finds the best split sooner.
  void try_borders() {
    if (!has_plain_clusters(rules_) || done()) return;
    Technique borders(budget_, "setups.borders", "better splits");
    const double before = value();
    const std::vector<GroupId> order = order_to_try(base_->graph.order(), borders_tried_++, rng_);
    Budget slice(budget_, settings().line_ticks);
    for (const bool search : {false, true}) {
      StagedOptions sides{search, kLinePrecision, options_.seed, {}, options_.presolve};
      auto found = split_at_borders(base_->graph, rules_, order, limit_to_beat(), sides, slice);
      if (found) offer_lifted(std::move(found->parts));
    }
    borders.yield(value() < before);
    if (value() < before && !done()) refresh_base();
  }

  struct Found {
    Answer answer;
    std::vector<PipelinePart> parts;
  };

  // The relaxation is asked first: its no is a no, and its yes often leads to a split as good as it says.
  Answer ask(double limit, std::uint64_t ticks) {
    Budget slice(budget_, ticks);
    const PresolvedSetups small = presolve_setups(base_->graph, rules_, limit, presolving(), slice);
    if (small.infeasible) return no(limit, kByWindows);
    if (shrunk_says_no(small.contraction.graph, limit, ticks, slice)) return no(limit, kBySearch);
    if (relaxed_) {
      Technique relaxation(budget_, "setups.relaxation", "limits refuted");
      const auto [answer, parts] =
          search_presolved(relaxed_->contraction.graph, relaxed_->rules, limit, presolving(), slice);
      relaxation.yield(answer == Answer::No);
      if (answer == Answer::No) return no(limit, kBySearch);
      if (answer == Answer::Yes && holds_for_real(lift_parts(relaxed_->contraction.lift, parts), limit)) return yes();
    }
    Technique exact(budget_, "setups.search", "limits decided");
    const auto [answer, parts] = search_from_either_end(small.contraction.graph, limit, slice);
    exact.yield(answer != Answer::Unknown);
    if (answer == Answer::No) return no(limit, kBySearch);
    if (answer != Answer::Yes) return answer;
    offer_lifted(lift_parts(small.contraction.lift, parts));
    return yes();
  }

  // Smaller graphs on which every pipeline costs no more (reduce/setup_shrink.h), the smallest first: if one has none
  // within the limit, neither has the graph. What has some at a limit has them at larger ones too; if one takes too
  // long, so would the next. With clusters, of all devices next to each other.
  bool shrunk_says_no(const SetupGraph& small, double limit, std::uint64_t ticks, Budget& slice) {
    const SetupGraph& graph = relaxed_ && rules_.has_clusters() ? relaxed_->contraction.graph : small;
    const SetupRules& rules = relaxed_ && rules_.has_clusters() ? relaxed_->rules : rules_;
    if (!settings().relaxation || !setups_can_shrink(rules) || !graph.order().has_closure()) return false;
    Technique relaxation(budget_, "setups.shrink", "limits refuted");
    std::size_t removed = 0;
    for (std::size_t i = 0; i < std::size(kShrinkDoses); ++i) {
      if (limit >= shrunk_yes_from_[i]) continue;
      const ShrunkSetups shrunk = shrink_setups(graph, rules, limit, kShrinkDoses[i], slice);
      if (kWorthShrinking * shrunk.removed.size() <= graph.size() || shrunk.removed.size() == removed) continue;
      removed = shrunk.removed.size();
      Budget half(slice, ticks / 2);
      const Answer answer = search_presolved(shrunk.graph, rules, limit, presolving(), half).answer;
      relaxation.yield(answer == Answer::No);
      if (answer == Answer::No) return true;
      if (answer == Answer::Unknown) return false;
      shrunk_yes_from_[i] = limit;
    }
    return false;
  }

  // Some graphs are much easier from one end: a host beside clusters can take any of many sets at one end of the
  // pipeline, and few at the other. Where the samples in flight are counted from the end, there is no choice.
  Found search_from_either_end(const SetupGraph& graph, double limit, Budget& slice) {
    if (!settings().both_ends || rules_.memory_model == MemoryModel::OneF1B || !rules_.has_clusters())
      return search(graph, rules_, limit, slice);
    const SetupGraph mirrored = reversed(graph);
    for (const std::uint64_t ticks : {kFirstLook, settings().first_slice, Budget::Limits{}.ticks}) {
      Budget from_the_end(slice, ticks);
      Found found = search(graph, rules_, limit, from_the_end);
      if (found.answer != Answer::Unknown || slice.exhausted()) return found;
      Budget from_the_beginning(slice, ticks);
      found = search(mirrored, rules_, limit, from_the_beginning);
      found.parts = turned_round(std::move(found.parts), mirrored.size());
      if (found.answer != Answer::Unknown || slice.exhausted()) return found;
    }
    return {Answer::Unknown, {}};
  }

  Answer no(double limit, const char* proof) {
    refuted(limit, proof);
    return Answer::No;
  }
  Answer yes() {
    refresh_base();
    return Answer::Yes;
  }

  // A pipeline of the relaxation as one of the base: as it is or, with clusters, in whatever way its order allows.
  bool holds_for_real(std::vector<PipelinePart> parts, double limit) {
    if (!rules_.has_clusters()) {
      offer_lifted(std::move(parts));
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

  Found search_presolved(const SetupGraph& graph, const SetupRules& rules, double limit,
                         const PresolveSetupsOptions& options, Budget& slice) {
    const PresolvedSetups small = presolve_setups(graph, rules, limit, options, slice);
    if (small.infeasible) return {Answer::No, {}};
    Found found = search(small.contraction.graph, rules, limit, slice);
    found.parts = lift_parts(small.contraction.lift, found.parts);
    return found;
  }

  Found search(const SetupGraph& graph, const SetupRules& rules, double limit, Budget& slice) {
    Found found{Answer::Unknown, {}};
    std::size_t ideals = 0;
    const bool enough = within_limits(slice, [&] {
      const WorkMeasure measure(graph, rules);
      std::optional<SetupWindows> windows;
      if (settings().windows && SetupWindows::worthwhile(rules)) {
        const int buckets = settings().search_buckets;
        windows.emplace(graph, rules, measure, limit, rules.has_clusters() ? std::max(1, buckets / 4) : buckets, slice);
        if (!windows->feasible()) {
          found.answer = Answer::No;
          return;
        }
      }
      SegmentSearch search(graph, rules, measure, Segment(graph, rules), limit, measure.total(), slice,
                           windows ? &*windows : nullptr);
      const Answer answer = search.run();
      out_of_memory_ = search.out_of_memory();
      ideals = search.ideals();
      if (answer == Answer::Yes) found.parts = search.parts();
      found.answer = answer;
    });
    out_of_memory_ = out_of_memory_ || !enough;
    const char* word = found.answer == Answer::Yes ? "yes" : found.answer == Answer::No ? "no" : "unknown";
    best_.tell(Progress::Event::Searching, graph.size(),
               fmt::format("limit {:.6g}: {}, {} groups, {} ideals", limit, word, graph.size(), ideals));
    return found;
  }

  static constexpr int kLinearOrders = 3, kBisections = 100, kWindowRounds = 6, kQuickRounds = 2;
  static constexpr std::size_t kCoarseFrom = 3000;
  static constexpr std::size_t kLongLine = 300, kBlocks = 120;
  static constexpr std::size_t kWorthShrinking = 8, kMuchSmaller = 4;  // if more than one group in so many vanishes
  static constexpr std::uint64_t kFirstLook = 1'000'000;
  static constexpr double kLinePrecision = 1e-3, kNearlyClosed = 1e-4, kSmallestShare = 0.06, kBisectTo = 1e-3;

  const SetupGraph& graph_;
  const SetupRules& rules_;
  const SetupOptions& options_;
  std::optional<SetupRules> flat_;  // without clusters, where there are some
  Budget& budget_;
  Incumbent<SetupPipeline> best_;
  Rng rng_;
  std::optional<SetupContraction> base_;
  struct Relaxation {
    SetupRules rules;
    SetupContraction contraction;  // of the base
  };
  std::optional<Relaxation> relaxed_;
  std::array<double, std::size(kShrinkDoses)>
      shrunk_yes_from_{};  // limits at which the shrunk base has pipelines, by dose
  int orders_tried_ = 0, borders_tried_ = 0;
  bool out_of_memory_ = false;  // in the last search
  bool asked_again_ = false;
};

}  // namespace

SetupOutcome solve_setups(const SetupInstance& instance, const SetupOptions& options, Budget& budget,
                          const Sink& sink) {
  return SetupSolver(instance, options, budget, sink).run();
}

}  // namespace partita::detail
