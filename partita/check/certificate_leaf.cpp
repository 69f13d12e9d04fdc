// SPDX-License-Identifier: Apache-2.0
// Each group is in exactly one device's set. So if every set that a device of class c may hold in this case is worth at
// most U(c), a split's groups are worth at most sum count(c) U(c), and where their prices add up to more there is no
// split. Prices may have either sign: U(c) is at least 0, the worth of the empty set.
//
// What takes long is the dynamic program of price_program.h. It is right whatever order it takes the groups in, but may
// be exponentially larger in a bad one; so the order of the workload's file is tried where it looks smaller than the
// certificate's own.
#include "partita/check/certificate_leaf.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <numeric>
#include <set>

#include "partita/check/knapsack.h"
#include "partita/check/names.h"
#include "partita/check/price_program.h"
#include "partita/util/wide_int.h"

namespace partita::detail {
namespace {

using Int = std::int64_t;
using Wide = WideInt;

class LeafVerifier {
 public:
  LeafVerifier(const Platform& platform, const ClaimInstance& instance, const LeafClaim& leaf, Budget& budget)
      : platform_(platform), instance_(instance), leaf_(leaf), budget_(budget) {}

  CertificateVerdict run() {
    if (!match_devices() || !match_groups() || !match_decisions() || !find_goals()) return verdict_;
    for (std::size_t c = 0; c < devices_.size(); ++c) {
      if (by_knapsack(c)) continue;
      const std::optional<PriceQuestion> asked = question(c);
      if (!asked) return verdict_;
      switch (look_for_dearer_set(*asked, budget_)) {
        case PriceAnswer::NoneDearer: break;
        case PriceAnswer::MaybeDearer:
          return refuse(fmt::format("some set within the limit may be dearer than {} share of the price",
                                    is_host(c) ? "a host's" : "an accelerator's"));
        case PriceAnswer::NoTime: return give_up("the limit of time was reached before it was checked");
        case PriceAnswer::NoMemory:
          return give_up(fmt::format("checking it takes more than {} of memory",
                                     human_bytes(static_cast<double>(budget_.limits().memory_bytes))));
      }
    }
    return {true, "", false};
  }

 private:
  // A class of devices that has some, and what the certificate says of it.
  struct Devices {
    const Certificate::Devices* claim = nullptr;  // hosts may have none
    Int most = 0;                                 // that a set of theirs may be worth, net of the toll
  };

  CertificateVerdict refuse(std::string reason) { return verdict_ = {false, std::move(reason), false}; }
  CertificateVerdict give_up(std::string reason) { return verdict_ = {false, std::move(reason), true}; }
  bool refused(std::string reason) {
    refuse(std::move(reason));
    return false;
  }
  bool names_no_node(Int id) {
    return refused(fmt::format("it names node {}, which the workload lacks or a step removed", id));
  }

  const DeviceClass& device_class(std::size_t c) const { return platform_.classes[instance_.devices[c]]; }
  bool is_host(std::size_t c) const { return device_class(c).kind == DeviceKind::Host; }
  bool by_knapsack(std::size_t c) const { return is_host(c) && !(devices_[c].claim && devices_[c].claim->most); }

  bool match_devices() {
    std::map<std::string, const Certificate::Devices*> by_name;
    const Certificate::Devices* others = nullptr;
    for (const Certificate::Devices& claim : leaf_.devices) {
      if (claim.buckets < 1 || claim.buckets > 1'000'000) return refused("its number of buckets is out of range");
      if (claim.theta < 0 || claim.theta > kMostTheta) return refused("its theta is out of range");
      if (claim.memory_toll < 0 || claim.memory_toll > kMostTheta) return refused("its toll on memory is out of range");
      if (claim.most && (*claim.most < 0 || *claim.most > kMostTotal))
        return refused("the most that it says a device is worth is out of range");
      const bool repeated = claim.name ? !by_name.emplace(*claim.name, &claim).second : others != nullptr;
      if (repeated) return refused("it says two things of the same devices");
      if (!claim.name) others = &claim;
    }
    devices_.resize(instance_.devices.size());
    for (std::size_t c = 0; c < devices_.size(); ++c) {
      const auto named = by_name.find(device_class(c).name);
      if (named != by_name.end()) devices_[c].claim = named->second;
      if (devices_[c].claim || is_host(c)) continue;
      devices_[c].claim = others;
      if (!others) return refused(fmt::format("it says nothing of the devices {}", device_class(c).name));
    }
    return true;
  }

