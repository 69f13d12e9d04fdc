// SPDX-License-Identifier: Apache-2.0
#include "tests/support/latency_brute_force.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstdint>
#include <limits>
#include <optional>

#include "tests/support/transfers.h"
#include "tests/support/wishes.h"

namespace partita::detail {
namespace {

constexpr std::size_t kMostNodes = 32;
constexpr std::size_t kNowhere = static_cast<std::size_t>(-1);

using Mask = std::uint32_t;  // a set of blocks

Mask bit(std::size_t b) { return Mask{1} << b; }

template <class T>
using PerBlock = std::array<T, kMostNodes>;

// The blocks of a split, or of the part of one that has been chosen.
struct Blocks {
  std::size_t count = 0;
  PerBlock<bool> host{};
  PerBlock<std::size_t> node{};    // of a host's block: its node
  PerBlock<std::size_t> device{};  // of an accelerator's block: where, and when in its turn
  PerBlock<std::size_t> turn{};
  PerBlock<double> duration{};
  PerBlock<Mask> waits_for{};
  std::array<std::size_t, kMostNodes> of{};  // by node

  Mask all() const { return count == kMostNodes ? ~Mask{0} : bit(count) - 1; }
};

class LatencyDefinition {
 public:
  explicit LatencyDefinition(const Problem& problem)
      : problem_(problem), transfers_(list_transfers(problem.workload->graph)) {
    const Platform& platform = problem.workload->platform;
    assert(node_count() <= kMostNodes);
    for (ClassId c : platform.classes.all()) {
      for (int i = 0; i < platform.classes[c].count; ++i) class_of_.push_back(c);
      if (platform.classes[c].kind == DeviceKind::Host) cores_ += static_cast<std::size_t>(platform.classes[c].count);
    }
  }

  std::size_t node_count() const { return problem_.workload->graph.nodes.size(); }
  std::size_t device_count() const { return class_of_.size(); }
  ClassId class_of(std::size_t device) const { return class_of_[device]; }
  const DeviceClass& device_class(std::size_t d) const { return problem_.workload->platform.classes[class_of_[d]]; }
  bool is_host(std::size_t device) const { return device_class(device).kind == DeviceKind::Host; }
  const Node& node(std::size_t v) const { return problem_.workload->graph.nodes[NodeId(v)]; }
  double time(std::size_t v, std::size_t device) const {
    const double alone = node(v).time[class_of_[device].index()];
    return device_count() > 1 ? alone * device_class(device).contention : alone;
  }
  const Problem& problem() const { return problem_; }
  double moving(const Transfer& transfer, std::size_t device) const {
    if (is_host(device) || transfer.cost == 0) return 0;
    return device_class(device).link_latency + transfer.cost * device_class(device).link_factor;
  }

  // Nodes on kNowhere are as if they did not exist.
  Blocks blocks(const std::vector<std::size_t>& device_of, const std::vector<std::size_t>& subgraph_of) const {
    Blocks blocks;
    auto& of = blocks.of;
    for (std::size_t v = 0; v < node_count(); ++v) {
      if (device_of[v] == kNowhere) continue;
      const std::size_t turn = subgraph_of[v] + (node(v).backward ? kNowhere / 2 : 0);
      std::size_t b = 0;
      if (is_host(device_of[v])) {
        b = blocks.count;
      } else {
        while (b < blocks.count && (blocks.host[b] || blocks.device[b] != device_of[v] || blocks.turn[b] != turn)) ++b;
      }
      if (b == blocks.count) {
        ++blocks.count;
        blocks.host[b] = is_host(device_of[v]);
        blocks.node[b] = v;
        blocks.device[b] = device_of[v];
        blocks.turn[b] = turn;
      }
      of[v] = b;
      if (time(v, device_of[v]) != kCannotRun) blocks.duration[b] += time(v, device_of[v]);
    }
    for (const Transfer& transfer : transfers_) {
      if (device_of[transfer.producer] == kNowhere) continue;
      const std::size_t home = of[transfer.producer];
      Mask readers = 0;
      for (const std::size_t v : transfer.consumers) {
        if (device_of[v] != kNowhere && of[v] != home) readers |= bit(of[v]);
      }
      if (readers) blocks.duration[home] += moving(transfer, blocks.device[home]);
      for (std::size_t b = 0; b < blocks.count; ++b) {
        if (!(readers & bit(b))) continue;
        blocks.waits_for[b] |= bit(home);
        blocks.duration[b] += moving(transfer, blocks.device[b]);
      }
    }
    for (std::size_t a = 0; a < blocks.count; ++a) {
      for (std::size_t b = 0; b < blocks.count; ++b) {
        const bool together = !blocks.host[a] && !blocks.host[b] && blocks.device[a] == blocks.device[b];
        if (together && blocks.turn[a] < blocks.turn[b]) blocks.waits_for[b] |= bit(a);
      }
    }
    return blocks;
  }

