// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/staged/anneal.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace partita::detail {
namespace {

constexpr double kAmbition = 0.002;        // how far below the best value the targets are
constexpr double kOverfull = 0.05;         // price of any excess of memory, so that tiny ones do not pay
constexpr std::size_t kLargestBlock = 40;  // groups that one move may take along
constexpr std::uint64_t kMovesPerLook = 1024, kMovesPerTarget = 16 * kMovesPerLook;

// Devices in a row, and where each group stands.
struct Row {
  std::vector<char> on_host;  // by place
  IdVector<GroupId, std::size_t> place_of;
};

// The stages of a split in a row, with unused devices at random between them.
Row row_of(std::size_t groups, const StagePlatform& platform, const std::vector<Stage>& stages, Rng& rng) {
  constexpr int kMostSpare = 8;  // more unused devices than that are no use
  int accelerators = platform.accelerators, hosts = platform.hosts;
  for (const Stage& stage : stages) --(stage.on_host ? hosts : accelerators);
  std::vector<std::pair<std::size_t, char>> spare;
  const auto add_spare = [&](int count, char host) {
    for (int i = 0; i < std::min(count, kMostSpare); ++i)
      spare.emplace_back(std::uniform_int_distribution<std::size_t>(0, stages.size())(rng), host);
  };
  add_spare(accelerators, 0);
  add_spare(hosts, 1);
  std::sort(spare.begin(), spare.end());
  Row row;
  row.place_of.resize(groups);
  std::size_t next = 0;
  for (std::size_t s = 0; s <= stages.size(); ++s) {
    for (; next < spare.size() && spare[next].first == s; ++next) row.on_host.push_back(spare[next].second);
    if (s == stages.size()) break;
    for (GroupId v : stages[s].groups) row.place_of[v] = row.on_host.size();
    row.on_host.push_back(stages[s].on_host);
  }
  return row;
}

std::vector<Stage> stages_of(const Row& row) {
  std::vector<Stage> stages;
  for (const char host : row.on_host) stages.push_back({host != 0, {}});
  for (GroupId v : row.place_of.all()) stages[row.place_of[v]].groups.push_back(v);
  std::erase_if(stages, [](const Stage& stage) { return stage.groups.empty(); });
  return stages;
}

template <class Graphs>
class Annealer {
 public:
  static constexpr std::size_t P = kPassesOf<Graphs>;
  using Loads = std::array<double, P>;

  Annealer(const Graphs& graphs, const StagePlatform& platform, const std::vector<Stage>& start, Rng& rng)
      : graphs_(graphs),
        whole_(view(graphs, 0)),
        platform_(platform),
        rng_(rng),
        row_(row_of(graphs.size(), platform, start, rng)),
        best_value_(pass_value(graphs, start)) {
    const std::size_t places = row_.on_host.size();
    loads_.assign(places, {});
    memory_.assign(places, 0);
    for (std::size_t p = 0; p < P; ++p) members_[p].assign(pass(p).net_count() * places, 0);
    for (GroupId v : whole_.all()) enter(v, row_.place_of[v]);
    target_ = best_value_.largest;
    set_targets();
  }

  std::optional<StagedSplit> run(const AnnealOptions& options, Budget& budget) {
    for (std::uint64_t move = 0; move < options.moves; ++move) {
      if (move % kMovesPerLook == 0) {
        budget.spend(kMovesPerLook);
        if (budget.exhausted()) break;
        const double progress = static_cast<double>(move) / static_cast<double>(options.moves);
        temperature_ = best_value_.sum() * options.hot * std::pow(options.cold / options.hot, progress);
        if (P > 1 && move % kMovesPerTarget == 0) set_targets();
        excess_ = total_excess();  // afresh, so that rounding does not add up
      }
      try_move();
      if (excess_ <= 1e-12 * best_value_.sum()) note_success();
    }
    return std::move(best_);
  }

 private:
  const StageGraph& pass(std::size_t p) const { return view(graphs_, kFirstPass<Graphs> + p); }
  std::size_t draw(std::size_t below) { return std::uniform_int_distribution<std::size_t>(0, below - 1)(rng_); }
  double chance() { return std::uniform_real_distribution<double>(0, 1)(rng_); }

  // One target only ever falls, so that what looked like a success and was none is not met again at once.
  void set_targets() {
    if constexpr (P == 1) {
      target_[0] = std::min(best_value_.largest[0], target_[0]) * (1 - kAmbition);
    } else {
      const double less = kAmbition * best_value_.sum();
      const double forward_share = 4 * chance() - 1.5;
      target_ = {best_value_.largest[0] - less * forward_share, best_value_.largest[1] - less * (1 - forward_share)};
    }
  }

  bool can_stand(GroupId v, std::size_t place) const {
    return row_.on_host[place] ? whole_.group(v).on_host : whole_.group(v).on_accelerator;
  }

  void enter(GroupId v, std::size_t place) {
    const bool host = row_.on_host[place];
    memory_[place] += whole_.group(v).memory;
    for (std::size_t p = 0; p < P; ++p) {
      const StageGraph& graph = pass(p);
      loads_[place][p] += host ? graph.host_time(v) : graph.accelerator_time(v);
      for (NetId e : graph.nets_of(v)) {
        const std::uint32_t before = members(p, e, place)++;
        if (host) continue;
        if (before == 0) loads_[place][p] += graph.cost(e);
        if (before + 1 == graph.members(e).size()) loads_[place][p] -= graph.cost(e);
      }
    }
    row_.place_of[v] = place;
  }