  bool match_groups() {
    place_.assign(instance_.groups.size(), ClaimInstance::kNone);
    for (const Certificate::Class& listed : leaf_.classes) {
      const std::optional<std::size_t> group = instance_.group_of_id(listed.node);
      if (!group) return names_no_node(listed.node);
      if (listed.price < -kMostPrice || listed.price > kMostPrice)
        return refused(fmt::format("the price at node {} is out of range", listed.node));
      if (place_[*group] != ClaimInstance::kNone)
        return refused(fmt::format("it lists the class of node {} twice", listed.node));
      place_[*group] = order_.size();
      order_.push_back(*group);
    }
    for (std::size_t g = 0; g < place_.size(); ++g) {
      if (place_[g] == ClaimInstance::kNone)
        return refused(fmt::format("it leaves out the class of node {}", instance_.groups[g].node));
    }
    return true;
  }

  bool match_decisions() {
    may_be_taken_.assign(order_.size(), 1);
    for (const Certificate::Decision& decision : leaf_.decisions) {
      const auto a = instance_.group_of_id(decision.a), b = instance_.group_of_id(decision.b);
      if (!a || !b) return names_no_node(a ? decision.b : decision.a);
      if (*a != *b) {
        pairs_.push_back({place_[*a], place_[*b], decision.together});
      } else if (!decision.together) {
        may_be_taken_[place_[*a]] = 0;  // it is not apart from itself
      }
    }
    return true;
  }

  Int net_price(std::size_t place, std::size_t c) const {
    const Int toll = devices_[c].claim ? devices_[c].claim->memory_toll : 0;
    return leaf_.classes[place].price - charged(toll, instance_.groups[order_[place]].on[c].memory);
  }
  // What fits a device's memory pays at most the toll on all of it.
  Int whole_toll(std::size_t c) const {
    const Int toll = devices_[c].claim ? devices_[c].claim->memory_toll : 0;
    return toll == 0 ? 0 : charged(toll, kLoadLimit) + 1;
  }

  // The prices that sets must not exceed: what is claimed, if all devices together then hold less than everything. What
  // is not claimed is left of the total after the others, shared out.
  bool find_goals() {
    Wide left = -1, sharing = 0, size = 0;
    for (const Certificate::Class& listed : leaf_.classes) {
      left += listed.price;
      size += listed.price < 0 ? -listed.price : listed.price;
    }
    if (size >= kMostTotal) return refused("its prices are out of range");
    for (std::size_t c = 0; c < devices_.size(); ++c) {
      const Wide count = device_class(c).count;
      left -= count * whole_toll(c);
      if (by_knapsack(c)) {
        left -= count * host_share(c);
      } else if (devices_[c].claim->most) {
        devices_[c].most = *devices_[c].claim->most;
        left -= count * devices_[c].most;
      } else {
        sharing += count;
      }
    }
    if (left < 0) return refused("the devices could hold the whole price");
    for (std::size_t c = 0; c < devices_.size(); ++c) {
      if (!by_knapsack(c) && !devices_[c].claim->most) devices_[c].most = static_cast<Int>(left / sharing);
    }
    return true;
  }

  bool may_hold(std::size_t place, std::size_t c) const {
    return may_be_taken_[place] && instance_.groups[order_[place]].on[c].may_be_held;
  }

  // Most price that one host can hold, net of the toll: the fractional knapsack, rounded up. It allows sets that are
  // not convex, or against the decisions; what is worth less than nothing it leaves.
  Wide host_share(std::size_t c) const {
    std::vector<std::pair<Int, Int>> items;  // load, price
    for (std::size_t i = 0; i < order_.size(); ++i) {
      const Int price = net_price(i, c), load = instance_.groups[order_[i]].on[c].load;
      if (price > 0 && may_hold(i, c) && load <= kLoadLimit) items.emplace_back(load, price);
    }
    return most_that_fits(std::move(items), kLoadLimit);
  }

  using Groups = std::vector<std::size_t>;  // sorted
  // Nothing where a node's group is not there; then it is refused.
  std::optional<Groups> groups_of(const std::vector<Int>& nodes) {
    Groups groups;
    for (const Int id : nodes) {
      const std::optional<std::size_t> group = instance_.group_of_id(id);
      if (!group) {
        names_no_node(id);
        return std::nullopt;
      }
      groups.push_back(*group);
    }
    std::sort(groups.begin(), groups.end());
    return groups;
  }

