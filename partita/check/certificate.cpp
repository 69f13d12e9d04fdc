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
#include <set>
#include <unordered_map>

#include "partita/check/clusters.h"
#include "partita/check/names.h"
#include "partita/check/price_program.h"
#include "partita/model/contention.h"
#include "partita/util/wide_int.h"

namespace partita::detail {
namespace {

using Int = std::int64_t;
using Wide = WideInt;
constexpr Int kUnits = Int{1} << 40;
constexpr Int kLimit = kUnits + 1;

// A colour class.
struct ClassWeights {
  struct OnDevices {
    long double time = 0;  // weighted on accelerators; sums so precise that rounding cannot reach a unit
    bool runs = true;
  };
  std::vector<OnDevices> on;  // by class of devices
  long double memory = 0;
  Int price = 0;
};

using TransferName = std::pair<std::int64_t, std::optional<std::int64_t>>;
struct Transfer {
  double cost = 0;
  long double weight = 1;            // of its pass
  std::vector<std::size_t> members;  // colour classes, by position in the certificate's order
  TransferName name;
};

// A class of devices that has some, and what the certificate says of it.
struct Devices {
  ClassId id;
  const Certificate::Devices* claim = nullptr;  // hosts may have none
  Int most = 0;                                 // that an accelerator's set may be worth, net of the toll
};

class Verifier {
 public:
  Verifier(const Problem& problem, const Certificate& certificate, Budget& budget)
      : problem_(problem),
        certificate_(certificate),
        platform_(problem.workload->platform),
        slow_down_(slow_downs(platform_)),
        budget_(budget) {}

  CertificateVerdict run() {
    if (problem_.objective == Objective::Latency)
      return refuse("it is about loads, and the value of this question is a time");
    if (problem_.replicas > 1 || problem_.memory_model != MemoryModel::Flat)
      return refuse(
          "it is about splits without copies in which nodes take a fixed memory, and this question has others");
    if (!(certificate_.limit > 0) || !std::isfinite(certificate_.limit))
      return refuse("its limit is not a positive number");
    if (!weights_hold())
      return refuse("its weights of compute and transfers make loads larger than this question's transfer mode does");
    if (!match_devices() || !match_classes() || !find_goals()) return verdict_;
    find_transfers();
    for (const Devices& devices : devices_) {
      if (is_host(devices)) continue;
      switch (look_for_dearer_set(question(devices), budget_)) {
        case PriceAnswer::NoneDearer: break;
        case PriceAnswer::MaybeDearer:
          return refuse("some set within the limit may be dearer than an accelerator's share of the price");
        case PriceAnswer::NoTime: return give_up("the limit of time was reached before it was checked");
        case PriceAnswer::NoMemory:
          return give_up(fmt::format("checking it takes more than {} of memory",
                                     human_bytes(static_cast<double>(budget_.limits().memory_bytes))));
      }
    }
    return {true, "", false};
  }

 private:
  CertificateVerdict refuse(std::string reason) { return verdict_ = {false, std::move(reason), false}; }
  CertificateVerdict give_up(std::string reason) { return verdict_ = {false, std::move(reason), true}; }

  bool refused(std::string reason) {
    refuse(std::move(reason));
    return false;
  }

  bool is_host(const Devices& devices) const { return platform_.classes[devices.id].kind == DeviceKind::Host; }

  // A weighted sum of compute, in and out is at most their sum if no weight is above 1; at most max(compute, in + out)
  // if a + b <= 1; and at most max(compute, in, out) if a + 2 b <= 1.
  bool weights_hold() const {
    const auto& [compute, transfers] = certificate_.weights;
    for (std::size_t p = 0; p < compute.size(); ++p) {
      if (compute[p] < 0 || compute[p] > kWhole || transfers[p] < 0 || transfers[p] > kWhole) return false;
      if (problem_.transfers == TransferMode::Overlap && compute[p] + transfers[p] > kWhole) return false;
      if (problem_.transfers == TransferMode::Duplex && compute[p] + 2 * transfers[p] > kWhole) return false;
    }
    return true;
  }

  bool match_devices() {
    std::map<std::string, const Certificate::Devices*> by_name;
    const Certificate::Devices* others = nullptr;
    for (const Certificate::Devices& claim : certificate_.devices) {
      if (claim.buckets < 1 || claim.buckets > 1'000'000) return refused("its number of buckets is out of range");
      if (claim.theta < 0 || claim.theta > kMostTheta) return refused("its theta is out of range");
      if (claim.memory_toll < 0 || claim.memory_toll > kMostTheta) return refused("its toll on memory is out of range");
      if (claim.most && (*claim.most < 0 || *claim.most > kMostTotal))
        return refused("the most that it says a device is worth is out of range");
      const bool repeated = claim.name ? !by_name.emplace(*claim.name, &claim).second : others != nullptr;
      if (repeated) return refused("it says two things of the same devices");
      if (!claim.name) others = &claim;
    }
    for (ClassId id : platform_.classes.all()) {
      if (platform_.classes[id].count == 0) continue;
      const auto named = by_name.find(platform_.classes[id].name);
      devices_.push_back({id, named == by_name.end() ? nullptr : named->second});
      Devices& devices = devices_.back();
      if (devices.claim || is_host(devices)) continue;
      devices.claim = others;
      if (!others) return refused(fmt::format("it says nothing of the devices {}", platform_.classes[id].name));
    }
    return true;
  }

