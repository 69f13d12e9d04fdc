// SPDX-License-Identifier: Apache-2.0
// The dynamic program walks through the layers of price_layers.h. Labels (load,
// price) at a state stand for the sets that lead there. Two labels in one bucket of load are replaced by one with the
// smaller load and the higher price, which is no worse than either. A label is dropped when even its best completion
// cannot exceed the goal: completions are bounded by longest paths in which every unit of load costs theta / 2^36, with
// theta times the room left granted on top. All three steps err only towards higher prices, so if no label ends above
// the goal, no set within the limit is dearer.
//
// Certificates come from anywhere, and the number of states is exponential in the number of open transfers: what is
// made is counted against the budget's memory, and time is asked for inside every long loop. Tests:
// tests/check/certificate_test.cpp, tests/check/convex_certificate_test.cpp, tests/check/certificate_limits_test.cpp.
#include "partita/check/price_program.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "partita/check/price_layers.h"
#include "partita/util/wide_int.h"

namespace partita::detail {
namespace {

using Int = std::int64_t;
constexpr Int kTooMuch = std::numeric_limits<Int>::max() / 4;
constexpr Int kMinusInfinity = std::numeric_limits<Int>::min() / 4;
constexpr Int kLeastPrice = -(Int{1} << 60);  // sums that are lower still are taken for this, which is no less valid
constexpr std::uint64_t kLabelsPerTick = 16;
constexpr std::size_t kMostKept = 1024;  // labels of a state for which room is kept

struct Completions {
  std::vector<Int> most_price;  // by state: most price less theta per load, from here to the end
  std::vector<Int> least_load;  // by state: from here to the end
};

Int charged(Int theta, Int load) { return static_cast<Int>((static_cast<WideInt>(theta) * load) >> kThetaShift); }

class PriceProgram {
 public:
  PriceProgram(const PriceQuestion& question, Budget& budget)
      : question_(question), budget_(budget), meter_(budget), layers_(price_layers(question, meter_)) {}

  PriceAnswer run() {
    if (meter_.stopped()) return *meter_.stopped();
    bound_completions();
    return look();
  }

 private:
  Int price(std::size_t t, const PriceArc& arc) const { return arc.take ? question_.classes[t].price : 0; }

  void bound_completions() {
    completions_.resize(layers_.size());
    completions_.back().most_price.assign(layers_.back().states(), 0);
    completions_.back().least_load.assign(layers_.back().states(), 0);
    for (std::size_t t = layers_.size() - 1; t-- > 0;) {
      const PriceLayer& layer = layers_[t];
      Completions& here = completions_[t];
      const Completions& after = completions_[t + 1];
      here.most_price.assign(layer.states(), kMinusInfinity);
      here.least_load.assign(layer.states(), kTooMuch);
      for (std::size_t s = 0; s < layer.states(); ++s) {
        for (std::size_t i = layer.first[s]; i < layer.first[s + 1]; ++i) {
          const PriceArc& arc = layer.arcs[i];
          const Int rest = after.most_price[arc.to];
          if (rest == kMinusInfinity) continue;
          here.least_load[s] = std::min(here.least_load[s], arc.load + after.least_load[arc.to]);
          here.most_price[s] =
              std::max({here.most_price[s], kLeastPrice, price(t, arc) - charged(question_.theta, arc.load) + rest});
        }
      }
    }
  }

  struct Label {
    Int load, price;
    std::int32_t bucket;
  };
  static bool lighter(const Label& a, const Label& b) { return a.load < b.load; }

  PriceAnswer look() {
    std::vector<std::vector<Label>> labels(1), next;  // by state
    labels[0].push_back({0, 0, 0});
    std::size_t held = 1;
    for (std::size_t t = 0; t + 1 < layers_.size(); ++t) {
      const PriceLayer& layer = layers_[t];
      next.resize(layers_[t + 1].states());
      for (auto& of_state : next) of_state.clear();
      std::size_t made = 0;
      for (std::size_t s = 0; s < layer.states(); ++s) {
        for (std::size_t i = layer.first[s]; i < layer.first[s + 1]; ++i) {
          const PriceArc& arc = layer.arcs[i];
          made += extend(labels[s], arc, price(t, arc), completions_[t + 1], next[arc.to]);
          meter_.count_steps(labels[s].size() / kLabelsPerTick);
          if (meter_.out_of_bounds((held + made) * sizeof(Label))) return *meter_.stopped();
        }
        if (labels[s].capacity() > kMostKept) labels[s] = {};  // small ones are used again, two layers on
      }
      held = 0;
      for (auto& of_state : next) {
        thin_out(of_state);
        held += of_state.size();
      }
      labels.swap(next);
      budget_.spend(1 + made / kLabelsPerTick);
      if (budget_.exhausted()) return PriceAnswer::NoTime;
    }
    for (const auto& of_state : labels) {
      for (const Label& label : of_state) {
        if (label.price > question_.goal) return PriceAnswer::MaybeDearer;
      }
    }
    return PriceAnswer::NoneDearer;
  }