  // By the members of transfers: of which the program counts those alone. Likewise.
  std::optional<std::map<Groups, Groups>> narrowed_transfers(const Certificate::Devices& claim) {
    std::map<Groups, Groups> result;
    for (const auto& [transfer, counted] : claim.narrowed) {
      std::optional<Groups> all = groups_of(transfer), some = groups_of(counted);
      if (!all || !some) return std::nullopt;
      Groups both;
      std::ranges::set_intersection(*all, *some, std::back_inserter(both));
      both.erase(std::unique(both.begin(), both.end()), both.end());
      result.emplace(std::move(*all), std::move(both));
    }
    return result;
  }

  // Likewise.
  std::optional<PriceQuestion> question(std::size_t c) {
    const Certificate::Devices& claim = *devices_[c].claim;
    std::set<ClaimInstance::TransferName> ignored;
    for (const Certificate::Transfer& t : claim.ignored) ignored.insert({t.producer, t.consumer});
    const std::optional<std::map<Groups, Groups>> narrowed = narrowed_transfers(claim);
    if (!narrowed) return std::nullopt;
    PriceQuestion result;
    for (std::size_t i = 0; i < order_.size(); ++i)
      result.classes.push_back({instance_.groups[order_[i]].on[c].load, net_price(i, c), may_hold(i, c)});
    for (const ClaimInstance::Transfer& transfer : instance_.transfers) {
      const auto is_ignored = [&](const ClaimInstance::TransferName& name) { return ignored.contains(name); };
      if (transfer.load[c] == 0 || std::any_of(transfer.names.begin(), transfer.names.end(), is_ignored)) continue;
      const auto some = narrowed->find(transfer.members);
      const Groups& counted = some == narrowed->end() ? transfer.members : some->second;
      if (counted.size() < 2) continue;
      auto& members = result.transfers.emplace_back(PriceQuestion::Transfer{transfer.load[c], {}}).members;
      for (const std::size_t group : counted) members.push_back(place_[group]);
    }
    result.pairs = pairs_;
    result.order = &instance_.order;
    result.class_of_point.resize(instance_.order.size());
    result.forgotten.resize(instance_.order.size(), 0);
    for (NodeId v : instance_.point_of.all()) {
      if (const std::size_t p = instance_.point_of[v]; p != ClaimInstance::kNone)
        result.class_of_point[p] = place_[instance_.group_of[v]];
    }
    for (const Int id : claim.forgotten) {
      const auto node = instance_.by_id.find(id);
      if (node == instance_.by_id.end()) {
        names_no_node(id);
        return std::nullopt;
      }
      if (const std::size_t p = instance_.point_of[node->second]; p != ClaimInstance::kNone) result.forgotten[p] = 1;
    }
    result.limit = kLoadLimit;
    result.goal = devices_[c].most;
    result.theta = claim.theta;
    result.buckets = claim.buckets;
    PriceQuestion as_in_file = reordered(result, place_);
    return states_at_most(as_in_file) < states_at_most(result) ? as_in_file : result;
  }

  static Int charged(Int theta, Int load) { return static_cast<Int>((static_cast<Wide>(theta) * load) >> kThetaShift); }

  // With these limits no sum below can overflow: prices, tolls and completions stay below 2^60, and three are added.
  static constexpr Int kMostPrice = Int{1} << 44;  // of a class
  static constexpr Int kMostTotal = Int{1} << 60;
  static constexpr Int kMostTheta = Int{1} << 55;

  const Platform& platform_;
  const ClaimInstance& instance_;
  const LeafClaim& leaf_;
  Budget& budget_;
  CertificateVerdict verdict_;
  std::vector<Devices> devices_;    // as in the instance
  std::vector<std::size_t> order_;  // groups, as the leaf lists them
  std::vector<std::size_t> place_;  // by group: its place in the order
  std::vector<char> may_be_taken_;  // by place
  std::vector<PriceQuestion::Pair> pairs_;
};

}  // namespace

CertificateVerdict verify_leaf(const Platform& platform, const ClaimInstance& instance, const LeafClaim& leaf,
                               Budget& budget) {
  return LeafVerifier(platform, instance, leaf, budget).run();
}

}  // namespace partita::detail