  bool match_classes() {
    const Graph& graph = problem_.workload->graph;
    std::unordered_map<std::int64_t, NodeId> by_id;
    for (NodeId v : graph.nodes.all()) by_id.emplace(graph.nodes[v].original_id, v);
    std::map<std::int64_t, std::size_t> position_of_colour;
    IdVector<NodeId, std::size_t> position(graph.nodes.size(), kNowhere);
    for (std::size_t i = 0; i < certificate_.classes.size(); ++i) {
      const auto it = by_id.find(certificate_.classes[i].node);
      if (it == by_id.end())
        return refused(fmt::format("it names node {}, which the workload lacks", certificate_.classes[i].node));
      if (certificate_.classes[i].price < 0 || certificate_.classes[i].price > kMostPrice)
        return refused(fmt::format("the price at node {} is out of range", certificate_.classes[i].node));
      const auto& colour = graph.nodes[it->second].colour;
      const bool repeated = colour ? !position_of_colour.emplace(*colour, i).second : position[it->second] != kNowhere;
      if (repeated) return refused(fmt::format("it lists the class of node {} twice", certificate_.classes[i].node));
      if (!colour) position[it->second] = i;
    }
    for (const Certificate::Class& listed : certificate_.classes)
      weights_.push_back({std::vector<ClassWeights::OnDevices>(devices_.size()), 0, listed.price});
    class_of_.resize(graph.nodes.size(), kNowhere);
    for (NodeId v : graph.nodes.all()) {
      const Node& node = graph.nodes[v];
      std::size_t at = position[v];
      if (node.colour) {
        const auto it = position_of_colour.find(*node.colour);
        at = it == position_of_colour.end() ? kNowhere : it->second;
      }
      if (at == kNowhere) return refused(fmt::format("it leaves out the class of node {}", node.original_id));
      class_of_[v] = at;
      add_weights(node, weights_[at]);
    }
    return true;
  }

  void add_weights(const Node& node, ClassWeights& sum) const {
    sum.memory += node.memory;
    for (std::size_t c = 0; c < devices_.size(); ++c) {
      const double time = node.time[devices_[c].id.index()] * slow_down_[devices_[c].id];
      ClassWeights::OnDevices& there = sum.on[c];
      there.runs = there.runs && time != kCannotRun;
      const long double weight = is_host(devices_[c]) ? 1 : part(certificate_.weights.compute[node.backward]);
      if (there.runs) there.time += weight * time;
    }
  }

  static long double part(Int weight) { return static_cast<long double>(weight) / kWhole; }

  void find_transfers() {
    const Graph& graph = problem_.workload->graph;
    std::vector<std::vector<const Edge*>> out(graph.nodes.size());
    for (const Edge& edge : graph.edges) out[edge.from.index()].push_back(&edge);
    const auto add = [&](Transfer transfer) {
      std::sort(transfer.members.begin(), transfer.members.end());
      transfer.members.erase(std::unique(transfer.members.begin(), transfer.members.end()), transfer.members.end());
      if (transfer.members.size() >= 2) transfers_.push_back(std::move(transfer));
    };
    for (NodeId u : graph.nodes.all()) {
      const auto& edges = out[u.index()];
      if (edges.empty()) continue;
      const std::int64_t producer = graph.nodes[u].original_id;
      const long double weight = part(certificate_.weights.transfers[graph.nodes[u].backward]);
      const bool uniform =
          std::all_of(edges.begin(), edges.end(), [&](const Edge* e) { return e->cost == edges[0]->cost; });
      Transfer all{edges[0]->cost, weight, {class_of_[u]}, {producer, std::nullopt}};
      for (const Edge* edge : edges) {
        all.members.push_back(class_of_[edge->to]);
        if (!uniform)
          add({edge->cost, weight, {class_of_[u], class_of_[edge->to]}, {producer, graph.nodes[edge->to].original_id}});
      }
      if (uniform) add(std::move(all));
    }
  }

  Int scaled(long double time) const {
    const long double units = time * static_cast<long double>(kUnits) / certificate_.limit;
    return std::max<Int>(0, static_cast<Int>(std::floor(std::min(units, 4.0L * kUnits))) - 1);
  }

