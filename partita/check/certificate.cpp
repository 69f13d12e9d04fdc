// SPDX-License-Identifier: Apache-2.0
// Loads are integers: times in units of limit / 2^40, rounded down and one taken off, so that a set within the limit is
// within the integer limit 2^40 + 1 whatever the rounding of the scaling. Prices are integers as they stand.
// What takes long is the dynamic program of price_program.h. It is right whatever order it takes the classes in, but
// may be exponentially larger in a bad one; so the order of the workload's file is tried where it looks smaller than
// the certificate's own.
#include "partita/check/certificate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <unordered_map>

#include "partita/check/names.h"
#include "partita/check/price_program.h"
#include "partita/util/wide_int.h"

namespace partita {
namespace {

using Int = std::int64_t;
using Wide = WideInt;
constexpr Int kUnits = Int{1} << 40;
constexpr Int kLimit = kUnits + 1;

struct ClassWeights {
  long double accelerator_time = 0, host_time = 0, memory = 0;  // sums so precise that rounding cannot reach a unit
  bool on_accelerator = true, on_host = true;
  Int price = 0;
  Int net_price = 0;  // less the toll on memory
};

struct Transfer {
  double cost = 0;
  std::vector<std::size_t> members;  // classes, by position in the certificate's order
};

class Verifier {
 public:
  Verifier(const Problem& problem, const Certificate& certificate, Budget& budget)
      : problem_(problem), certificate_(certificate), budget_(budget) {}

  CertificateVerdict run() {
    if (problem_.objective == Objective::Latency || problem_.transfers != TransferMode::Sum)
      return refuse("it is about loads that are sums of work and transfers, and this question has others");
    if (problem_.replicas > 1 || problem_.memory_model != MemoryModel::Flat)
      return refuse(
          "it is about splits without copies in which nodes take a fixed memory, and this question has others");
    if (!(certificate_.limit > 0) || !std::isfinite(certificate_.limit))
      return refuse("its limit is not a positive number");
    if (certificate_.buckets < 1 || certificate_.buckets > 1'000'000)
      return refuse("its number of buckets is out of range");
    if (certificate_.theta < 0 || certificate_.theta > kMostTheta) return refuse("its theta is out of range");
    if (certificate_.memory_toll < 0 || certificate_.memory_toll > kMostTheta)
      return refuse("its toll on memory is out of range");
    if (!match_classes() || !find_goal()) return verdict_;
    find_transfers();
    switch (look_for_dearer_set(question(), budget_)) {
      case PriceAnswer::NoneDearer: return {true, "", false};
      case PriceAnswer::MaybeDearer:
        return refuse("some set within the limit may be dearer than an accelerator's share of the price");
      case PriceAnswer::NoTime: return give_up("the limit of time was reached before it was checked");
      case PriceAnswer::NoMemory: break;
    }
    return give_up(fmt::format("checking it takes more than {} of memory",
                               human_bytes(static_cast<double>(budget_.limits().memory_bytes))));
  }

 private:
  CertificateVerdict refuse(std::string reason) { return verdict_ = {false, std::move(reason), false}; }
  CertificateVerdict give_up(std::string reason) { return verdict_ = {false, std::move(reason), true}; }

  bool match_classes() {
    const Graph& graph = problem_.workload->graph;
    std::unordered_map<std::int64_t, NodeId> by_id;
    for (NodeId v : graph.nodes.all()) by_id.emplace(graph.nodes[v].original_id, v);
    std::map<std::int64_t, std::size_t> position_of_colour;
    IdVector<NodeId, std::size_t> position(graph.nodes.size(), kNowhere);
    for (std::size_t i = 0; i < certificate_.classes.size(); ++i) {
      const auto it = by_id.find(certificate_.classes[i].node);
      if (it == by_id.end()) {
        refuse(fmt::format("it names node {}, which the workload lacks", certificate_.classes[i].node));
        return false;
      }
      if (certificate_.classes[i].price < 0 || certificate_.classes[i].price > kMostPrice) {
        refuse(fmt::format("the price at node {} is out of range", certificate_.classes[i].node));
        return false;
      }
      const auto& colour = graph.nodes[it->second].colour;
      const bool repeated = colour ? !position_of_colour.emplace(*colour, i).second : position[it->second] != kNowhere;
      if (repeated) {
        refuse(fmt::format("it lists the class of node {} twice", certificate_.classes[i].node));
        return false;
      }
      if (!colour) position[it->second] = i;
    }
    weights_.resize(certificate_.classes.size());
    for (std::size_t i = 0; i < weights_.size(); ++i) weights_[i].price = certificate_.classes[i].price;
    class_of_.resize(graph.nodes.size(), kNowhere);
    for (NodeId v : graph.nodes.all()) {
      const Node& node = graph.nodes[v];
      std::size_t at = position[v];
      if (node.colour) {
        const auto it = position_of_colour.find(*node.colour);
        at = it == position_of_colour.end() ? kNowhere : it->second;
      }
      if (at == kNowhere) {
        refuse(fmt::format("it leaves out the class of node {}", node.original_id));
        return false;
      }
      class_of_[v] = at;
      add_weights(node, weights_[at]);
    }
    use_memory_limits();
    return true;
  }

