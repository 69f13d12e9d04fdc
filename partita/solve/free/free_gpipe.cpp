// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/free/free_gpipe.h"

#include <algorithm>
#include <cmath>

#include "partita/solve/free/part_loads.h"
#include "partita/util/dice.h"

namespace partita::detail {
namespace {

constexpr double kHot = 0.02, kCold = 0.0002;  // first and last temperature, in values of the start
constexpr double kMeanWeight = 0.01;
constexpr double kMemoryPrice = 0.5;  // in values of the start, for one limit too much
constexpr std::uint64_t kGpipeMovesPerLook = 256;
constexpr std::size_t kGpipeLooksPerRefresh = 64;

class GpipeAnneal {
 public:
  GpipeAnneal(const FreeInstance& instance, const StageOrder* staged, const GpipeAnnealOptions& options)
      : instance_(instance),
        staged_(staged),
        options_(options),
        dice_(options.seed),
        loads_(instance),
        position_(instance.devices.size(), 0) {
    find_units();
  }

  FreeSplit run(const FreeSplit& start, const std::vector<DeviceId>& order, Budget& budget) {
    loads_.reset(start.device_of);
    if (staged_) take_positions(order);
    best_ = start;
    best_.value = value();
    scale_ = best_.value > 0 ? best_.value : 1;
    double now = energy();
    for (std::uint64_t done = 0, looks = 0; done < options_.moves; done += kGpipeMovesPerLook, ++looks) {
      if (budget.exhausted() || best_.value <= options_.good_enough) break;
      if (looks % kGpipeLooksPerRefresh == 0) {
        loads_.refresh();
        now = energy();
      }
      const double progress = static_cast<double>(done) / static_cast<double>(options_.moves);
      const double temperature = scale_ * kHot * std::pow(kCold / kHot, progress);
      for (std::uint64_t i = 0; i < kGpipeMovesPerLook; ++i) {
        if (!propose()) continue;
        const double after = energy();
        if (after <= now || dice_.chance() < std::exp((now - after) / temperature)) {
          now = after;
          remember();
        } else {
          take_back();
        }
      }
      budget.spend(kGpipeMovesPerLook);
    }
    best_.value = gpipe_value(instance_, best_.device_of);
    return best_;
  }

 private:
  using Unit = std::vector<GroupId>;

  void find_units() {
    const std::size_t groups = instance_.graph.size();
    unit_of_.resize(groups);
    if (!staged_) {
      for (GroupId g : unit_of_.all()) {
        unit_of_[g] = units_.size();
        units_.push_back({g});
      }
      return;
    }
    units_.resize(staged_->graph.size());
    for (NodeId v : instance_.group_of.all()) {
      const GroupId g = instance_.group_of[v];
      unit_of_[g] = staged_->group_of[v].index();
      Unit& unit = units_[unit_of_[g]];
      if (std::find(unit.begin(), unit.end(), g) == unit.end()) unit.push_back(g);
    }
  }

  // The devices in use keep their order; the others stand anywhere among them.
  void take_positions(std::vector<DeviceId> order) {
    for (DeviceId d : position_.all()) {
      if (std::find(order.begin(), order.end(), d) != order.end()) continue;
      order.insert(order.begin() + static_cast<std::ptrdiff_t>(dice_.below(order.size() + 1)), d);
    }
    for (std::size_t i = 0; i < order.size(); ++i) position_[order[i]] = i;
    at_ = std::move(order);
  }

  DeviceId device(std::size_t unit) const { return loads_.device_of(units_[unit].front()); }

  // Mostly one with a net that is cut.
  std::size_t some_unit() {
    const auto cut = loads_.cut_nets();
    if (cut.empty() || dice_.one_in(4)) return dice_.below(units_.size());
    const auto members = instance_.graph.members(cut[dice_.below(cut.size())]);
    return unit_of_[members[dice_.below(members.size())]];
  }

  bool propose() {
    if (loads_.device_count() < 2) return false;
    if (dice_.one_in(64)) return exchange();
    const std::size_t unit = some_unit();
    const DeviceId from = device(unit), to = staged_ ? staged_place(unit) : free_place(unit);
    if (!to.valid() || to == from) return false;
    const auto runs = [&](GroupId g) { return loads_.can_run(g, to); };
    if (!std::all_of(units_[unit].begin(), units_[unit].end(), runs)) return false;
    begin(from, to);
    for (GroupId g : units_[unit]) move(g, to);
    return true;
  }

