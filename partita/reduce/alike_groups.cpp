// SPDX-License-Identifier: Apache-2.0
#include "partita/reduce/alike_groups.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <unordered_map>

namespace partita::detail {
namespace {

constexpr int kMostRounds = 60;

using Colour = std::uint64_t;

Colour scrambled(Colour c) {  // splitmix64
  c += 0x9E3779B97F4A7C15ull;
  c = (c ^ c >> 30) * 0xBF58476D1CE4E5B9ull;
  c = (c ^ c >> 27) * 0x94D049BB133111EBull;
  return c ^ c >> 31;
}

Colour joined(Colour a, Colour b) { return scrambled(a ^ scrambled(b) * 3); }

// As an integer of 2^-40 of the largest: sums of these do not depend on the order of their terms.
class Rounded {
 public:
  explicit Rounded(double largest) : per_unit_(largest > 0 ? 0x1p40 / largest : 0) {}
  Colour operator()(double x) const { return static_cast<Colour>(std::llround(x * per_unit_)); }

 private:
  double per_unit_;
};

class Refinement {
 public:
  explicit Refinement(const StageGraph& graph) : graph_(graph), colour_(graph.size()), net_(graph.net_count()) {
    double longest = 0, most_host = 0, most_memory = 0, dearest = 0;
    for (GroupId v : graph.all()) {
      longest = std::max(longest, graph.accelerator_time(v));
      most_host = std::max(most_host, graph.host_time(v));
      most_memory = std::max(most_memory, graph.group(v).memory);
    }
    for (NetId e : graph.nets()) dearest = std::max(dearest, graph.cost(e));
    const Rounded time(longest), host(most_host), memory(most_memory), cost(dearest);
    for (NetId e : graph.nets()) net_[e] = scrambled(cost(graph.cost(e)));
    const auto work_of = [&](std::span<const Word> groups) {
      Colour sum = 0;
      for_each_bit(groups, [&](std::size_t u) { sum += time(graph.accelerator_time(GroupId(u))); });
      return sum;
    };
    for (GroupId v : graph.all()) {
      const Group& g = graph.group(v);
      Colour c = joined(time(g.accelerator_time), host(g.host_time));
      c = joined(c, joined(memory(g.memory), (g.on_accelerator ? 2 : 0) + (g.on_host ? 1 : 0)));
      colour_[v] = joined(c, joined(work_of(graph.ancestors(v)), work_of(graph.descendants(v))));
    }
  }

  IdVector<GroupId, std::size_t> run() {
    std::size_t colours = count();
    for (int round = 0; round < kMostRounds; ++round) {
      refine();
      const std::size_t more = count();
      if (more == colours) return numbered_;
      colours = more;
    }
    for (GroupId v : numbered_.all()) numbered_[v] = v.index();
    return numbered_;
  }

 private:
  void refine() {
    IdVector<GroupId, Colour> next(graph_.size());
    for (NetId e : graph_.nets()) {
      Colour members = 0;
      for (GroupId v : graph_.members(e)) members += scrambled(colour_[v]);
      net_[e] = joined(net_[e], members);
    }
    for (GroupId v : graph_.all()) {
      Colour nets = 0, before = 0, after = 0;
      for (NetId e : graph_.nets_of(v)) nets += scrambled(net_[e]);
      for (GroupId u : graph_.predecessors(v)) before += scrambled(colour_[u]);
      for (GroupId w : graph_.successors(v)) after += scrambled(colour_[w]);
      next[v] = joined(joined(colour_[v], nets), joined(before, after));
    }
    colour_ = std::move(next);
  }

  std::size_t count() {
    std::unordered_map<Colour, std::size_t> number;
    numbered_.resize(graph_.size());
    for (GroupId v : graph_.all()) numbered_[v] = number.emplace(colour_[v], number.size()).first->second;
    return number.size();
  }

  const StageGraph& graph_;
  IdVector<GroupId, Colour> colour_;
  IdVector<NetId, Colour> net_;
  IdVector<GroupId, std::size_t> numbered_;
};

}  // namespace

IdVector<GroupId, std::size_t> alike_groups(const StageGraph& graph) { return Refinement(graph).run(); }

}  // namespace partita::detail
