// SPDX-License-Identifier: Apache-2.0
#include "partita/check/stage_search.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace partita::detail {
namespace {

using Int = std::int64_t;
using Kind = StageClaim::Kind;
constexpr std::uint64_t kWalkStepsPerLook = 1 << 10;  // at the clock
constexpr std::size_t kGroupsPerTick = 8;             // of an ideal that stages are looked for from
constexpr Int kNothingRequired = std::numeric_limits<Int>::min();

// Sets of groups as bits in a string, so that they can be looked up.
class IdealSet {
 public:
  explicit IdealSet(std::size_t groups) : bits_((groups + 7) / 8, '\0') {}

  bool has(std::size_t v) const { return (bits_[v / 8] >> (v % 8)) & 1; }
  void flip(std::size_t v) { bits_[v / 8] = static_cast<char>(bits_[v / 8] ^ (1 << (v % 8))); }
  const std::string& key() const { return bits_; }

 private:
  std::string bits_;
};

// The stages that can follow an ideal.
class StageWalk {
 public:
  StageWalk(const StageClaim& claim, const StageWindows& windows, Budget& budget)
      : claim_(claim), windows_(windows), budget_(budget), nets_(claim.nets.size()), state_(claim.size()) {}

  // Everything that follows is about stages of one device behind this ideal.
  void start_at(const IdealSet& base) {
    base_ = &base;
    base_work_ = 0;
    for (std::size_t e = 0; e < nets_.size(); ++e) nets_[e] = {};
    for (std::size_t v = 0; v < claim_.size(); ++v) {
      state_[v] = base.has(v) ? kInBase : kOpen;
      if (!base.has(v)) continue;
      base_work_ += work_of(v);
      for (const std::size_t e : claim_.nets_of[v]) ++nets_[e].base;
    }
  }

  bool rest_fits(Kind kind) const {
    Int load = 0, memory = 0;
    for (std::size_t v = 0; v < claim_.size(); ++v) {
      const StageClaim::GroupOn& on = claim_.on[v][kind];
      if (base_->has(v)) continue;
      if (!on.may_be_held) return false;
      load += on.load;
      memory += on.memory;
    }
    for (std::size_t e = 0; e < nets_.size() && kind == StageClaim::kAccelerator; ++e) {
      if (nets_[e].base > 0 && nets_[e].base < size_of(e)) load += claim_.nets[e].cost;
    }
    return load <= kLoadLimit && memory <= kLoadLimit;
  }

  // Whether leaving v, all that precedes it in the ideal, to a later stage spares that stage nothing.
  bool absorbing(std::size_t v) const {
    Int later = 0, spared = work_of(v);
    for (const std::size_t e : claim_.nets_of[v]) {
      const std::size_t outside = size_of(e) - nets_[e].base - nets_[e].in;
      if (outside == size_of(e)) later += claim_.nets[e].cost;
      if (outside == 1) spared += claim_.nets[e].cost;
    }
    return later <= spared;
  }
  bool comes_next(std::size_t v) const {
    return !is_inside(v) &&
           std::all_of(claim_.before[v].begin(), claim_.before[v].end(), [&](std::size_t u) { return is_inside(u); });
  }

  // Calls found(groups of the stage) for each that leads to an ideal which is needed; false when time is up.
  template <class Found>
  bool run(Kind kind, int hosts, int accelerators, Found found) {
    kind_ = kind;
    if (!find_targets(hosts, accelerators) || !prepare()) return true;
    if (hopeless()) {
      undo({0, true, 0, {}});
      return true;
    }
    std::size_t at = 0;
    frames_.clear();
    while (true) {
      if (++steps_ % kWalkStepsPerLook == 0) {
        budget_.spend(kWalkStepsPerLook);
        if (budget_.exhausted()) return false;
      }
      while (at < claim_.size() && state_[at] != kOpen) ++at;
      bool go_on = false;
      if (at < claim_.size()) {
        frames_.push_back({at, true, trail_.size(), sums_});
        include(at);
        go_on = !hopeless();
      } else if (is_needed()) {
        found(trail_);
      }
      while (!go_on && !frames_.empty()) {
        Frame& last = frames_.back();
        undo(last);
        at = last.group;
        if (last.including) {
          last.including = false;
          leave(at);
          go_on = !hopeless();
        } else {
          frames_.pop_back();
        }
      }
      if (!go_on) break;
    }
    undo({0, true, 0, {}});
    return true;
  }