  // In units of a device's memory / 2^40, rounded down. Without a limit, or without memory at all, there is
  // nothing to charge for.
  static Int scaled_memory(long double memory, long double limit) {
    if (!(limit > 0) || std::isinf(limit)) return 0;
    return std::max<Int>(0, static_cast<Int>(std::floor(std::min(memory * kUnits / limit, 4.0L * kUnits))) - 1);
  }

  Int net_price(const ClassWeights& w, const Devices& devices) const {
    if (!devices.claim) return w.price;
    return w.price - charged(devices.claim->memory_toll, scaled_memory(w.memory, platform_.classes[devices.id].memory));
  }
  // What fits a device's memory pays at most the toll on all of it.
  static Int whole_toll(const Devices& devices) {
    const Int toll = devices.claim ? devices.claim->memory_toll : 0;
    return toll == 0 ? 0 : charged(toll, kLimit) + 1;
  }

  // The prices that sets of accelerators must not exceed: what is claimed, if all devices together then hold less than
  // everything. What is not claimed is left of the total after the others, shared out.
  bool find_goals() {
    Wide left = -1, sharing = 0;
    for (const ClassWeights& w : weights_) left += w.price;
    if (left >= kMostTotal) return refused("its prices are out of range");
    for (std::size_t c = 0; c < devices_.size(); ++c) {
      Devices& devices = devices_[c];
      const Wide count = platform_.classes[devices.id].count;
      left -= count * whole_toll(devices);
      if (is_host(devices)) {
        left -= count * host_share(c);
      } else if (devices.claim->most) {
        devices.most = *devices.claim->most;
        left -= count * devices.most;
      } else {
        sharing += count;
      }
    }
    if (left < 0) return refused("the devices could hold the whole price");
    for (Devices& devices : devices_) {
      if (!is_host(devices) && !devices.claim->most) devices.most = static_cast<Int>(left / sharing);
    }
    return true;
  }

  // Most price that one host can hold, net of the toll: the fractional knapsack, rounded up.
  Wide host_share(std::size_t c) const {
    std::vector<std::pair<Int, Int>> items;  // time, price
    Wide total = 0;
    for (const ClassWeights& w : weights_) {
      const Int price = net_price(w, devices_[c]);
      if (price <= 0 || !may_hold(w, c) || w.on[c].time > certificate_.limit * kTolerance) continue;
      const Int time = scaled(w.on[c].time);
      if (time == 0) {
        total += price;
      } else {
        items.emplace_back(time, price);
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

  // A colour class that is larger than a device's memory is on none of its kind.
  bool may_hold(const ClassWeights& w, std::size_t c) const {
    return w.on[c].runs && w.memory <= platform_.classes[devices_[c].id].memory;
  }

  PriceQuestion question(const Devices& devices) const {
    const std::size_t c = static_cast<std::size_t>(&devices - devices_.data());
    std::set<TransferName> ignored;
    for (const Certificate::Transfer& t : devices.claim->ignored) ignored.insert({t.producer, t.consumer});
    PriceQuestion result;
    for (const ClassWeights& w : weights_)
      result.classes.push_back({scaled(w.on[c].time), net_price(w, devices), may_hold(w, c)});
    const std::vector<Link> links = ClusterTree(platform_).links_of(devices.id);
    const auto least_price = [&](double cost) {
      long double least = std::numeric_limits<long double>::infinity();
      for (const Link& link : links)
        least = std::min(least, link.factor * static_cast<long double>(cost) + link.latency);
      return cost > 0 ? least : 0;
    };
    for (const Transfer& transfer : transfers_) {
      const Int load = scaled(transfer.weight * least_price(transfer.cost));
      if (load > 0 && !ignored.contains(transfer.name)) result.transfers.push_back({load, transfer.members});
    }
    result.limit = kLimit;
    result.goal = devices.most;
    result.theta = devices.claim->theta;
    result.buckets = devices.claim->buckets;
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
  static constexpr Int kWhole = Certificate::kWeightUnit;
  static constexpr std::size_t kNowhere = static_cast<std::size_t>(-1);
  // With these limits no sum below can overflow: prices, tolls and completions stay below 2^60, and three are added.
  static constexpr Int kMostPrice = Int{1} << 44;  // of a class
  static constexpr Int kMostTotal = Int{1} << 60;
  static constexpr Int kMostTheta = Int{1} << 55;

  const Problem& problem_;
  const Certificate& certificate_;
  const Platform& platform_;
  const IdVector<ClassId, double> slow_down_;
  Budget& budget_;
  CertificateVerdict verdict_;
  std::vector<Devices> devices_;
  std::vector<ClassWeights> weights_;  // in the certificate's order
  IdVector<NodeId, std::size_t> class_of_;
  std::vector<Transfer> transfers_;
};

}  // namespace

CertificateVerdict verify(const Problem& problem, const Certificate& certificate, Budget* budget) {
  Budget unlimited_time;
  return Verifier(problem, certificate, budget ? *budget : unlimited_time).run();
}

}  // namespace partita::detail
