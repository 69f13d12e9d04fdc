// SPDX-License-Identifier: Apache-2.0
#include "tests/support/pipeline_brute_force.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "tests/support/copy_patterns.h"
#include "tests/support/shared_link_loads.h"
#include "tests/support/transfers.h"
#include "tests/support/wishes.h"

namespace partita::detail {
namespace {

using Order = std::vector<std::size_t>;

// A split whose copies follow a pattern.
struct Pipeline {
  std::vector<std::size_t> device_of;  // by node: an original
  const CopyPattern* copies = nullptr;
  Order order;                   // the originals with nodes
  std::vector<bool> recomputes;  // by original
};

class PipelineDefinition {
 public:
  explicit PipelineDefinition(const Problem& problem)
      : problem_(problem),
        places_(device_places(problem.workload->platform)),
        transfers_(list_transfers(problem.workload->graph)) {
    list_order_pairs();
  }

  const Node& node(std::size_t v) const { return problem_.workload->graph.nodes[NodeId(v)]; }
  std::size_t node_count() const { return problem_.workload->graph.nodes.size(); }
  std::size_t device_count() const { return places_.size(); }
  const DeviceClass& device_class(std::size_t d) const {
    return problem_.workload->platform.classes[places_[d].its_class];
  }
  double time(std::size_t v, std::size_t d) const {
    const double alone = node(v).time[places_[d].its_class.index()];
    return places_.size() == 1 ? alone : alone * device_class(d).contention;
  }
  bool training() const {
    for (std::size_t v = 0; v < node_count(); ++v) {
      if (node(v).backward) return true;
    }
    return false;
  }
  // Pairs of nodes of which the first may not be in a later stage.
  const std::vector<std::pair<std::size_t, std::size_t>>& in_order() const { return in_order_; }

  // The devices of every cluster are next to each other.
  bool keeps_clusters_together(const Order& order) const {
    for (std::size_t i = 0; i < order.size(); ++i) {
      for (std::size_t k = i + 2; k < order.size(); ++k) {
        for (std::size_t between = i + 1; between < k; ++between) {
          // Whatever cluster holds the two ends holds what is between them.
          if (common_depth(order[i], order[between]) < common_depth(order[i], order[k])) return false;
        }
      }
    }
    return true;
  }

  bool takes_edges_forward(const std::vector<std::size_t>& device_of, const Order& order) const {
    std::vector<std::size_t> at(device_count(), order.size());
    for (std::size_t i = 0; i < order.size(); ++i) at[order[i]] = i;
    return std::all_of(in_order_.begin(), in_order_.end(),
                       [&](const auto& pair) { return at[device_of[pair.first]] <= at[device_of[pair.second]]; });
  }

  // By device; copies have the load of their original. Returns the objective.
  double value(const Pipeline& pipeline, std::vector<double>& load) const {
    std::vector<Tally> forward(device_count());
    std::vector<Tally> backward(device_count());
    for (std::size_t v = 0; v < node_count(); ++v) {
      const std::size_t d = pipeline.device_of[v];
      (node(v).backward ? backward : forward)[d].compute += time(v, d);
      if (pipeline.recomputes[d]) (training() ? backward : forward)[d].compute += time(v, d) * node(v).recompute_share;
    }
    for (const Transfer& transfer : transfers_) add_transfer(transfer, pipeline, forward, backward);
    load.assign(device_count(), 0);
    double largest = 0;
    double largest_forward = 0;
    double largest_backward = 0;
    for (const std::size_t d : pipeline.order) {
      const double fw = forward[d].load(problem_.transfers);
      const double bw = backward[d].load(problem_.transfers);
      load[d] = with_copies(fw + bw, d, pipeline, true);
      largest = std::max(largest, load[d]);
      largest_forward = std::max(largest_forward, with_copies(fw, d, pipeline, !training()));
      largest_backward = std::max(largest_backward, with_copies(bw, d, pipeline, training()));
    }
    for (std::size_t d = 0; d < device_count(); ++d) load[d] = load[pipeline.copies->original[d]];
    for (const LinkLoad& link : shared_link_loads(problem_, pipeline.device_of, pipeline.copies->original)) {
      largest = std::max(largest, link.forward + link.backward);
      largest_forward = std::max(largest_forward, link.forward);
      largest_backward = std::max(largest_backward, link.backward);
    }
    return problem_.objective == Objective::GPipe ? largest_forward + largest_backward : largest;
  }