  bool is_in_stage(std::size_t v) const { return state_[v] == kIn; }

 private:
  enum State : char { kOpen, kInBase, kIn, kOut };
  struct NetCount {
    std::size_t base = 0, in = 0, out = 0;
  };
  struct Sums {
    Int load = 0, memory = 0, work = 0, cut = 0;     // of the stage
    Int open_load = 0, open_work = 0, open_cut = 0;  // of what is open
    Int required = kNothingRequired;                 // the load has to be at least this
  };
  struct Frame {
    std::size_t group;
    bool including;
    std::size_t trail;
    Sums sums;
  };

  std::size_t size_of(std::size_t e) const { return claim_.nets[e].members.size(); }
  Int work_of(std::size_t v) const { return claim_.on[v][StageClaim::kAccelerator].load; }
  bool is_inside(std::size_t v) const { return state_[v] == kInBase || state_[v] == kIn; }
  const StageClaim::GroupOn& on(std::size_t v) const { return claim_.on[v][kind_]; }

  // Places that the stage can lead to. False: there are none.
  bool find_targets(int hosts, int accelerators) {
    std::vector<StageWindows::Side> sides(claim_.size());
    bool empty = true;
    for (std::size_t v = 0; v < sides.size(); ++v) {
      sides[v] = state_[v] == kInBase ? StageWindows::Side::In : StageWindows::Side::Out;
      empty = empty && state_[v] != kInBase;
    }
    const int from = empty ? 0 : windows_.place_of(base_work_);
    const std::vector<StageWindows::Step> steps = windows_.steps_from(sides, base_work_, from);
    target_.assign(steps.size(), 0);
    first_target_ = last_target_ = 0;
    for (int to = std::max(1, from); to < windows_.last_place(); ++to) {
      if (!windows_.allowed(hosts, accelerators, to) || !steps[static_cast<std::size_t>(to)].possible(kind_)) continue;
      target_[static_cast<std::size_t>(to)] = 1;
      if (first_target_ == 0) first_target_ = to;
      last_target_ = to;
    }
    return first_target_ > 0;
  }

  // Decides what the targets decide. False: no stage leads to one.
  bool prepare() {
    sums_ = {};
    trail_.clear();
    least_work_ = windows_.lowest(first_target_) - base_work_;
    most_work_ = windows_.highest(last_target_) - base_work_;
    Int open_memory = 0;
    for (std::size_t v = 0; v < claim_.size(); ++v) {
      if (state_[v] != kOpen) continue;
      sums_.open_load += on(v).load;
      sums_.open_work += work_of(v);
      open_memory += on(v).memory;
    }
    memory_is_free_ = open_memory <= kLoadLimit;
    for (std::size_t e = 0; e < nets_.size(); ++e) sums_.open_cut += open_cost(e);
    for (std::size_t v = 0; v < claim_.size(); ++v) {
      if (state_[v] == kOpen && (windows_.exit(v) >= last_target_ || !on(v).may_be_held)) drop_with_followers(v);
    }
    // Along the order, so that what precedes a group is in before it is.
    for (std::size_t v = 0; v < claim_.size(); ++v) {
      if (state_[v] == kInBase || !must_be_in(v)) continue;
      if (state_[v] == kOut) {
        undo({0, true, 0, {}});
        return false;
      }
      for_each_bit(claim_.ancestors.row(v), [&](std::size_t u) {
        if (state_[u] == kOpen) include(u);
      });
    }
    return true;
  }

  bool must_be_in(std::size_t v) const { return windows_.entry(v) <= first_target_; }

  bool hopeless() const {
    const Int load = kind_ == StageClaim::kAccelerator ? std::max(sums_.load, least_work_) + sums_.cut : sums_.load;
    return load > kLoadLimit || sums_.memory > kLoadLimit || sums_.work > most_work_ ||
           sums_.work + sums_.open_work < least_work_ || lost_one_ ||
           sums_.load + sums_.open_load + sums_.cut + sums_.open_cut < sums_.required;
  }

  // What a transfer may still add to what the stage pays.
  bool is_cut(std::size_t e) const { return nets_[e].in > 0 && nets_[e].base + nets_[e].out > 0; }
  Int open_cost(std::size_t e) const {
    const NetCount& net = nets_[e];
    const bool open = net.base + net.in + net.out < size_of(e);
    return kind_ == StageClaim::kAccelerator && open && !is_cut(e) ? claim_.nets[e].cost : 0;
  }

