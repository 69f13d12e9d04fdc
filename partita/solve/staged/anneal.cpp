// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/staged/anneal.h"

#include <algorithm>
#include <cmath>

namespace partita {
namespace {

constexpr double kAmbition = 0.002;        // how far below the best value the target is
constexpr std::size_t kLargestBlock = 40;  // groups that one move may take along
constexpr std::uint64_t kMovesPerLook = 1024;

class Annealer {
 public:
  Annealer(const StageGraph& graph, const StagePlatform& platform, const StagedSplit& start, Rng& rng)
      : graph_(graph), platform_(platform), rng_(rng), place_of_(graph.size(), 0), best_value_(start.value) {
    make_row(start);
    loads_.assign(row_.size(), 0);
    memory_.assign(row_.size(), 0);
    members_.assign(graph.net_count() * row_.size(), 0);
    for (GroupId v : graph.all()) enter(v, place_of_[v]);
    set_target(best_value_);
  }

  std::optional<StagedSplit> run(const AnnealOptions& options, Budget& budget) {
    excess_ = total_excess();
    for (std::uint64_t move = 0; move < options.moves; ++move) {
      if (move % kMovesPerLook == 0) {
        budget.spend(kMovesPerLook);
        if (budget.exhausted()) break;
        const double progress = static_cast<double>(move) / static_cast<double>(options.moves);
        temperature_ = best_value_ * options.hot * std::pow(options.cold / options.hot, progress);
        excess_ = total_excess();  // afresh, so that rounding does not add up
      }
      try_move();
      if (excess_ <= 1e-12 * best_value_) note_success();
    }
    return std::move(best_);
  }

 private:
  // The stages of the start in order; the devices it leaves unused get random places between them.
  void make_row(const StagedSplit& start) {
    int accelerators = platform_.accelerators, hosts = platform_.hosts;
    for (const Stage& stage : start.stages) --(stage.on_host ? hosts : accelerators);
    std::vector<int> position;  // of each stage in the row
    for (const Stage& stage : start.stages) row_.push_back(stage.on_host);
    std::vector<std::pair<std::size_t, bool>> spare;
    const std::size_t most_spare = 8;
    for (int i = 0; i < accelerators && spare.size() < most_spare; ++i)
      spare.emplace_back(draw(row_.size() + 1), false);
    for (int i = 0; i < std::min(hosts, 4); ++i) spare.emplace_back(draw(row_.size() + 1), true);
    std::sort(spare.begin(), spare.end());
    std::vector<char> row;
    std::size_t next = 0;
    for (std::size_t s = 0; s <= start.stages.size(); ++s) {
      for (; next < spare.size() && spare[next].first == s; ++next) row.push_back(spare[next].second);
      if (s == start.stages.size()) break;
      for (GroupId v : start.stages[s].groups) place_of_[v] = row.size();
      row.push_back(start.stages[s].on_host);
    }
    row_ = std::move(row);
  }

  std::size_t draw(std::size_t below) { return std::uniform_int_distribution<std::size_t>(0, below - 1)(rng_); }
  double chance() { return std::uniform_real_distribution<double>(0, 1)(rng_); }
  std::uint32_t& members(NetId e, std::size_t place) { return members_[e.index() * row_.size() + place]; }

  void set_target(double value) { target_ = value * (1 - kAmbition); }

  bool can_stand(GroupId v, std::size_t place) const {
    return row_[place] ? graph_.group(v).on_host : graph_.group(v).on_accelerator;
  }

  void enter(GroupId v, std::size_t place) {
    const Group& g = graph_.group(v);
    memory_[place] += g.memory;
    loads_[place] += row_[place] ? g.host_time : g.accelerator_time;
    for (NetId e : graph_.nets_of(v)) {
      const std::uint32_t before = members(e, place)++;
      if (row_[place]) continue;
      if (before == 0) loads_[place] += graph_.cost(e);
      if (before + 1 == graph_.members(e).size()) loads_[place] -= graph_.cost(e);
    }
    place_of_[v] = place;
  }

  void leave(GroupId v) {
    const std::size_t place = place_of_[v];
    const Group& g = graph_.group(v);
    memory_[place] -= g.memory;
    loads_[place] -= row_[place] ? g.host_time : g.accelerator_time;
    for (NetId e : graph_.nets_of(v)) {
      const std::uint32_t before = members(e, place)--;
      if (row_[place]) continue;
      if (before == 1) loads_[place] -= graph_.cost(e);
      if (before == graph_.members(e).size()) loads_[place] += graph_.cost(e);
    }
  }

