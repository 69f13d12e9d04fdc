// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/throughput/free/configuration_lp.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <set>

#include <ClpSimplex.hpp>

#include "partita/reduce/threshold.h"
#include "partita/solve/throughput/staged_split.h"

namespace partita {
namespace {

constexpr double kSmoothing = 0.7;
constexpr double kArtificialCost = 3;  // above any dual price of a group: a set that holds it costs 1
constexpr std::array kBuckets{100, 300, 1000, 4000, 16000};

// Most price that one host can hold: the fractional knapsack, with times rounded down as the certificate's check does.
double host_price_bound(const NetGraph& graph, const Scaled& scaled, const Threshold& question,
                        const std::vector<double>& prices) {
  std::vector<GroupId> able;
  double total = 0;
  for (GroupId v : graph.all()) {
    if (!question.fits_host(graph.group(v)) || prices[v.index()] <= 0) continue;
    if (scaled.host_time[v] == 0) {
      total += prices[v.index()];
    } else {
      able.push_back(v);
    }
  }
  const auto ratio = [&](GroupId v) { return prices[v.index()] / static_cast<double>(scaled.host_time[v]); };
  std::sort(able.begin(), able.end(), [&](GroupId a, GroupId b) { return ratio(a) > ratio(b); });
  double room = static_cast<double>(scaled.limit);
  for (GroupId v : able) {
    const double time = static_cast<double>(scaled.host_time[v]);
    total += prices[v.index()] * std::min(1.0, room / time);
    room -= time;
    if (room <= 0) break;
  }
  return total;
}

}  // namespace

// One limit. The master problem lives here; columns found are handed back for later limits.
class ConfigurationLp::Run {
 public:
  Run(ConfigurationLp& owner, double limit)
      : owner_(owner),
        graph_(owner.graph_),
        question_{owner.platform_, limit},
        scaled_(scale(owner.graph_, limit)),
        trellis_(owner.graph_, scaled_, owner.order_, owner.widest_),
        pricing_(trellis_, scaled_.limit) {}

  Refutation go(Budget& budget) {
    if (some_group_fits_nowhere()) return prove_by_one_group();
    if (try_prices(start_prices(), budget)) return Refutation::Refuted;
    make_master();
    int failures = 0;
    while (!budget.exhausted()) {
      master_.primal(1);
      const double columns_needed = master_.objectiveValue();
      if (columns_needed <= owner_.platform_.accelerators + 1e-7) return Refutation::LpFeasible;
      const double* duals = master_.dualRowSolution();
      std::vector<double> prices(duals, duals + graph_.size());
      const double smoothing = failures == 0 ? kSmoothing : failures == 1 ? kSmoothing / 2 : 0;
      for (std::size_t i = 0; i < prices.size(); ++i) {
        prices[i] = std::max(0.0, smoothing * owner_.centre_[i] + (1 - smoothing) * prices[i]);
      }
      const std::size_t before = owner_.columns_.size();
      if (try_prices(prices, budget)) return Refutation::Refuted;
      const bool useful = add_new_columns(before, duals);
      failures = useful ? 0 : failures + 1;
      if (failures > 2) {
        if (level_ + 1 == kBuckets.size()) return Refutation::Undecided;
        ++level_;
        failures = 0;
      }
    }
    return Refutation::Undecided;
  }

 private:
  bool some_group_fits_nowhere() {
    for (GroupId v : graph_.all()) {
      if (question_.fits_accelerator(graph_.group(v)) || question_.fits_host(graph_.group(v))) continue;
      misfit_ = v;
      return true;
    }
    return false;
  }

  // A price on that group alone: no device can hold any price.
  Refutation prove_by_one_group() {
    Prices prices(graph_.size(), 0);
    prices[misfit_] = kPriceUnit;
    pricing_.set_prices(prices);
    Budget unlimited;
    if (!pricing_.none_above(kBuckets[0], 0, unlimited)) return Refutation::Undecided;
    write_proof(prices, kBuckets[0]);
    return Refutation::Refuted;
  }

