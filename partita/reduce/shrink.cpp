// SPDX-License-Identifier: Apache-2.0
#include "partita/reduce/shrink.h"

#include <algorithm>
#include <numeric>

#include "partita/reduce/shrink_nets.h"

namespace partita::detail {
namespace {

constexpr double kFloatingShare = 0.3;

bool is_view(const Group& g) {
  return g.accelerator_time <= 0 && g.host_time <= 0 && g.memory <= 0 && g.on_accelerator && g.on_host;
}

// The heaviest path of the order, from its start.
std::vector<GroupId> heaviest_path(const StageGraph& graph) {
  IdVector<GroupId, double> weight(graph.size());
  IdVector<GroupId, GroupId> before(graph.size());
  GroupId last;
  for (GroupId v : graph.all()) {
    for (GroupId u : graph.predecessors(v)) {
      if (before[v].valid() && weight[u] <= weight[before[v]]) continue;
      before[v] = u;
    }
    weight[v] = graph.accelerator_time(v) + (before[v].valid() ? weight[before[v]] : 0);
    if (!last.valid() || weight[v] > weight[last]) last = v;
  }
  std::vector<GroupId> path;
  for (GroupId v = last; v.valid(); v = before[v]) path.push_back(v);
  std::reverse(path.begin(), path.end());
  return path;
}

// What precedes a group on a path is a beginning of the path, what follows it an end. Between them is what lies beside.
IdVector<GroupId, char> find_floaters(const StageGraph& graph, double limit) {
  const std::vector<GroupId> path = heaviest_path(graph);
  std::vector<double> weight(path.size() + 1, 0);
  for (std::size_t i = 0; i < path.size(); ++i) weight[i + 1] = weight[i] + graph.accelerator_time(path[i]);
  const double least = kFloatingShare * weight.back() * limit / std::max(limit, graph.total_accelerator_time());
  IdVector<GroupId, char> floats(graph.size(), 0);
  for (GroupId v : graph.all()) {
    const auto from = std::partition_point(path.begin(), path.end(),
                                           [&](GroupId u) { return test_bit(graph.ancestors(v), u.index()); });
    const auto to =
        std::partition_point(from, path.end(), [&](GroupId w) { return !test_bit(graph.descendants(v), w.index()); });
    floats[v] =
        weight[static_cast<std::size_t>(to - path.begin())] - weight[static_cast<std::size_t>(from - path.begin())] >
        least;
  }
  return floats;
}

// The order that the removed groups leave between the others.
std::vector<std::pair<GroupId, GroupId>> precedence_without(const StageGraph& graph, const Lift& lift) {
  std::vector<std::pair<GroupId, GroupId>> precedence;
  IdVector<GroupId, GroupId> seen_from(graph.size());
  std::vector<GroupId> stack;
  for (GroupId v : graph.all()) {
    if (!lift[v].valid()) continue;
    stack.assign(1, v);
    while (!stack.empty()) {
      const GroupId u = stack.back();
      stack.pop_back();
      for (GroupId w : graph.successors(u)) {
        if (seen_from[w] == v) continue;
        seen_from[w] = v;
        if (lift[w].valid()) {
          precedence.emplace_back(lift[v], lift[w]);
        } else {
          stack.push_back(w);
        }
      }
    }
  }
  return precedence;
}

template <class Graphs>
class Shrinker {
 public:
  Shrinker(const Graphs& graphs, const QuestionOf<Graphs>& question, double dose, const Budget& budget, ShrinkLog* log)
      : graphs_(graphs),
        limit_(view(question, 0).limit),
        dose_(dose),
        budget_(budget),
        log_(log),
        left_(graphs.size()),
        gone_(graphs.size(), 0) {
    for (std::size_t v = 0; v < kViews; ++v) nets_.emplace_back(view(graphs, v), v == 0 ? log : nullptr);
  }

  Shrunk<Graphs> run() && {
    remove_views();
    if (dose_ > 0) remove_floaters();
    if (log_) log_->origins = nets_[0].origins();
    return result();
  }