  // The longest path, and the blocks in an order that respects what waits for what.
  static double with_cores_enough(const Blocks& blocks, std::vector<std::size_t>* order = nullptr) {
    PerBlock<double> finish{};
    Mask done = 0;
    double last = 0;
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t b = 0; b < blocks.count; ++b) {
        if ((done & bit(b)) || (blocks.waits_for[b] & ~done)) continue;
        double start = 0;
        for (std::size_t a = 0; a < blocks.count; ++a) {
          if (blocks.waits_for[b] & bit(a)) start = std::max(start, finish[a]);
        }
        finish[b] = start + blocks.duration[b];
        last = std::max(last, finish[b]);
        done |= bit(b);
        if (order) order->push_back(b);
        changed = true;
      }
    }
    return done == blocks.all() ? last : kUnlimited;
  }

  double with_few_cores(const Blocks& blocks) const {
    std::vector<std::size_t> order;
    if (with_cores_enough(blocks, &order) == kUnlimited) return kUnlimited;
    PerBlock<double> way{};
    for (std::size_t i = order.size(); i-- > 0;) {
      const std::size_t b = order[i];
      for (std::size_t later = 0; later < blocks.count; ++later) {
        if (blocks.waits_for[later] & bit(b)) way[b] = std::max(way[b], way[later]);
      }
      way[b] += blocks.duration[b];
    }
    PerBlock<double> finish{};
    Mask started = 0;
    Mask done = 0;
    double now = 0;
    while (true) {
      for (bool changed = true; changed;) {  // all that happens at this time without a core
        changed = false;
        for (std::size_t b = 0; b < blocks.count; ++b) {
          if ((started & bit(b)) && !(done & bit(b)) && finish[b] <= now) {
            done |= bit(b);
            changed = true;
          }
          const bool needs_core = blocks.host[b] && blocks.duration[b] > 0;
          if (!(started & bit(b)) && !needs_core && !(blocks.waits_for[b] & ~done)) {
            started |= bit(b);
            finish[b] = now + blocks.duration[b];
            changed = true;
          }
        }
      }
      std::size_t busy = 0;
      for (std::size_t b = 0; b < blocks.count; ++b) {
        if (blocks.host[b] && (started & ~done & bit(b))) ++busy;
      }
      while (busy < cores_) {
        std::size_t next = kNowhere;
        for (std::size_t b = 0; b < blocks.count; ++b) {
          if ((started & bit(b)) || (blocks.waits_for[b] & ~done)) continue;
          const bool better =
              next == kNowhere || way[b] > way[next] || (way[b] == way[next] && blocks.node[b] < blocks.node[next]);
          if (better) next = b;
        }
        if (next == kNowhere) break;
        started |= bit(next);
        finish[next] = now + blocks.duration[next];
        ++busy;
      }
      if (done == blocks.all()) return *std::max_element(finish.begin(), finish.end());
      double soonest = kUnlimited;
      for (std::size_t b = 0; b < blocks.count; ++b) {
        if (started & ~done & bit(b)) soonest = std::min(soonest, finish[b]);
      }
      now = soonest;
    }
  }

  double latency(const Blocks& blocks) const {
    return problem_.strict_host_cores ? with_few_cores(blocks) : with_cores_enough(blocks);
  }

 private:
  const Problem& problem_;
  std::vector<Transfer> transfers_;
  std::vector<ClassId> class_of_;
  std::size_t cores_ = 0;
};

// Places the nodes one by one, in topological order, in every way.
class Enumeration {
 public:
  explicit Enumeration(const LatencyDefinition& definition)
      : definition_(definition),
        device_of_(definition.node_count(), kNowhere),
        subgraph_of_(definition.node_count(), 0),
        held_(definition.device_count(), 0),
        count_(definition.device_count(), 0) {
    const Graph& graph = definition.problem().workload->graph;
    std::vector<bool> placed(graph.nodes.size(), false);
    while (order_.size() < graph.nodes.size()) {
      for (NodeId v : graph.nodes.all()) {
        const bool waits = std::any_of(graph.edges.begin(), graph.edges.end(),
                                       [&](const Edge& edge) { return edge.to == v && !placed[edge.from.index()]; });
        if (placed[v.index()] || waits) continue;
        placed[v.index()] = true;
        order_.push_back(v.index());
      }
    }
  }

  double best() {
    judge_ = [this](const Blocks& blocks) { best_ = std::min(best_, definition_.latency(blocks)); };
    place(0);
    return best_;
  }

  // All whose latency is below the limit, cores not counted.
  void visit_all(double limit, const std::function<void(const SplitTimes&)>& visit) {
    best_ = limit;
    judge_ = [this, &visit](const Blocks& blocks) { visit(times(blocks)); };
    place(0);
  }