  // By device.
  std::vector<double> memory(const Pipeline& pipeline) const {
    std::vector<double> held(device_count(), 0);
    for (std::size_t place = 0; place < pipeline.order.size(); ++place) {
      const std::size_t d = pipeline.order[place];
      const double samples = in_flight(pipeline, place);
      for (std::size_t v = 0; v < node_count(); ++v) {
        if (pipeline.device_of[v] != d) continue;
        const MemoryParts& parts = node(v).parts;
        if (problem_.memory_model == MemoryModel::Flat) {
          held[d] += node(v).memory;
        } else if (pipeline.recomputes[d]) {
          held[d] += parts.weights + parts.gradients + parts.optimizer_state + samples * parts.recompute_activation +
                     parts.activation;
        } else {
          held[d] += parts.weights + parts.gradients + parts.optimizer_state + samples * parts.activation;
        }
      }
    }
    for (std::size_t d = 0; d < device_count(); ++d) held[d] = held[pipeline.copies->original[d]];
    return held;
  }

  bool fits(const std::vector<double>& memory) const {
    for (std::size_t d = 0; d < device_count(); ++d) {
      if (memory[d] > device_class(d).memory) return false;
    }
    return true;
  }

  bool keeps_wishes(const Pipeline& pipeline) const {
    return detail::keeps_wishes(problem_, pipeline.device_of, pipeline.copies->original);
  }

  bool may_recompute() const { return problem_.recompute && problem_.memory_model != MemoryModel::Flat; }
  bool goes_by_order() const { return problem_.memory_model == MemoryModel::OneF1B && problem_.microbatches != 1; }

 private:
  void list_order_pairs() {
    const Graph& graph = problem_.workload->graph;
    std::set<std::int64_t> forward_colours;
    for (const Node& node : graph.nodes) {
      if (!node.backward && node.colour) forward_colours.insert(*node.colour);
    }
    const auto orphan = [&](const Node& node) { return !node.colour || !forward_colours.count(*node.colour); };
    for (const Edge& edge : graph.edges) {
      const Node& from = graph.nodes[edge.from];
      const Node& to = graph.nodes[edge.to];
      if (!from.backward && !to.backward) in_order_.emplace_back(edge.from.index(), edge.to.index());
      if (from.backward && to.backward && (problem_.backward_shape || orphan(from) || orphan(to)))
        in_order_.emplace_back(edge.to.index(), edge.from.index());
    }
  }

  // How many clusters hold both, the root not counted.
  std::size_t common_depth(std::size_t a, std::size_t b) const {
    const auto& x = places_[a].path;
    const auto& y = places_[b].path;
    const auto end = std::mismatch(x.begin(), x.end(), y.begin(), y.end());
    return static_cast<std::size_t>(end.first - x.begin());
  }

  void add_transfer(const Transfer& transfer, const Pipeline& pipeline, std::vector<Tally>& forward,
                    std::vector<Tally>& backward) const {
    std::vector<Tally>& pass = node(transfer.producer).backward ? backward : forward;
    const std::size_t home = pipeline.device_of[transfer.producer];
    std::set<std::size_t> readers;
    for (const std::size_t v : transfer.consumers) readers.insert(pipeline.device_of[v]);
    readers.erase(home);
    const Platform& platform = problem_.workload->platform;
    double dearest = 0;
    for (const std::size_t d : readers) {
      dearest = std::max(dearest, transfer_price(platform, places_[home], places_[d], transfer.cost));
      pass[d].in += transfer_price(platform, places_[d], places_[home], transfer.cost);
    }
    pass[home].out += dearest;
  }

  double with_copies(double load, std::size_t d, const Pipeline& pipeline, bool with_sync) const {
    for (const CopyLevel& level : pipeline.copies->levels[d]) {
      double weights = 0;
      for (std::size_t v = 0; v < node_count(); ++v) {
        const std::size_t where = pipeline.device_of[v];
        if (std::find(level.devices.begin(), level.devices.end(), where) != level.devices.end())
          weights += node(v).parts.weights;
      }
      const auto r = static_cast<double>(level.copies);
      const double sync = level.factor * (r - 1) * weights / (r * problem_.workload->platform.sync_bandwidth);
      load /= r;
      if (!with_sync) continue;
      load = problem_.transfers == TransferMode::Sum ? load + sync : std::max(load, sync);
    }
    return load;
  }

  double in_flight(const Pipeline& pipeline, std::size_t place) const {
    if (problem_.memory_model == MemoryModel::GPipe) return problem_.microbatches;
    double devices = 0;
    for (std::size_t later = place; later < pipeline.order.size(); ++later)
      devices += static_cast<double>(pipeline.copies->sharing[pipeline.order[later]]);
    const double samples = std::ceil(devices / static_cast<double>(pipeline.copies->sharing[pipeline.order[place]]));
    return problem_.microbatches > 0 ? std::min<double>(samples, problem_.microbatches) : samples;
  }