  double excess_at(std::size_t place) const {
    const double limit = row_[place] ? platform_.host_memory : platform_.accelerator_memory;
    const double too_full = memory_[place] > limit ? (memory_[place] / limit - 1) * target_ + kOverfull * target_ : 0;
    return std::max(0.0, loads_[place] - target_) + too_full;
  }

  double total_excess() const {
    double sum = 0;
    for (std::size_t place = 0; place < row_.size(); ++place) sum += excess_at(place);
    return sum;
  }

  void try_move() {
    const GroupId v(draw(graph_.size()));
    const std::size_t from = place_of_[v];
    std::size_t low = 0, high = row_.size() - 1;
    for (GroupId u : graph_.predecessors(v)) low = std::max(low, place_of_[u]);
    for (GroupId w : graph_.successors(v)) high = std::min(high, place_of_[w]);
    block_.assign(1, v);
    std::size_t to;
    if (low < high && chance() < 0.7) {
      to = low + draw(high - low + 1);
      if (to == from) return;
    } else {
      const bool forward = chance() < 0.5;
      if (forward ? from + 1 == row_.size() : from == 0) return;
      to = forward ? from + 1 : from - 1;
      if (!gather_block(forward)) return;
    }
    for (GroupId u : block_) {
      if (!can_stand(u, to)) return;
    }
    shift_block(from, to);
  }

  // All groups of v's stage that v pushes along.
  bool gather_block(bool forward) {
    const std::size_t from = place_of_[block_[0]];
    for (std::size_t i = 0; i < block_.size(); ++i) {
      for (GroupId w : forward ? graph_.successors(block_[i]) : graph_.predecessors(block_[i])) {
        if (place_of_[w] != from || std::find(block_.begin(), block_.end(), w) != block_.end()) continue;
        block_.push_back(w);
        if (block_.size() > kLargestBlock) return false;
      }
    }
    return true;
  }

  void shift_block(std::size_t from, std::size_t to) {
    const double before = excess_at(from) + excess_at(to);
    const double saved[4] = {loads_[from], loads_[to], memory_[from], memory_[to]};
    for (GroupId u : block_) {
      leave(u);
      enter(u, to);
    }
    const double change = excess_at(from) + excess_at(to) - before;
    if (change <= 0 || chance() < std::exp(-change / temperature_)) {
      excess_ += change;
      return;
    }
    for (GroupId u : block_) {
      leave(u);
      enter(u, from);
    }
    loads_[from] = saved[0];
    loads_[to] = saved[1];
    memory_[from] = saved[2];
    memory_[to] = saved[3];
  }

  void note_success() {
    StagedSplit split;
    for (std::size_t place = 0; place < row_.size(); ++place) split.stages.push_back({row_[place] != 0, {}});
    for (GroupId v : graph_.all()) split.stages[place_of_[v]].groups.push_back(v);
    std::erase_if(split.stages, [](const Stage& stage) { return stage.groups.empty(); });
    split.value = largest_load(graph_, split.stages);
    if (split.value < best_value_) {
      best_value_ = split.value;
      best_ = std::move(split);
    }
    set_target(std::min(best_value_, target_));
    excess_ = total_excess();
  }

  static constexpr double kOverfull = 0.05;  // price of any excess of memory, so that tiny ones do not pay

  const StageGraph& graph_;
  const StagePlatform& platform_;
  Rng& rng_;
  std::vector<char> row_;  // by place: is it a host?
  IdVector<GroupId, std::size_t> place_of_;
  std::vector<double> loads_, memory_;
  std::vector<std::uint32_t> members_;  // by net and place: how many members stand there
  std::vector<GroupId> block_;
  double best_value_, target_ = 0, excess_ = 0, temperature_ = 1;
  std::optional<StagedSplit> best_;
};

}  // namespace

std::optional<StagedSplit> anneal(const StageGraph& graph, const StagePlatform& platform, const StagedSplit& start,
                                  const AnnealOptions& options, Rng& rng, Budget& budget) {
  if (graph.size() < 2 || start.value <= 0) return std::nullopt;
  return Annealer(graph, platform, start, rng).run(options, budget);
}

}  // namespace partita