  DeviceId staged_place(std::size_t unit) {
    std::size_t low = 0, high = at_.size() - 1;
    for (GroupId p : staged_->graph.predecessors(GroupId(unit))) low = std::max(low, position_[device(p.index())]);
    for (GroupId s : staged_->graph.successors(GroupId(unit))) high = std::min(high, position_[device(s.index())]);
    return low < high ? at_[low + dice_.below(high - low + 1)] : DeviceId();
  }

  DeviceId free_place(std::size_t unit) {
    const auto nets = instance_.graph.nets_of(units_[unit].front());
    if (nets.empty() || dice_.one_in(4)) return DeviceId(dice_.below(loads_.device_count()));
    const auto members = instance_.graph.members(nets[dice_.below(nets.size())]);
    return loads_.device_of(members[dice_.below(members.size())]);
  }

  // Two devices take each other's groups, and in a pipeline each other's place.
  bool exchange() {
    const DeviceId a(dice_.below(loads_.device_count())), b(dice_.below(loads_.device_count()));
    if (instance_.devices.class_number(a) == instance_.devices.class_number(b)) return false;  // nothing would change
    for (GroupId g : instance_.graph.all()) {
      const DeviceId d = loads_.device_of(g);
      if ((d == a && !loads_.can_run(g, b)) || (d == b && !loads_.can_run(g, a))) return false;
    }
    begin(a, b);
    exchanged_ = true;
    swap_positions();
    for (GroupId g : instance_.graph.all()) {
      const DeviceId d = loads_.device_of(g);
      if (d == a || d == b) move(g, d == a ? b : a);
    }
    return true;
  }

  void begin(DeviceId a, DeviceId b) {
    before_[0] = loads_.save(a);
    before_[1] = loads_.save(b);
    moved_.clear();
    exchanged_ = false;
  }

  void move(GroupId g, DeviceId to) {
    moved_.emplace_back(g, loads_.device_of(g));
    loads_.move(g, to);
  }

  void swap_positions() {
    if (!staged_) return;
    const DeviceId a = before_[0].device, b = before_[1].device;
    std::swap(at_[position_[a]], at_[position_[b]]);
    std::swap(position_[a], position_[b]);
  }

  void take_back() {
    for (std::size_t i = moved_.size(); i > 0; --i) loads_.move(moved_[i - 1].first, moved_[i - 1].second);
    for (const PartLoads::Saved& saved : before_) loads_.restore(saved);
    if (exchanged_) swap_positions();
  }

  double value() const {
    double most[kPasses] = {0, 0};
    for (DeviceId d : position_.all()) {
      for (std::size_t p = 0; p < kPasses; ++p) most[p] = std::max(most[p], loads_.pass_load(d, p));
    }
    return most[0] + most[1];
  }

  double energy() {
    double total = 0;
    overfull_ = 0;
    for (DeviceId d : position_.all()) {
      total += loads_.load(d);
      overfull_ += loads_.overfull(d);
    }
    value_ = value();
    return value_ + kMeanWeight * total / static_cast<double>(loads_.device_count()) +
           kMemoryPrice * scale_ * overfull_;
  }

  void remember() {
    if (overfull_ > 0 || value_ >= best_.value) return;
    best_.value = value_;
    best_.device_of = loads_.device_of();
  }

  const FreeInstance& instance_;
  const StageOrder* staged_;
  const GpipeAnnealOptions options_;
  Dice dice_;
  PartLoads loads_;
  std::vector<Unit> units_;
  IdVector<GroupId, std::size_t> unit_of_;
  IdVector<DeviceId, std::size_t> position_;  // in the pipeline
  std::vector<DeviceId> at_;                  // by position
  FreeSplit best_;
  double scale_ = 1, value_ = 0, overfull_ = 0;

  // The last proposal.
  PartLoads::Saved before_[2] = {};
  std::vector<std::pair<GroupId, DeviceId>> moved_;  // and where from
  bool exchanged_ = false;
};

}  // namespace

double gpipe_value(const FreeInstance& instance, const IdVector<GroupId, DeviceId>& device_of) {
  PartLoads loads(instance);
  loads.reset(device_of);
  double most[kPasses] = {0, 0};
  for (DeviceId d : ids<DeviceId>(loads.device_count())) {
    for (std::size_t p = 0; p < kPasses; ++p) most[p] = std::max(most[p], loads.pass_load(d, p));
  }
  return most[0] + most[1];
}

FreeSplit anneal_gpipe(const FreeInstance& instance, const StageOrder* staged, const FreeSplit& start,
                       const std::vector<DeviceId>& order, const GpipeAnnealOptions& options, Budget& budget) {
  return GpipeAnneal(instance, staged, options).run(start, order, budget);
}

}  // namespace partita::detail