  // The least time on a class of each kind: a platform with several classes is held to its fastest.
  void add_weights(const Node& node, ClassWeights& sum) const {
    const Platform& platform = problem_.workload->platform;
    double accelerator = kCannotRun, host = kCannotRun;
    for (ClassId c : platform.classes.all()) {
      if (platform.classes[c].count == 0) continue;
      double& least = platform.classes[c].kind == DeviceKind::Host ? host : accelerator;
      least = std::min(least, node.time[c.index()]);
    }
    sum.on_accelerator = sum.on_accelerator && accelerator != kCannotRun;
    sum.on_host = sum.on_host && host != kCannotRun;
    if (sum.on_accelerator) sum.accelerator_time += accelerator;
    if (sum.on_host) sum.host_time += host;
    sum.memory += node.memory;
  }

  // A class that is larger than every device of a kind is on none of them.
  void use_memory_limits() {
    long double accelerator = 0, host = 0;
    for (const DeviceClass& c : problem_.workload->platform.classes) {
      if (c.count == 0) continue;
      long double& most = c.kind == DeviceKind::Host ? host : accelerator;
      most = std::max<long double>(most, c.memory);
    }
    for (ClassWeights& w : weights_) {
      w.net_price = w.price - charged(certificate_.memory_toll, scaled_memory(w.memory, accelerator));
      w.on_accelerator = w.on_accelerator && w.memory <= accelerator;
      w.on_host = w.on_host && w.memory <= host && w.host_time <= certificate_.limit * kTolerance;
    }
  }

  // How many times an edge's cost an accelerator pays at least: the fastest link of a class, in the closest cluster.
  double cheapest_link() const {
    const Platform& platform = problem_.workload->platform;
    double link = std::numeric_limits<double>::infinity();
    for (const DeviceClass& c : platform.classes) {
      if (c.count > 0 && c.kind == DeviceKind::Accelerator) link = std::min(link, c.link_factor);
    }
    if (std::isinf(link)) return 0;  // no accelerators
    double factor = platform.clusters ? std::numeric_limits<double>::infinity() : 1;
    std::vector<const Cluster*> open;
    if (platform.clusters) open.push_back(&*platform.clusters);
    while (!open.empty()) {
      const Cluster& cluster = *open.back();
      open.pop_back();
      factor = std::min(factor, cluster.factor);
      for (const Cluster& inside : cluster.clusters) open.push_back(&inside);
    }
    return link * factor;
  }

  void find_transfers() {
    const Graph& graph = problem_.workload->graph;
    const double link = cheapest_link();
    std::vector<std::vector<const Edge*>> out(graph.nodes.size());
    for (const Edge& edge : graph.edges) out[edge.from.index()].push_back(&edge);
    std::map<std::pair<std::int64_t, std::optional<std::int64_t>>, bool> ignored;
    for (const Certificate::Transfer& t : certificate_.ignored) ignored[{t.producer, t.consumer}] = true;
    const auto add = [&](Transfer transfer, std::int64_t producer, std::optional<std::int64_t> consumer) {
      std::sort(transfer.members.begin(), transfer.members.end());
      transfer.members.erase(std::unique(transfer.members.begin(), transfer.members.end()), transfer.members.end());
      if (transfer.members.size() < 2 || ignored.contains({producer, consumer})) return;
      transfers_.push_back(std::move(transfer));
    };
    for (NodeId u : graph.nodes.all()) {
      const auto& edges = out[u.index()];
      if (edges.empty()) continue;
      const std::int64_t producer = graph.nodes[u].original_id;
      const bool uniform =
          std::all_of(edges.begin(), edges.end(), [&](const Edge* e) { return e->cost == edges[0]->cost; });
      Transfer all{edges[0]->cost * link, {class_of_[u]}};
      for (const Edge* edge : edges) {
        all.members.push_back(class_of_[edge->to]);
        if (!uniform)
          add({edge->cost * link, {class_of_[u], class_of_[edge->to]}}, producer, graph.nodes[edge->to].original_id);
      }
      if (uniform) add(std::move(all), producer, std::nullopt);
    }
  }

