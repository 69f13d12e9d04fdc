// SPDX-License-Identifier: Apache-2.0
#include "partita/reduce/shrink.h"

#include <algorithm>

#include "partita/reduce/presolve/cheap_neighbour.h"
#include "partita/reduce/shrink_groups.h"
#include "partita/util/round_down.h"

namespace partita::detail {
namespace {

bool is_view(const Group& g) {
  return g.accelerator_time <= 0 && g.host_time <= 0 && g.memory <= 0 && g.on_accelerator && g.on_host;
}

template <class Graphs>
class Shrinker {
 public:
  Shrinker(const Graphs& graphs, const QuestionOf<Graphs>& question, const ShrinkDose& dose, const Budget& budget,
           ShrinkLog* log)
      : graphs_(graphs),
        question_(view(question, 0)),
        dose_(dose),
        budget_(budget),
        log_(log),
        groups_(view(graphs, 0), nets_by_pass(graphs, dose.narrow, log), log) {}

  Shrunk<Graphs> run() && {
    if (dose_.followers) {
      groups_.remove_followers(
          [this](GroupId v, GroupId w) { return has_nothing_but_time(view(graphs_, 0), question_, v, w); }, budget_);
    }
    groups_.remove_views([this](GroupId v) {
      for (std::size_t p = 0; p < kPassesOf<Graphs>; ++p) {
        if (!is_view(pass(p).group(v)) || time(p, v) > 0) return false;
      }
      return true;
    });
    if (!dose_.views_only()) remove_light();
    return result();
  }

 private:
  static constexpr bool kHasSum = kPassesOf<Graphs> != kViewsOf<Graphs>;  // a view of all passes together

  static std::vector<ShrinkingNets> nets_by_pass(const Graphs& graphs, bool narrow, ShrinkLog* log) {
    std::vector<ShrinkingNets> nets;
    for (std::size_t p = 0; p < kPassesOf<Graphs>; ++p)
      nets.emplace_back(StageWeights(view(graphs, kFirstPass<Graphs> + p)), narrow, p == 0 ? log : nullptr);
    return nets;
  }

  const StageGraph& pass(std::size_t p) const { return view(graphs_, kFirstPass<Graphs> + p); }
  double time(std::size_t p, GroupId v) const { return groups_.pass(p).weights().time(v); }
  // In all passes.
  double time(GroupId v) const {
    double sum = time(0, v);
    for (std::size_t p = 1; p < kPassesOf<Graphs>; ++p) sum = sum_rounded_down(sum, time(p, v));
    return sum;
  }

  void remove_light() {
    const StageGraph& whole = view(graphs_, 0);
    groups_.remove_light(
        question_.limit, dose_, [&](GroupId v) { return whole.group(v).on_accelerator; },
        [&](GroupId v) { return time(v); }, budget_);
  }

  Shrunk<Graphs> result() const {
    Shrunk<Graphs> shrunk{{}, groups_.removed(), groups_.lift()};
    if (!shrunk.changed()) return shrunk;
    const auto precedence = precedence_without(view(graphs_, 0), shrunk.lift);
    std::vector<Net> all;
    for (std::size_t p = 0; p < kPassesOf<Graphs>; ++p) {
      std::vector<Net> nets;
      for (auto& net : groups_.pass(p).nets(shrunk.lift)) nets.push_back({net.cost, std::move(net.members)});
      nets = joined_nets(std::move(nets));
      if (kHasSum) all.insert(all.end(), nets.begin(), nets.end());
      view(shrunk.graph, kFirstPass<Graphs> + p) = rebuilt(
          pass(p), [&](GroupId v) { return time(p, v); }, precedence, std::move(nets));
    }
    if constexpr (kHasSum)
      view(shrunk.graph, 0) = rebuilt(
          view(graphs_, 0), [&](GroupId v) { return time(v); }, precedence, joined_nets(std::move(all)));
    return shrunk;
  }

  // The groups of `graph` that are left, with new times.
  template <class Time>
  StageGraph rebuilt(const StageGraph& graph, Time time, const std::vector<std::pair<GroupId, GroupId>>& precedence,
                     std::vector<Net> nets) const {
    IdVector<GroupId, Group> groups;
    for (GroupId v : graph.all()) {
      if (groups_.gone(v)) continue;
      Group g = graph.group(v);
      g.accelerator_time = time(v);
      groups.push_back(g);
    }
    return StageGraph(std::move(groups), precedence, std::move(nets));
  }