  const Problem& problem_;
  std::vector<DevicePlace> places_;
  std::vector<Transfer> transfers_;
  std::vector<std::pair<std::size_t, std::size_t>> in_order_;
};

class Evaluator {
 public:
  Evaluator(const Problem& problem, const Split& split)
      : problem_(problem), split_(split), definition_(problem), used_(definition_.device_count(), false) {}

  PipelineEvaluation run() {
    place();
    if (!result_.placed_ok) return result_;
    find_copies();
    if (result_.copies_ok) check_recomputing();
    if (result_.copies_ok) find_order();
    if (!result_.measurable()) return result_;
    result_.value = definition_.value(pipeline_, result_.load);
    result_.memory = definition_.memory(pipeline_);
    result_.memory_ok = definition_.fits(result_.memory);
    result_.wishes_ok = definition_.keeps_wishes(pipeline_);
    return result_;
  }

 private:
  void place() {
    for (std::size_t v = 0; v < definition_.node_count(); ++v) {
      const DeviceId d = v < split_.device_of.size() ? split_.device_of[NodeId(v)] : DeviceId();
      if (!d.valid() || d.index() >= definition_.device_count()) {
        result_.placed_ok = false;
        return;
      }
      pipeline_.device_of.push_back(d.index());
      used_[d.index()] = true;
      if (definition_.time(v, d.index()) == kCannotRun) result_.support_ok = false;
      for (std::size_t u = 0; u < v; ++u) {
        const auto& colour = definition_.node(u).colour;
        if (colour && colour == definition_.node(v).colour && pipeline_.device_of[u] != d.index())
          result_.colours_ok = false;
      }
    }
  }

  // The split's copies must be those of a pattern, as far as devices are used.
  void find_copies() {
    const std::size_t devices = definition_.device_count();
    std::vector<std::size_t> runs(devices, devices);  // whose nodes; none: `devices`
    result_.copies_ok = split_.copy_of.empty() || split_.copy_of.size() == devices;
    for (std::size_t d = 0; d < devices && result_.copies_ok; ++d) {
      if (used_[d]) runs[d] = d;
      if (split_.copy_of.empty()) continue;
      const DeviceId original = split_.copy_of[DeviceId(d)];
      if (!original.valid() || original.index() == d) continue;
      if (used_[d] || original.index() >= devices || !used_[original.index()]) result_.copies_ok = false;
      runs[d] = original.index();
    }
    if (!result_.copies_ok) return;
    patterns_ = copy_patterns(problem_.workload->platform, static_cast<std::size_t>(problem_.replicas), true);
    const auto agrees = [&](const CopyPattern& pattern) {
      for (std::size_t d = 0; d < devices; ++d) {
        const std::size_t original = pattern.original[d];
        if (runs[d] != (used_[original] ? original : devices)) return false;
      }
      return true;
    };
    const auto found = std::find_if(patterns_.begin(), patterns_.end(), agrees);
    result_.copies_ok = found != patterns_.end();
    if (result_.copies_ok) pipeline_.copies = &*found;
  }

  void check_recomputing() {
    const std::size_t devices = definition_.device_count();
    pipeline_.recomputes.assign(devices, false);
    if (split_.recomputes.empty()) return;
    result_.recompute_ok = split_.recomputes.size() == devices;
    for (std::size_t d = 0; d < devices && result_.recompute_ok; ++d) {
      const std::size_t original = pipeline_.copies->original[d];
      if (!used_[original]) continue;
      const bool flag = split_.recomputes[DeviceId(d)] != 0;
      if (flag && !definition_.may_recompute()) result_.recompute_ok = false;
      if (flag != (split_.recomputes[DeviceId(original)] != 0)) result_.recompute_ok = false;
      if (d == original) pipeline_.recomputes[d] = flag;
    }
  }

  bool good(const Order& order) const {
    return definition_.keeps_clusters_together(order) && definition_.takes_edges_forward(pipeline_.device_of, order);
  }