  // Volume prices: a group's accelerator time, capped by what it would cost on a host at the best rate of exchange.
  std::vector<double> start_prices() {
    if (!owner_.centre_.empty()) return owner_.centre_;
    std::vector<double> rates{0};
    for (GroupId v : graph_.all()) {
      const Group& g = graph_.group(v);
      if (question_.fits_host(g) && g.host_time > 0) rates.push_back(g.accelerator_time / g.host_time);
    }
    std::sort(rates.begin(), rates.end());
    std::vector<double> best;
    double most = -1;
    for (int q = 0; q < 40; ++q) {
      const double rate = rates[(rates.size() - 1) * q / 39];
      std::vector<double> prices(graph_.size());
      double total = -owner_.platform_.hosts * question_.limit * rate;
      for (GroupId v : graph_.all()) {
        const Group& g = graph_.group(v);
        double& price = prices[v.index()];
        price = g.on_accelerator ? g.accelerator_time : question_.limit;
        if (question_.fits_host(g)) price = std::min(price, rate * g.host_time);
        total += price;
      }
      if (total <= most) continue;
      most = total;
      best = std::move(prices);
    }
    for (double& price : best) price /= question_.limit;
    owner_.centre_ = best;
    return best;
  }

  // Evaluates prices: proves the limit impossible with them, or at least finds the columns that stand in the way.
  bool try_prices(const std::vector<double>& prices, Budget& budget) {
    const double host_price = host_price_bound(graph_, scaled_, question_, prices);
    const double total = std::accumulate(prices.begin(), prices.end(), 0.0) - owner_.platform_.hosts * host_price;
    const int k = owner_.platform_.accelerators;
    // Scaled so that a proof would need every set to have a price of less than one unit.
    if (k == 0 || total <= 0)
      return false;  // without accelerators the knapsack alone would have to do: left to simpler bounds
    const double one = total / k;
    Prices scaled(graph_.size(), 0);
    for (GroupId v : graph_.all()) {
      scaled[v] =
          static_cast<Price>(std::floor(std::min(prices[v.index()] / one, 64.0) * static_cast<double>(kPriceUnit)));
    }
    // Rounding down loses less than one per group, and rounding in the host's share is as small.
    const Price goal = kPriceUnit - 2 - static_cast<Price>((graph_.size() + 64) / std::max(k, 1));
    pricing_.set_prices(scaled);
    auto column = pricing_.good_column(kBuckets[level_], 0, budget);
    // No column found that stands in the way: either there is none, or the buckets are too coarse to see it.
    for (std::size_t level = level_; level < kBuckets.size() && !(column && column->price > goal); ++level) {
      if (budget.exhausted()) return false;
      if (pricing_.none_above(kBuckets[level], goal, budget)) {
        write_proof(scaled, kBuckets[level]);
        return true;
      }
      if (level == level_) continue;
      if (auto finer = pricing_.good_column(kBuckets[level], goal, budget)) column = std::move(finer);
    }
    if (!column || budget.exhausted()) return false;
    const Price dearest = column->price;
    note_centre(prices, one, static_cast<double>(dearest) / static_cast<double>(kPriceUnit));
    remember(column->groups);
    add_disjoint_columns(scaled, column->groups, budget);
    return false;
  }

  // More columns that avoid the groups of those found: together they cover much at once.
  void add_disjoint_columns(Prices prices, const std::vector<GroupId>& first, Budget& budget) {
    for (GroupId v : first) prices[v] = 0;
    for (int i = 0; i < owner_.platform_.accelerators && !budget.exhausted(); ++i) {
      pricing_.set_prices(prices);
      const auto column = pricing_.good_column(kBuckets[std::min<std::size_t>(level_, 1)], 0, budget);
      if (!column) return;
      for (GroupId v : column->groups) prices[v] = 0;
      remember(column->groups);
    }
  }