  const Graphs& graphs_;
  const Threshold question_;
  const ShrinkDose dose_;
  const Budget& budget_;
  ShrinkLog* const log_;
  ShrinkingGroups<StageWeights> groups_;
};

// Which stages a removed group may be in, and what speaks for each.
template <class Graphs>
class ShrinkLifter {
 public:
  ShrinkLifter(const Graphs& graphs, const Shrunk<Graphs>& shrunk, const std::vector<Stage>& stages)
      : graphs_(graphs), order_(view(graphs, 0)), stages_(stages), stage_of_(graphs.size(), kNone) {
    std::vector<std::size_t> of_kept(shrunk.graph.size());
    for (std::size_t s = 0; s < stages.size(); ++s) {
      for (GroupId v : stages[s].groups) of_kept[v.index()] = s;
    }
    for (GroupId v : shrunk.lift.all()) {
      if (shrunk.lift[v].valid()) stage_of_[v] = of_kept[shrunk.lift[v].index()];
    }
  }

  std::vector<Stage> run() && {
    // The last stage that what follows allows; the first one is known once all that precedes has its stage.
    IdVector<GroupId, std::size_t> last(order_.size(), stages_.size() - 1);
    for (std::size_t i = order_.size(); i-- > 0;) {
      const GroupId v(i);
      for (GroupId w : order_.successors(v)) last[v] = std::min(last[v], last[w]);
      if (stage_of_[v] != kNone) last[v] = stage_of_[v];
    }
    for (GroupId v : order_.all()) {
      if (stage_of_[v] != kNone) continue;
      std::size_t first = 0;
      for (GroupId u : order_.predecessors(v)) first = std::max(first, stage_of_[u]);
      stage_of_[v] = best_stage(v, first, last[v]);
    }
    std::vector<Stage> result(stages_.size());
    for (std::size_t s = 0; s < stages_.size(); ++s) result[s].on_host = stages_[s].on_host;
    for (GroupId v : order_.all()) result[stage_of_[v]].groups.push_back(v);
    return result;
  }

 private:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  std::size_t best_stage(GroupId v, std::size_t first, std::size_t last) const {
    const Group& g = order_.group(v);
    std::vector<double> gain(last - first + 1);
    for (std::size_t s = first; s <= last; ++s) {
      const bool host = stages_[s].on_host;
      gain[s - first] = !(host ? g.on_host : g.on_accelerator) ? -std::numeric_limits<double>::infinity()
                                                               : -(host ? g.host_time : g.accelerator_time);
    }
    for (std::size_t i = kFirstPass<Graphs>; i < kViewsOf<Graphs>; ++i) {
      const StageGraph& graph = view(graphs_, i);
      for (NetId e : graph.nets_of(v)) add_cost_of(graph, e, v, first, last, gain);
    }
    return first + static_cast<std::size_t>(std::max_element(gain.begin(), gain.end()) - gain.begin());
  }

  // Once for each stage that holds others of the net.
  void add_cost_of(const StageGraph& graph, NetId e, GroupId v, std::size_t first, std::size_t last,
                   std::vector<double>& gain) const {
    std::vector<char> seen(gain.size(), 0);
    for (GroupId w : graph.members(e)) {
      const std::size_t s = stage_of_[w];
      if (w == v || s == kNone || s < first || s > last || seen[s - first]) continue;
      seen[s - first] = 1;
      gain[s - first] += graph.cost(e);
    }
  }

  const Graphs& graphs_;
  const StageGraph& order_;
  const std::vector<Stage>& stages_;
  IdVector<GroupId, std::size_t> stage_of_;
};

}  // namespace

template <class Graphs>
Shrunk<Graphs> shrink(const Graphs& graphs, const QuestionOf<Graphs>& question, const ShrinkDose& dose,
                      const Budget& budget, ShrinkLog* log) {
  return Shrinker<Graphs>(graphs, question, dose, budget, log).run();
}
template Shrunk<StageGraph> shrink(const StageGraph&, const Threshold&, const ShrinkDose&, const Budget&, ShrinkLog*);
template Shrunk<PassGraphs> shrink(const PassGraphs&, const PassQuestion&, const ShrinkDose&, const Budget&,
                                   ShrinkLog*);

template <class Graphs>
std::vector<Stage> lift_shrunk(const Graphs& graphs, const Shrunk<Graphs>& shrunk, const std::vector<Stage>& stages) {
  return ShrinkLifter<Graphs>(graphs, shrunk, stages).run();
}
template std::vector<Stage> lift_shrunk(const StageGraph&, const Shrunk<StageGraph>&, const std::vector<Stage>&);
template std::vector<Stage> lift_shrunk(const PassGraphs&, const Shrunk<PassGraphs>&, const std::vector<Stage>&);

bool legal_stages(const StageGraph& graph, const StagePlatform& platform, const std::vector<Stage>& stages) {
  return std::all_of(stages.begin(), stages.end(), [&](const Stage& stage) {
    double memory = 0;
    for (GroupId v : stage.groups) {
      const Group& g = graph.group(v);
      if (!(stage.on_host ? g.on_host : g.on_accelerator)) return false;
      memory += g.memory;
    }
    return memory <= (stage.on_host ? platform.host_memory : platform.accelerator_memory);
  });
}

}  // namespace partita::detail