  void find_order() {
    Order used;
    for (std::size_t d = 0; d < used_.size(); ++d) {
      if (used_[d]) used.push_back(d);
    }
    Order given;
    bool sensible = true;
    std::set<std::size_t> seen;
    for (const DeviceId d : split_.order) {
      sensible = sensible && d.valid() && d.index() < used_.size() && seen.insert(d.index()).second;
      if (sensible && used_[d.index()]) given.push_back(d.index());
    }
    if (sensible && given.size() == used.size() && good(given)) {
      pipeline_.order = given;
      return;
    }
    Order any = used;
    bool exists = good(any);
    while (!exists && std::next_permutation(any.begin(), any.end())) exists = good(any);
    pipeline_.order = any;
    result_.shape_ok = exists && !(definition_.goes_by_order() && used.size() > 1);
  }

  const Problem& problem_;
  const Split& split_;
  PipelineDefinition definition_;
  std::vector<bool> used_;
  std::vector<CopyPattern> patterns_;
  Pipeline pipeline_;
  PipelineEvaluation result_;
};

class Search {
 public:
  explicit Search(const Problem& problem)
      : definition_(problem),
        patterns_(copy_patterns(problem.workload->platform, static_cast<std::size_t>(problem.replicas), false)),
        all_((1U << definition_.node_count()) - 1) {
    for (unsigned set = 1; set <= all_; ++set) {
      if (is_ideal(set) && keeps_colours(set)) ideals_.push_back(set);
    }
  }

  double best() {
    for (const CopyPattern& pattern : patterns_) {
      pipeline_ = {std::vector<std::size_t>(definition_.node_count(), 0), &pattern, {}, {}};
      extend(0);
    }
    return best_;
  }

 private:
  static bool in(unsigned set, std::size_t v) { return ((set >> v) & 1U) != 0; }

  bool is_ideal(unsigned set) const {
    return std::all_of(definition_.in_order().begin(), definition_.in_order().end(),
                       [&](const auto& pair) { return !in(set, pair.second) || in(set, pair.first); });
  }

  // No class is half in it, so no class is in two differences of such ideals.
  bool keeps_colours(unsigned set) const {
    for (std::size_t u = 0; u < definition_.node_count(); ++u) {
      for (std::size_t v = 0; v < u; ++v) {
        const auto& colour = definition_.node(u).colour;
        if (colour && colour == definition_.node(v).colour && in(set, u) != in(set, v)) return false;
      }
    }
    return true;
  }

  // One more stage after those in pipeline_.order, which hold `done`.
  void extend(unsigned done) {
    if (done == all_) {
      finish();
      return;
    }
    for (std::size_t d = 0; d < definition_.device_count(); ++d) {
      Order& order = pipeline_.order;
      if (pipeline_.copies->original[d] != d || std::find(order.begin(), order.end(), d) != order.end()) continue;
      order.push_back(d);
      if (definition_.keeps_clusters_together(order)) {
        for (const unsigned ideal : ideals_) {
          if ((ideal & done) == done && ideal != done && put(ideal & ~done, d)) extend(ideal);
        }
      }
      order.pop_back();
    }
  }

  // False where the device cannot run the nodes, or not in less than the best value.
  bool put(unsigned nodes, std::size_t d) {
    double compute = 0;
    for (std::size_t v = 0; v < definition_.node_count(); ++v) {
      if (!in(nodes, v)) continue;
      pipeline_.device_of[v] = d;
      compute += definition_.time(v, d);
    }
    return compute / static_cast<double>(pipeline_.copies->sharing[d]) < best_;
  }

  void finish() {
    if (!definition_.keeps_wishes(pipeline_)) return;
    const std::size_t stages = pipeline_.order.size();
    const unsigned choices = definition_.may_recompute() ? 1U << stages : 1U;
    std::vector<double> load;
    for (unsigned choice = 0; choice < choices; ++choice) {
      pipeline_.recomputes.assign(definition_.device_count(), false);
      for (std::size_t i = 0; i < stages; ++i) pipeline_.recomputes[pipeline_.order[i]] = in(choice, i);
      const double value = definition_.value(pipeline_, load);
      if (choice == 0 && value >= best_) return;  // recomputing only adds to it
      if (value < best_ && definition_.fits(definition_.memory(pipeline_))) best_ = value;
    }
  }

  PipelineDefinition definition_;
  std::vector<CopyPattern> patterns_;
  unsigned all_;
  std::vector<unsigned> ideals_;
  Pipeline pipeline_;
  double best_ = std::numeric_limits<double>::infinity();
};

}  // namespace

PipelineEvaluation evaluate_pipeline(const Problem& problem, const Split& split) {
  return Evaluator(problem, split).run();
}

std::optional<double> pipeline_brute_force(const Problem& problem) {
  const double best = Search(problem).best();
  if (best == std::numeric_limits<double>::infinity()) return std::nullopt;
  return best;
}

}  // namespace partita::detail