  Int scaled(long double time) const {
    const long double units = time * static_cast<long double>(kUnits) / certificate_.limit;
    return std::max<Int>(0, static_cast<Int>(std::floor(std::min(units, 4.0L * kUnits))) - 1);
  }

  // In units of an accelerator's memory / 2^40, rounded down. Without a limit, or without memory at all, there is
  // nothing to charge for.
  static Int scaled_memory(long double memory, long double limit) {
    if (!(limit > 0) || std::isinf(limit)) return 0;
    return std::max<Int>(0, static_cast<Int>(std::floor(std::min(memory * kUnits / limit, 4.0L * kUnits))) - 1);
  }

  // The price that an accelerator's set must not exceed: what is left of the total after the hosts, shared out.
  bool find_goal() {
    Int accelerators = 0, hosts = 0;
    for (const DeviceClass& c : problem_.workload->platform.classes)
      (c.kind == DeviceKind::Host ? hosts : accelerators) += c.count;
    Wide total = 0;
    for (const ClassWeights& w : weights_) total += w.price;
    if (total > kMostTotal) {
      refuse("its prices are out of range");
      return false;
    }
    const Wide left = total - static_cast<Wide>(hosts) * host_share() - 1;
    if (left < 0) {
      refuse("the hosts alone could hold the whole price");
      return false;
    }
    // What fits an accelerator's memory pays at most the toll on all of it: so much less is left for its net price.
    const Int whole_toll = charged(certificate_.memory_toll, kLimit) + 1;
    goal_ =
        accelerators == 0 ? kMostTotal : static_cast<Int>(std::min<Wide>(left / accelerators, kMostTotal)) - whole_toll;
    return true;
  }

  // Most price that one host can hold: the fractional knapsack, rounded up.
  Wide host_share() const {
    std::vector<std::pair<Int, Int>> items;  // time, price
    Wide total = 0;
    for (const ClassWeights& w : weights_) {
      if (!w.on_host || w.price == 0) continue;
      const Int time = scaled(w.host_time);
      if (time == 0) {
        total += w.price;
      } else {
        items.emplace_back(time, w.price);
      }
    }
    std::sort(items.begin(), items.end(), [](const auto& a, const auto& b) {
      return static_cast<Wide>(a.second) * b.first > static_cast<Wide>(b.second) * a.first;
    });
    Int room = kLimit;
    for (const auto& [time, price] : items) {
      if (time >= room) return total + (static_cast<Wide>(price) * room + time - 1) / time;
      total += price;
      room -= time;
    }
    return total;
  }

  PriceQuestion question() const {
    PriceQuestion result;
    for (const ClassWeights& w : weights_)
      result.classes.push_back({scaled(w.accelerator_time), w.net_price, w.on_accelerator});
    for (const Transfer& transfer : transfers_) result.transfers.push_back({scaled(transfer.cost), transfer.members});
    result.limit = kLimit;
    result.goal = goal_;
    result.theta = certificate_.theta;
    result.buckets = certificate_.buckets;
    PriceQuestion as_in_file = reordered(result, order_of_file());
    return states_at_most(as_in_file) < states_at_most(result) ? as_in_file : result;
  }

  // The classes by their first nodes.
  std::vector<std::size_t> order_of_file() const {
    std::vector<std::size_t> order;
    std::vector<char> seen(weights_.size(), 0);
    for (const std::size_t c : class_of_) {
      if (!seen[c]) order.push_back(c);
      seen[c] = 1;
    }
    return order;
  }

  static Int charged(Int theta, Int load) { return static_cast<Int>((static_cast<Wide>(theta) * load) >> kThetaShift); }

  // For sums of times compared with the limit: more sets are possible, never fewer. Sums of memory are exact.
  static constexpr long double kTolerance = 1 + 1e-12L;
  static constexpr std::size_t kNowhere = static_cast<std::size_t>(-1);
  // With these limits no sum below can overflow: prices, tolls and completions stay below 2^60, and three are added.
  static constexpr Int kMostPrice = Int{1} << 44;  // of a class
  static constexpr Int kMostTotal = Int{1} << 60;
  static constexpr Int kMostTheta = Int{1} << 55;

  const Problem& problem_;
  const Certificate& certificate_;
  Budget& budget_;
  CertificateVerdict verdict_;
  std::vector<ClassWeights> weights_;  // in the certificate's order
  IdVector<NodeId, std::size_t> class_of_;
  std::vector<Transfer> transfers_;
  Int goal_ = 0;
};

}  // namespace

CertificateVerdict verify(const Problem& problem, const Certificate& certificate, Budget* budget) {
  Budget unlimited_time;
  return Verifier(problem, certificate, budget ? *budget : unlimited_time).run();
}

}  // namespace partita