  template <class Change>
  void change_nets(std::size_t v, Change change) {
    for (const std::size_t e : claim_.nets_of[v]) {
      const Int open = open_cost(e);
      const bool cut = is_cut(e);
      change(nets_[e]);
      sums_.open_cut += open_cost(e) - open;
      if (!cut && is_cut(e) && kind_ == StageClaim::kAccelerator) sums_.cut += claim_.nets[e].cost;
    }
    sums_.open_load -= on(v).load;
    sums_.open_work -= work_of(v);
  }

  void include(std::size_t v) {
    change_nets(v, [](NetCount& net) { ++net.in; });
    state_[v] = kIn;
    trail_.push_back(v);
    sums_.load += on(v).load;
    sums_.memory += on(v).memory;
    sums_.work += work_of(v);
  }

  void drop_with_followers(std::size_t v) {
    for_each_bit(claim_.descendants.row(v), [&](std::size_t u) {
      if (state_[u] != kOpen) return;
      change_nets(u, [](NetCount& net) { ++net.out; });
      state_[u] = kOut;
      trail_.push_back(u);
    });
  }

  // All that precedes v is in, for else v would be out.
  void leave(std::size_t v) {
    if (memory_is_free_ && absorbing(v)) sums_.required = std::max(sums_.required, kLoadLimit - added_by(v) + 1);
    const std::size_t before = trail_.size();
    drop_with_followers(v);
    for (std::size_t i = before; i < trail_.size(); ++i) lost_one_ = lost_one_ || must_be_in(trail_[i]);
  }

  // What the load of the stage grows by if v joins it.
  Int added_by(std::size_t v) const {
    Int added = on(v).load;
    for (const std::size_t e : claim_.nets_of[v]) {
      if (kind_ == StageClaim::kHost) break;
      if (nets_[e].in == 0) added += claim_.nets[e].cost;
      if (nets_[e].in + 1 == size_of(e)) added -= claim_.nets[e].cost;
    }
    return added;
  }

  void undo(const Frame& to) {
    while (trail_.size() > to.trail) {
      const std::size_t v = trail_.back();
      trail_.pop_back();
      for (const std::size_t e : claim_.nets_of[v]) --(state_[v] == kIn ? nets_[e].in : nets_[e].out);
      state_[v] = kOpen;
    }
    sums_ = to.sums;
    lost_one_ = false;
  }

  // With everything decided.
  bool is_needed() const {
    const Int work = base_work_ + sums_.work;
    if (!target_[static_cast<std::size_t>(windows_.place_of(work))]) return false;
    bool any_in = false, any_out = false;
    for (const std::size_t v : trail_) (is_in_stage(v) ? any_in : any_out) = true;
    if (!any_in || !any_out) return false;  // nothing, or all that is left
    for (std::size_t v = 0; v < claim_.size(); ++v) {
      if (!on(v).may_be_held || !comes_next(v) || !absorbing(v)) continue;
      if (sums_.load + sums_.cut + added_by(v) <= kLoadLimit && sums_.memory + on(v).memory <= kLoadLimit) return false;
    }
    return true;
  }

  const StageClaim& claim_;
  const StageWindows& windows_;
  Budget& budget_;
  std::uint64_t steps_ = 0;

  const IdealSet* base_ = nullptr;
  Int base_work_ = 0;
  Kind kind_ = StageClaim::kAccelerator;
  std::vector<char> target_;  // by place
  int first_target_ = 0, last_target_ = 0;
  Int least_work_ = 0, most_work_ = 0;  // that the stage must and may hold
  bool memory_is_free_ = false;         // all that is left fits a device's memory

  std::vector<NetCount> nets_;
  std::vector<char> state_;         // by group
  std::vector<std::size_t> trail_;  // groups decided, in this order
  std::vector<Frame> frames_;
  Sums sums_;
  bool lost_one_ = false;  // a group that must be in is out
};

class StageSearch {
 public:
  StageSearch(const StageClaim& claim, const StageWindows& windows, Budget& budget)
      : claim_(claim),
        windows_(windows),
        budget_(budget),
        walk_(claim, windows, budget),
        levels_((static_cast<std::size_t>(windows.hosts()) + 1) * columns()) {}