  void leave(GroupId v) {
    const std::size_t place = row_.place_of[v];
    const bool host = row_.on_host[place];
    memory_[place] -= whole_.group(v).memory;
    for (std::size_t p = 0; p < P; ++p) {
      const StageGraph& graph = pass(p);
      loads_[place][p] -= host ? graph.host_time(v) : graph.accelerator_time(v);
      for (NetId e : graph.nets_of(v)) {
        const std::uint32_t before = members(p, e, place)--;
        if (host) continue;
        if (before == 1) loads_[place][p] -= graph.cost(e);
        if (before == graph.members(e).size()) loads_[place][p] += graph.cost(e);
      }
    }
  }

  std::uint32_t& members(std::size_t p, NetId e, std::size_t place) {
    return members_[p][e.index() * row_.on_host.size() + place];
  }

  double excess_at(std::size_t place) const {
    const double limit = row_.on_host[place] ? platform_.host_memory : platform_.accelerator_memory;
    double excess = 0;
    if (memory_[place] > limit) {
      const double overfull = limit > 0 ? memory_[place] / limit - 1 : memory_[place];
      excess += (overfull + kOverfull) * best_value_.sum();
    }
    for (std::size_t p = 0; p < P; ++p) excess += std::max(0.0, loads_[place][p] - target_[p]);
    return excess;
  }

  double total_excess() const {
    double sum = 0;
    for (std::size_t place = 0; place < loads_.size(); ++place) sum += excess_at(place);
    return sum;
  }

  void try_move() {
    const GroupId v(draw(whole_.size()));
    const std::size_t from = row_.place_of[v];
    block_.assign(1, v);
    const std::optional<std::size_t> to = place_for(v, from);
    if (!to || *to == from) return;
    for (GroupId u : block_) {
      if (!can_stand(u, *to)) return;
    }
    shift_block(from, *to);
  }

  std::optional<std::size_t> place_for(GroupId v, std::size_t from) {
    std::size_t low = 0, high = row_.on_host.size() - 1;
    for (GroupId u : whole_.predecessors(v)) low = std::max(low, row_.place_of[u]);
    for (GroupId w : whole_.successors(v)) high = std::min(high, row_.place_of[w]);
    if (low < high && chance() < 0.7) return low + draw(high - low + 1);
    const bool forward = chance() < 0.5;
    if (forward ? from + 1 == row_.on_host.size() : from == 0) return std::nullopt;
    if (!gather_block(forward)) return std::nullopt;
    return forward ? from + 1 : from - 1;
  }

  // All groups of v's stage that v pushes along.
  bool gather_block(bool forward) {
    const std::size_t from = row_.place_of[block_[0]];
    for (std::size_t i = 0; i < block_.size(); ++i) {
      for (GroupId w : forward ? whole_.successors(block_[i]) : whole_.predecessors(block_[i])) {
        if (row_.place_of[w] != from || std::find(block_.begin(), block_.end(), w) != block_.end()) continue;
        block_.push_back(w);
        if (block_.size() > kLargestBlock) return false;
      }
    }
    return true;
  }

  void shift_block(std::size_t from, std::size_t to) {
    const double before = excess_at(from) + excess_at(to);
    const std::pair<Loads, double> saved_from{loads_[from], memory_[from]}, saved_to{loads_[to], memory_[to]};
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
    std::tie(loads_[from], memory_[from]) = saved_from;
    std::tie(loads_[to], memory_[to]) = saved_to;
  }

  // Sums that were kept up for long may have drifted, so what looks like a success is measured afresh.
  void note_success() {
    std::vector<Stage> stages = stages_of(row_);
    const PassValue<P> value = pass_value(graphs_, stages);
    if (value.sum() < best_value_.sum() && memory_fits()) {
      best_value_ = value;
      best_ = StagedSplit{value.sum(), std::move(stages)};
    }
    set_targets();
    excess_ = total_excess();
  }

  bool memory_fits() const {
    std::vector<double> used(memory_.size(), 0);
    for (GroupId v : whole_.all()) used[row_.place_of[v]] += whole_.group(v).memory;
    for (std::size_t place = 0; place < used.size(); ++place) {
      if (used[place] > (row_.on_host[place] ? platform_.host_memory : platform_.accelerator_memory)) return false;
    }
    return true;
  }

  const Graphs& graphs_;
  const StageGraph& whole_;
  const StagePlatform& platform_;
  Rng& rng_;
  Row row_;
  std::vector<Loads> loads_;
  std::vector<double> memory_;
  std::array<std::vector<std::uint32_t>, P> members_;  // by net and place: how many members stand there
  std::vector<GroupId> block_;
  PassValue<P> best_value_;
  Loads target_{};
  double excess_ = 0, temperature_ = 1;
  std::optional<StagedSplit> best_;
};

}  // namespace

template <class Graphs>
std::optional<StagedSplit> anneal(const Graphs& graphs, const StagePlatform& platform, const StagedSplit& start,
                                  const AnnealOptions& options, Rng& rng, Budget& budget) {
  if (graphs.size() < 2 || start.value <= 0) return std::nullopt;
  return Annealer<Graphs>(graphs, platform, start.stages, rng).run(options, budget);
}

template std::optional<StagedSplit> anneal(const StageGraph&, const StagePlatform&, const StagedSplit&,
                                           const AnnealOptions&, Rng&, Budget&);
template std::optional<StagedSplit> anneal(const PassGraphs&, const StagePlatform&, const StagedSplit&,
                                           const AnnealOptions&, Rng&, Budget&);

}  // namespace partita::detail