 private:
  static constexpr std::size_t kViews = kViewsOf<Graphs>;

  template <class Test>
  bool in_all_views(Test test) const {
    for (std::size_t v = 0; v < kViews; ++v) {
      if (!test(v)) return false;
    }
    return true;
  }

  bool may_remove() const { return left_ > 1 && (!log_ || log_->pins <= ShrinkLog::kMostPins); }
  void remove(GroupId v) {
    for (ShrinkingNets& nets : nets_) nets.remove(v);
    gone_[v] = 1;
    --left_;
  }

  // In the order of the file, so that a row of views hands its nets on from one to the next.
  void remove_views() {
    for (GroupId v : graphs_all()) {
      if (!in_all_views([&](std::size_t i) { return is_view(view(graphs_, i).group(v)) && nets_[i].time(v) <= 0; }))
        continue;
      if (may_remove() && in_all_views([&](std::size_t i) { return nets_[i].can_clone(v); })) remove(v);
    }
  }

  // Lightest first: what they leave behind is then mostly where it should be when the heavier ones follow.
  void remove_floaters() {
    const StageGraph& whole = view(graphs_, 0);
    const IdVector<GroupId, char> floats = find_floaters(whole, limit_);
    std::vector<GroupId> candidates;
    for (GroupId v : whole.all()) {
      const Group& g = whole.group(v);
      if (!gone_[v] && g.on_accelerator && g.accelerator_time <= (floats[v] ? dose_ * limit_ : 0))
        candidates.push_back(v);
    }
    std::stable_sort(candidates.begin(), candidates.end(),
                     [&](GroupId a, GroupId b) { return whole.accelerator_time(a) < whole.accelerator_time(b); });
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      if (i % 256 == 0 && budget_.out_of_time()) return;
      const GroupId v = candidates[i];
      // Others may have left it more than it had.
      const double most = floats[v] ? dose_ * limit_ : 0;
      if (nets_[0].time(v) > most) continue;
      if (may_remove() && in_all_views([&](std::size_t w) { return nets_[w].can_take_time_of(v); })) remove(v);
    }
  }

  IdRange<GroupId> graphs_all() const { return view(graphs_, 0).all(); }

  Shrunk<Graphs> result() const {
    Shrunk<Graphs> shrunk;
    shrunk.lift.resize(graphs_.size());
    std::size_t kept = 0;
    for (GroupId v : graphs_all()) {
      if (gone_[v]) {
        shrunk.removed.push_back(v);
      } else {
        shrunk.lift[v] = GroupId(kept++);
      }
    }
    if (!shrunk.changed()) return shrunk;
    const auto precedence = precedence_without(view(graphs_, 0), shrunk.lift);
    for (std::size_t i = 0; i < kViews; ++i) {
      IdVector<GroupId, Group> groups;
      for (GroupId v : graphs_all()) {
        if (gone_[v]) continue;
        Group g = view(graphs_, i).group(v);
        g.accelerator_time = nets_[i].time(v);
        groups.push_back(g);
      }
      view(shrunk.graph, i) = StageGraph(std::move(groups), precedence, nets_[i].nets(shrunk.lift));
    }
    return shrunk;
  }

  const Graphs& graphs_;
  const double limit_, dose_;
  const Budget& budget_;
  ShrinkLog* const log_;
  std::vector<ShrinkingNets> nets_;  // by view
  std::size_t left_;                 // groups; one stays, so that there is something to ask about
  IdVector<GroupId, char> gone_;
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
Shrunk<Graphs> shrink(const Graphs& graphs, const QuestionOf<Graphs>& question, double dose, const Budget& budget,
                      ShrinkLog* log) {
  return Shrinker<Graphs>(graphs, question, dose, budget, log).run();
}
template Shrunk<StageGraph> shrink(const StageGraph&, const Threshold&, double, const Budget&, ShrinkLog*);
template Shrunk<PassGraphs> shrink(const PassGraphs&, const PassQuestion&, double, const Budget&, ShrinkLog*);

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
