// SPDX-License-Identifier: Apache-2.0
#include "partita/reduce/boundary/boundary_chain.h"

#include <algorithm>

namespace partita::detail {
namespace {

constexpr Whole kNotReached = -1;

}  // namespace

BoundaryChain::BoundaryChain(const WholeWeights& weights, const Threshold& question, Whole width)
    : weights_(weights),
      question_(question),
      width_(width),
      buckets_(static_cast<int>(weights.total / width) + 1),
      host_may_idle_(!question.host_case),
      possible_(buckets_ + 2, 1) {}

void BoundaryChain::add_class(Whole threshold, const std::vector<ProfileLabel>& ends) {
  BoundaryCosts& costs = classes_.emplace_back();
  costs.threshold = threshold;
  costs.at_place.assign(buckets_ + 2, kMostWhole);
  for (const ProfileLabel& label : ends) {
    const auto [first, last] = places_of(label);
    for (int p = first; p <= last; ++p) costs.at_place[p] = std::min(costs.at_place[p], label.cost);
  }
  costs.at_place[0] = costs.at_place[last_place()] = 0;
  for (int p = 1; p <= buckets_; ++p) possible_[p] = possible_[p] && costs.at_place[p] != kMostWhole;
}

Whole BoundaryChain::allowance(int from, int to) const {
  Whole allowed = weights_.limit;
  for (const BoundaryCosts& one : classes_)
    allowed = std::min(allowed, std::max(one.threshold - 1, weights_.limit - one.at_place[from] - one.at_place[to]));
  return allowed;
}

bool BoundaryChain::find_windows(TimeWatch& watch) {
  most_.assign(levels(), std::vector<Whole>(buckets_ + 2, kNotReached));
  least_.assign(levels(), std::vector<Whole>(buckets_ + 2, kMostWhole));
  find_most(watch);
  find_least(watch);
  return alive(level(0, 0), 0);
}

void BoundaryChain::find_most(TimeWatch& watch) {
  for (int c = 0; c <= question_.platform.hosts; ++c) {
    for (int f = 0; f <= question_.platform.accelerators; ++f) {
      std::vector<Whole>& here = most_[level(c, f)];
      if (c == 0 || host_may_idle_) here[0] = 0;
      if (f > 0 && question_.accelerator_may_follow(c, f - 1)) {
        const std::vector<Whole>& from = most_[level(c, f - 1)];
        for (int p = 1; p <= last_place(); ++p) {
          if (!possible_[p]) continue;
          Whole best = std::max(here[p], from[p]);
          for (int a = std::min(p, buckets_); a >= 0 && low(p) - high(a) <= weights_.limit && best < high(p); --a) {
            watch.step();
            if (from[a] == kNotReached || from[a] + weights_.limit <= best) continue;
            const Whole work = from[a] + allowance(a, p);
            if (work >= low(p)) best = std::max(best, std::min(work, high(p)));
          }
          here[p] = best;
        }
      }
      if (c > 0 && host_may_follow(c - 1, f)) {
        const std::vector<Whole>& from = most_[level(c - 1, f)];
        Whole farthest = from[0];  // of the places up to p
        for (int p = 1; p <= last_place(); ++p) {
          if (p <= buckets_) farthest = std::max(farthest, from[p]);
          if (!possible_[p]) continue;
          if (host_may_idle_) here[p] = std::max(here[p], from[p]);
          if (farthest != kNotReached && farthest + weights_.host_work >= low(p))
            here[p] = std::max(here[p], std::min(farthest + weights_.host_work, high(p)));
        }
      }
    }
  }
}

void BoundaryChain::find_least(TimeWatch& watch) {
  const Whole limit = weights_.limit;
  for (int c = question_.platform.hosts; c >= 0; --c) {
    for (int f = question_.platform.accelerators; f >= 0; --f) {
      std::vector<Whole>& here = least_[level(c, f)];
      const std::vector<Whole>& reached = most_[level(c, f)];
      if (reached[last_place()] != kNotReached && (c > 0 || host_may_idle_)) here[last_place()] = weights_.total;
      const bool accelerator = question_.accelerator_may_follow(c, f), host = host_may_follow(c, f);
      Whole nearest = kMostWhole;  // from which a host can come, of the places from p on
      if (host) nearest = least_[level(c + 1, f)][last_place()];
      for (int p = buckets_; p >= 0; --p) {
        if (host && p > 0) nearest = std::min(nearest, least_[level(c + 1, f)][p]);
        if (reached[p] == kNotReached) continue;
        Whole best = kMostWhole;
        if (accelerator) {
          const std::vector<Whole>& next = least_[level(c, f + 1)];
          best = next[p];
          const auto come_from = [&](int b) {
            watch.step();
            if (next[b] == kMostWhole) return;
            const Whole work = next[b] - allowance(p, b);
            if (work <= high(p)) best = std::min(best, std::max(work, low(p)));
          };
          for (int b = std::max(p, 1); b <= buckets_ && low(b) - high(p) <= limit && best > low(p); ++b) come_from(b);
          come_from(last_place());
        }
        if (host) {
          if (host_may_idle_) best = std::min(best, least_[level(c + 1, f)][p]);
          if (nearest != kMostWhole && nearest - weights_.host_work <= high(p))
            best = std::min(best, std::max(nearest - weights_.host_work, low(p)));
        }
        if (best <= reached[p]) here[p] = best;
      }
    }
  }
}

BoundaryChain::Rooms BoundaryChain::rooms_of(std::size_t class_index, TimeWatch& watch) const {
  Rooms rooms(*this, classes_[class_index]);
  rooms.look_back(watch);
  rooms.look_ahead(watch);
  return rooms;
}

// `free`: up to this work, anything may be paid. `bound`: minus work, the most to be paid.
void BoundaryChain::Rooms::look_back(TimeWatch& watch) {
  const BoundaryChain& chain = chain_;
  const Whole limit = chain.weights_.limit;
  before_.free.assign(chain.levels(), std::vector<Whole>(chain.buckets_ + 2, -1));
  before_.bound = before_.free;
  for (int c = 0; c <= chain.question_.platform.hosts; ++c) {
    for (int f = 0; f <= chain.question_.platform.accelerators; ++f) {
      const std::size_t here = chain.level(c, f);
      for (int p = 1; p <= chain.buckets_; ++p) {
        if (!chain.alive(here, p)) continue;
        Whole& free = before_.free[here][p];
        Whole& bound = before_.bound[here][p];
        if (f > 0 && chain.question_.accelerator_may_follow(c, f - 1)) {
          const std::size_t from = chain.level(c, f - 1);
          for (int a = p; a >= 0 && chain.low(p) - chain.high(a) <= limit; --a) {
            watch.step();
            if (!chain.alive(from, a)) continue;
            const Whole most = chain.most_[from][a];
            if (most + chain.allowance(a, p) < chain.least_[here][p]) continue;
            free = std::max(free, most + costs_.threshold - 1);
            bound = std::max(bound, most + limit - costs_.at_place[a]);
          }
        }
        if (c > 0 && chain.host_may_follow(c - 1, f)) {
          const std::size_t from = chain.level(c - 1, f);
          for (int a = p; a >= 0 && free != kMostWhole; --a) {
            if (chain.alive(from, a) && chain.most_[from][a] + chain.weights_.host_work >= chain.least_[here][p])
              free = kMostWhole;
          }
        }
      }
    }
  }
}

// `free`: from this work on, anything may be paid. `bound`: work minus this is the most to be paid.
void BoundaryChain::Rooms::look_ahead(TimeWatch& watch) {
  const BoundaryChain& chain = chain_;
  const Whole limit = chain.weights_.limit;
  after_.free.assign(chain.levels(), std::vector<Whole>(chain.buckets_ + 2, kMostWhole));
  after_.bound = after_.free;
  for (int c = chain.question_.platform.hosts; c >= 0; --c) {
    for (int f = chain.question_.platform.accelerators; f >= 0; --f) {
      const std::size_t here = chain.level(c, f);
      for (int p = 1; p <= chain.buckets_; ++p) {
        if (!chain.alive(here, p)) continue;
        Whole& free = after_.free[here][p];
        Whole& bound = after_.bound[here][p];
        const auto hand_on = [&](std::size_t to) {
          if (!chain.alive(to, p)) return;
          free = std::min(free, after_.free[to][p]);
          bound = std::min(bound, after_.bound[to][p]);
        };
        if (chain.question_.accelerator_may_follow(c, f)) {
          const std::size_t to = chain.level(c, f + 1);
          hand_on(to);
          const auto look_at = [&](int b) {
            watch.step();
            if (!chain.alive(to, b)) return;
            const Whole least = chain.least_[to][b];
            if (least - chain.allowance(p, b) > chain.most_[here][p]) return;
            free = std::min(free, least - (costs_.threshold - 1));
            bound = std::min(bound, least - limit + costs_.at_place[b]);
          };
          for (int b = p; b <= chain.buckets_ && chain.low(b) - chain.high(p) <= limit; ++b) look_at(b);
          look_at(chain.last_place());
        }
        if (chain.host_may_follow(c, f)) {
          const std::size_t to = chain.level(c + 1, f);
          if (chain.host_may_idle_) hand_on(to);
          for (int b = p; b <= chain.last_place() && free > 0; ++b) {
            if (chain.alive(to, b) && chain.least_[to][b] - chain.weights_.host_work <= chain.most_[here][p]) free = 0;
          }
        }
      }
    }
  }
}

Whole BoundaryChain::Rooms::of(const ProfileLabel& label) const {
  const auto [first, last] = chain_.places_of(label);
  Whole room = -1;
  for (int p = first; p <= last; ++p) {
    for (std::size_t level = 0; level < chain_.levels(); ++level) {
      if (!chain_.alive(level, p)) continue;
      const Whole least = std::max({label.least, chain_.low(p), chain_.least_[level][p]});
      const Whole most = std::min({label.most, chain_.high(p), chain_.most_[level][p]});
      if (least > most) continue;
      const Whole limit = chain_.weights_.limit;
      const Whole before =
          least <= before_.free[level][p] ? kMostWhole : std::min(before_.bound[level][p] - least, limit);
      const Whole after = most >= after_.free[level][p] ? kMostWhole : std::min(most - after_.bound[level][p], limit);
      room = std::max(room, std::min(before, after));
    }
  }
  return room;
}

}  // namespace partita::detail