  ChainAnswer run() {
    if (!windows_.feasible()) return ChainAnswer::None;
    if (claim_.size() == 0) return ChainAnswer::Some;
    enter(IdealSet(claim_.size()), 0, 0);
    for (int h = 0; h <= windows_.hosts(); ++h) {
      for (int a = 0; a <= windows_.accelerators(); ++a) {
        std::vector<std::size_t> ideals;
        ideals.swap(levels_[level(h, a)]);
        for (const std::size_t ideal : ideals) {
          if (auto answer = expand(ideal, h, a)) return *answer;
        }
      }
    }
    return ChainAnswer::None;
  }

 private:
  static constexpr std::int32_t kNever = std::numeric_limits<std::int32_t>::max();

  std::size_t columns() const { return static_cast<std::size_t>(windows_.accelerators()) + 1; }
  std::size_t level(int h, int a) const {
    return static_cast<std::size_t>(h) * columns() + static_cast<std::size_t>(a);
  }
  std::int32_t& fewest(std::size_t ideal, int h) {
    return fewest_[ideal * (static_cast<std::size_t>(windows_.hosts()) + 1) + static_cast<std::size_t>(h)];
  }

  // By at most so many hosts and accelerators.
  bool reached_by(std::size_t ideal, int h, int a) {
    for (int hosts = 0; hosts <= h; ++hosts) {
      if (fewest(ideal, hosts) <= a) return true;
    }
    return false;
  }

  void enter(const IdealSet& set, int h, int a) {
    const auto [it, added] = index_.try_emplace(set.key(), ideals_.size());
    if (added) {
      ideals_.push_back(set);
      fewest_.resize(fewest_.size() + static_cast<std::size_t>(windows_.hosts()) + 1, kNever);
    } else if (reached_by(it->second, h, a)) {
      return;
    }
    fewest(it->second, h) = a;
    levels_[level(h, a)].push_back(it->second);
  }

  std::size_t bytes() const {
    const std::size_t each = 2 * (claim_.size() / 8 + sizeof(std::string)) + 64 +
                             sizeof(std::int32_t) * (static_cast<std::size_t>(windows_.hosts()) + 1);
    return ideals_.size() * each;
  }

  // An answer if there is one now.
  std::optional<ChainAnswer> expand(std::size_t ideal, int h, int a) {
    if (fewest(ideal, h) < a || (h > 0 && reached_by(ideal, h - 1, a))) return std::nullopt;
    budget_.spend(1 + claim_.size() / kGroupsPerTick);
    if (budget_.exhausted()) return ChainAnswer::NoTime;
    const IdealSet base = ideals_[ideal];
    walk_.start_at(base);
    if (dominated(base, h, a)) return std::nullopt;
    for (const Kind kind : {StageClaim::kHost, StageClaim::kAccelerator}) {
      const int hosts = h + (kind == StageClaim::kHost), accelerators = a + (kind == StageClaim::kAccelerator);
      if (hosts > windows_.hosts() || accelerators > windows_.accelerators()) continue;
      if (walk_.rest_fits(kind)) return ChainAnswer::Some;
      bool room = true;
      const bool done = walk_.run(kind, hosts, accelerators, [&](const std::vector<std::size_t>& decided) {
        IdealSet next = base;
        for (const std::size_t v : decided) {
          if (walk_.is_in_stage(v)) next.flip(v);
        }
        enter(next, hosts, accelerators);
        room = room && bytes() <= budget_.limits().memory_bytes / 2;
      });
      if (!room) return ChainAnswer::NoMemory;
      if (!done) return ChainAnswer::NoTime;
    }
    return std::nullopt;
  }

  bool dominated(const IdealSet& base, int h, int a) {
    IdealSet larger = base;
    for (std::size_t v = 0; v < claim_.size(); ++v) {
      if (!walk_.comes_next(v) || !walk_.absorbing(v)) continue;
      larger.flip(v);
      const auto it = index_.find(larger.key());
      larger.flip(v);
      if (it != index_.end() && reached_by(it->second, h, a)) return true;
    }
    return false;
  }

  const StageClaim& claim_;
  const StageWindows& windows_;
  Budget& budget_;
  StageWalk walk_;
  std::vector<std::vector<std::size_t>> levels_;  // ideals, by devices in use
  std::vector<IdealSet> ideals_;
  std::unordered_map<std::string, std::size_t> index_;
  std::vector<std::int32_t> fewest_;  // by ideal and hosts: the fewest accelerators that reach it with them
};

}  // namespace

ChainAnswer look_for_chain(const StageClaim& claim, const StageWindows& windows, Budget& budget) {
  return StageSearch(claim, windows, budget).run();
}

}  // namespace partita::detail