  // The labels at the end of an arc that can still exceed the goal; how many there are. They come in order of load, as
  // those of every state are. Which of them share a bucket need not be exact.
  std::size_t extend(const std::vector<Label>& from, const PriceArc& arc, Int price_of_class, const Completions& after,
                     std::vector<Label>& to) const {
    const Int rest = after.least_load[arc.to], completion = after.most_price[arc.to];
    if (completion == kMinusInfinity) return 0;
    const std::size_t before = to.size();
    for (const Label& label : from) {
      const Int load = label.load + arc.load;
      const Int price = std::max(label.price + price_of_class, kLeastPrice);
      if (load + rest > question_.limit) continue;
      if (price + completion + charged(question_.theta, question_.limit - load) + 1 <= question_.goal) continue;
      to.push_back({load, price, static_cast<std::int32_t>(static_cast<double>(load + rest) * buckets_per_load_)});
    }
    std::inplace_merge(to.begin(), to.begin() + static_cast<std::ptrdiff_t>(before), to.end(), lighter);
    return to.size() - before;
  }

  static void thin_out(std::vector<Label>& labels) {
    std::size_t kept = 0;
    for (const Label& label : labels) {
      if (kept > 0 && label.price <= labels[kept - 1].price) continue;  // a lighter one is as dear
      if (kept > 0 && label.bucket == labels[kept - 1].bucket) {
        labels[kept - 1].price = label.price;  // with the load of the lighter one
      } else {
        labels[kept++] = label;
      }
    }
    labels.resize(kept);
  }

  const PriceQuestion& question_;
  const double buckets_per_load_ = question_.buckets / (static_cast<double>(question_.limit) + 1);
  Budget& budget_;
  PriceMeter meter_;
  std::vector<PriceLayer> layers_;
  std::vector<Completions> completions_;  // by layer
};

}  // namespace

PriceAnswer look_for_dearer_set(const PriceQuestion& question, Budget& budget) {
  return PriceProgram(question, budget).run();
}

double states_at_most(const PriceQuestion& question) {
  std::vector<int> change(question.classes.size() + 1, 0);
  const auto open = [&](std::size_t first, std::size_t last) {
    ++change[first];
    --change[last];
  };
  for (const PriceQuestion::Transfer& transfer : question.transfers) {
    const auto [first, last] = std::minmax_element(transfer.members.begin(), transfer.members.end());
    open(*first, *last);
  }
  for (std::size_t p = 0; p < question.class_of_point.size(); ++p) {
    if (question.forgotten[p]) continue;
    const std::size_t last = question.class_of_point[p];
    std::size_t first = last;
    for (const auto* neighbours : {&question.order->before(p), &question.order->after(p)}) {
      for (const std::size_t q : *neighbours) {
        if (!question.forgotten[q]) first = std::min(first, question.class_of_point[q]);
      }
    }
    open(first, last);
  }
  double states = 0;
  int open_now = 0;
  for (const int more : change) states += std::exp2(std::min(open_now += more, 1000));
  return states;
}

PriceQuestion reordered(const PriceQuestion& question, const std::vector<std::size_t>& order) {
  PriceQuestion result = question;
  std::vector<std::size_t> place(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    place[order[i]] = i;
    result.classes[i] = question.classes[order[i]];
  }
  for (PriceQuestion::Transfer& transfer : result.transfers) {
    for (std::size_t& member : transfer.members) member = place[member];
  }
  for (PriceQuestion::Pair& pair : result.pairs) pair = {place[pair.a], place[pair.b], pair.together};
  for (std::size_t& c : result.class_of_point) c = place[c];
  return result;
}

}  // namespace partita::detail