  void note_centre(const std::vector<double>& prices, double one, double dearest) {
    if (dearest >= nearest_ && !owner_.centre_.empty() && nearest_ < 1e30) return;
    nearest_ = dearest;
    owner_.centre_ = prices;
    for (double& price : owner_.centre_) price /= one * dearest;
  }

  void remember(std::vector<GroupId> groups) {
    std::sort(groups.begin(), groups.end());
    if (!known_.insert(groups).second) return;
    if (accelerator_load(graph_, groups) > question_.limit * (1 + 1e-9)) return;  // only where nets are ignored
    owner_.columns_.push_back(std::move(groups));
  }

  void make_master() {
    const int n = static_cast<int>(graph_.size());
    master_.setLogLevel(0);
    master_.resize(n + 1, 0);
    for (int row = 0; row < n; ++row) master_.setRowBounds(row, 1, COIN_DBL_MAX);
    master_.setRowBounds(n, -COIN_DBL_MAX, owner_.platform_.hosts * question_.limit);
    for (GroupId v : graph_.all()) {
      const int row = static_cast<int>(v.index());
      const double one = 1;
      master_.addColumn(1, &row, &one, 0, COIN_DBL_MAX, kArtificialCost);
      if (!question_.fits_host(graph_.group(v))) continue;
      const int rows[2] = {row, n};
      const double values[2] = {1, graph_.host_time(v)};
      master_.addColumn(2, rows, values, 0, 1, 0);
    }
    for (const auto& column : owner_.columns_) {
      if (accelerator_load(graph_, column) <= question_.limit) add_to_master(column);
      known_.insert(column);
    }
  }

  void add_to_master(const std::vector<GroupId>& groups) {
    std::vector<int> rows;
    for (GroupId v : groups) rows.push_back(static_cast<int>(v.index()));
    const std::vector<double> ones(rows.size(), 1);
    master_.addColumn(static_cast<int>(rows.size()), rows.data(), ones.data(), 0, COIN_DBL_MAX, 1);
  }

  // True if some new column has a negative reduced cost, so that the master moves on.
  bool add_new_columns(std::size_t first, const double* duals) {
    const std::vector<double> at(duals, duals + graph_.size());
    bool useful = false;
    for (std::size_t i = first; i < owner_.columns_.size(); ++i) {
      double price = 0;
      for (GroupId v : owner_.columns_[i]) price += at[v.index()];
      useful = useful || price > 1 + 1e-7;
      add_to_master(owner_.columns_[i]);
    }
    return useful;
  }

  void write_proof(const Prices& prices, int buckets) {
    owner_.proof_ = {question_.limit, owner_.order_, trellis_.ignored(), prices, pricing_.theta(), buckets};
  }

  ConfigurationLp& owner_;
  const NetGraph& graph_;
  const Threshold question_;
  const Scaled scaled_;
  const Trellis trellis_;
  Pricing pricing_;
  ClpSimplex master_;
  std::set<std::vector<GroupId>> known_;
  std::size_t level_ = 0;
  double nearest_ = 1e30;
  GroupId misfit_;
};

ConfigurationLp::ConfigurationLp(const NetGraph& graph, const StagePlatform& platform, std::vector<GroupId> order,
                                 std::size_t widest)
    : graph_(graph), platform_(platform), order_(std::move(order)), widest_(widest) {}

ConfigurationLp::~ConfigurationLp() = default;

void ConfigurationLp::suggest(const FreeSplit& split) {
  for (int d = 0; d < platform_.accelerators; ++d) {
    std::vector<GroupId> groups;
    for (GroupId v : graph_.all()) {
      if (split.device_of[v].index() == static_cast<std::size_t>(d)) groups.push_back(v);
    }
    if (!groups.empty()) columns_.push_back(std::move(groups));
  }
}

Refutation ConfigurationLp::refute(double limit, Budget& budget) { return Run(*this, limit).go(budget); }

}  // namespace partita