 private:
  void place(std::size_t position) {
    if (position == order_.size()) {
      if (subgraphs_are_counted_from_0()) judge_(definition_.blocks(device_of_, subgraph_of_));
      return;
    }
    const std::size_t v = order_[position];
    std::optional<ClassId> unused;  // a class of which an unused device was just tried
    for (std::size_t d = 0; d < definition_.device_count(); ++d) {
      const DeviceClass& c = definition_.device_class(d);
      const bool wishes = !definition_.problem().wishes.empty();
      const bool all_alike = c.kind == DeviceKind::Host && c.memory == kUnlimited && !wishes;
      if (all_alike && d > 0 && definition_.class_of(d - 1) == definition_.class_of(d)) continue;
      if (count_[d] == 0) {
        if (unused == definition_.class_of(d) && !wishes) continue;
        unused = definition_.class_of(d);
      }
      if (!allowed(v, d)) continue;
      device_of_[v] = d;
      if (wishes && !keeps_wishes(definition_.problem(), device_of_)) {
        device_of_[v] = kNowhere;
        continue;
      }
      held_[d] += definition_.node(v).memory;
      ++count_[d];
      const int subgraphs = definition_.is_host(d) ? 1 : definition_.problem().subgraphs;
      for (int s = 0; s < subgraphs; ++s) {
        subgraph_of_[v] = static_cast<std::size_t>(s);
        if (LatencyDefinition::with_cores_enough(definition_.blocks(device_of_, subgraph_of_)) < best_)
          place(position + 1);
      }
      device_of_[v] = kNowhere;
      subgraph_of_[v] = 0;
      held_[d] -= definition_.node(v).memory;
      --count_[d];
    }
  }

  SplitTimes times(const Blocks& blocks) const {
    std::vector<std::size_t> order;
    SplitTimes times;
    times.latency = LatencyDefinition::with_cores_enough(blocks, &order);
    PerBlock<Mask> before{}, after{};  // with the block itself
    PerBlock<double> finish{}, to_come{};
    for (const std::size_t b : order) {
      before[b] = bit(b);
      for (std::size_t a = 0; a < blocks.count; ++a) {
        if (!(blocks.waits_for[b] & bit(a))) continue;
        before[b] |= before[a];
        finish[b] = std::max(finish[b], finish[a]);
      }
      finish[b] += blocks.duration[b];
    }
    for (std::size_t i = order.size(); i-- > 0;) {
      const std::size_t a = order[i];
      after[a] = bit(a);
      for (std::size_t b = 0; b < blocks.count; ++b) {
        if (!(blocks.waits_for[b] & bit(a))) continue;
        after[a] |= after[b];
        to_come[a] = std::max(to_come[a], to_come[b]);
      }
      to_come[a] += blocks.duration[a];
    }
    const auto on_accelerators = [&](Mask some) {
      int count = 0;
      for (std::size_t b = 0; b < blocks.count; ++b) count += (some & bit(b)) && !blocks.host[b];
      return count;
    };
    for (std::size_t v = 0; v < device_of_.size(); ++v) {
      const std::size_t b = blocks.of[v];
      times.nodes.push_back({b, {finish[b], to_come[b]}, {on_accelerators(before[b]), on_accelerators(after[b])}});
    }
    return times;
  }

  bool allowed(std::size_t v, std::size_t d) const {
    const Node& node = definition_.node(v);
    if (definition_.time(v, d) == kCannotRun) return false;
    if (held_[d] + node.memory > definition_.device_class(d).memory) return false;
    for (std::size_t u = 0; u < device_of_.size(); ++u) {
      if (node.colour && node.colour == definition_.node(u).colour && device_of_[u] != kNowhere && device_of_[u] != d)
        return false;
    }
    return true;
  }

  // Only the order of an accelerator's subgraphs counts, so those with gaps in their numbers are seen elsewhere.
  bool subgraphs_are_counted_from_0() const {
    for (std::size_t v = 0; v < device_of_.size(); ++v) {
      if (subgraph_of_[v] == 0) continue;
      bool found = false;
      for (std::size_t u = 0; u < device_of_.size(); ++u) {
        found = found || (device_of_[u] == device_of_[v] && subgraph_of_[u] + 1 == subgraph_of_[v] &&
                          definition_.node(u).backward == definition_.node(v).backward);
      }
      if (!found) return false;
    }
    return true;
  }

  const LatencyDefinition& definition_;
  std::vector<std::size_t> order_;
  std::vector<std::size_t> device_of_;
  std::vector<std::size_t> subgraph_of_;
  std::vector<double> held_;
  std::vector<std::size_t> count_;
  double best_ = kUnlimited;
  std::function<void(const Blocks&)> judge_;  // each complete split that is shorter than the best
};

}  // namespace

double latency_by_definition(const Problem& problem, const std::vector<std::size_t>& device_of,
                             const std::vector<std::size_t>& subgraph_of) {
  const LatencyDefinition definition(problem);
  const std::vector<std::size_t> one_each(device_of.size(), 0);
  return definition.latency(definition.blocks(device_of, subgraph_of.empty() ? one_each : subgraph_of));
}

double best_latency_by_brute_force(const Problem& problem) {
  const LatencyDefinition definition(problem);
  return Enumeration(definition).best();
}

void for_each_split_below(double limit, const Problem& problem, const std::function<void(const SplitTimes&)>& visit) {
  const LatencyDefinition definition(problem);
  Enumeration(definition).visit_all(limit, visit);
}

}  // namespace partita::detail
