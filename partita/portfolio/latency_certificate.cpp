// SPDX-License-Identifier: Apache-2.0
#include "partita/portfolio/latency_certificate.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "partita/check/label_proof.h"
#include "partita/util/statistics.h"
#include "partita/util/within_limits.h"

namespace partita::detail {
namespace {

using Int = LabelProof::Int;

constexpr double kBelowLatency = 5e-7;    // relative: the first limit; so far that rounding is nothing, still `optimal`
constexpr double kBelowReached = 1e-7;    // relative: from what labels reached at one limit to the next one
constexpr double kLimitsApart = 2e-4;     // relative: nearer limits are not told apart
constexpr int kLimitsBetween = 4;         // tried between one that holds and one that does not
constexpr Int kTollParts = 64;            // the first toll is the limit / blocks / this
constexpr int kMostTollsTried = 9;        // each twice the one before
constexpr std::size_t kWorkPerTick = 16;  // nodes and edges

// Labels at one limit.
class LabelSearch {
 public:
  LabelSearch(const Problem& problem, double limit, Budget& budget)
      : proof_(problem, limit), budget_(budget), limit_(limit) {}

  // True if the limit is refuted.
  bool run() {
    const LatencyClaim& claim = proof_.claim();
    if (proof_.proved()) return true;
    if (claim.order.size() < claim.nodes.size() || proof_.needs_more_than(budget_.limits().memory_bytes / 2))
      return false;
    settle_track(0);
    if (!done() && claim.blocks > 0) {
      if (const Int toll = best_toll(); toll > 0) {
        for (bool moved = true; moved && !done();) {
          moved = settle_track(toll);
          if (moved && !done()) moved = settle_track(0);
        }
      }
    }
    return proof_.proved();
  }

  // No split is below this, by the labels so far.
  double reached() const { return limit_ * static_cast<double>(reached_) / static_cast<double>(kLoadUnits); }

  Certificate certificate() && {
    Certificate found;
    found.objective = Objective::Latency;
    found.limit = limit_;
    found.sweeps = std::move(sweeps_);
    return found;
  }

 private:
  bool done() const { return proof_.proved() || budget_.exhausted(); }

  // In turns from both ends until nothing moves. True if something did.
  bool settle_track(Int toll) {
    bool any = false;
    for (int idle = 0, turn = 0; idle < 2 && !done(); ++turn) {
      Certificate::Sweep sweep = sweep_once({toll, turn % 2 == 1});
      const bool moved = !sweep.labels.empty();
      if (moved) sweeps_.push_back(std::move(sweep));
      const bool learned = !proof_.proved() && moved && proof_.learn(toll);
      idle = moved || learned ? 0 : idle + 1;
      any = any || moved;
    }
    return any;
  }

  // The toll that the first sweep gives the most with; 0 if none gives more than none. Its sweep is kept.
  Int best_toll() {
    Int best = 0, toll = std::max<Int>(1, kLoadUnits / proof_.claim().blocks / kTollParts);
    Int most = reached_;
    std::optional<Certificate::Sweep> kept;
    for (int i = 0; i < kMostTollsTried && !done() && proof_.end(toll); ++i, toll *= 2) {
      reached_now_ = 0;
      Certificate::Sweep sweep = sweep_once({toll, false});
      if (proof_.proved() || reached_now_ > most) {
        most = reached_now_;
        best = toll;
        kept = std::move(sweep);
      } else if (best > 0) {
        break;
      }
    }
    if (kept) sweeps_.push_back(std::move(*kept));
    if (best > 0 && !proof_.proved()) proof_.learn(best);
    return best;
  }

  Certificate::Sweep sweep_once(LabelProof::Track track) {
    const LatencyClaim& claim = proof_.claim();
    Certificate::Sweep sweep{track.toll, track.reversed, {}};
    const Int end = *proof_.end(track.toll);
    const auto id = [&](std::size_t v) { return ids()[v]; };
    for (std::size_t i = 0; i < claim.order.size() && !done(); ++i) {
      const std::size_t v = claim.order[track.reversed ? claim.order.size() - 1 - i : i];
      const auto& behind = track.reversed ? claim.into[v] : claim.out_of[v];
      for (const std::size_t e : behind) {
        const std::size_t other = track.reversed ? claim.edges[e].from : claim.edges[e].to;
        const Int known = proof_.label(track, v, other);
        const Int enough = end - proof_.label({track.toll, !track.reversed}, other, v) + 1;
        if (known >= enough) continue;  // never cut
        count();
        const Int found = proof_.least(track, v, other, enough);
        if (found <= known) continue;
        proof_.raise(track, v, other, found);
        sweep.labels.push_back({id(v), id(other), found});
      }
      if (!behind.empty()) continue;
      count();
      const Int found = proof_.least(track, v, std::nullopt, end + 1);
      reached_now_ = std::max(reached_now_, found - track.toll * claim.blocks);
      reached_ = std::max(reached_, reached_now_);
      if (found <= end) continue;
      proof_.raise(track, v, std::nullopt, found);
      sweep.labels.push_back({id(v), std::nullopt, found});
    }
    return sweep;
  }

  const std::vector<std::int64_t>& ids() {
    if (ids_.empty()) {
      ids_.resize(proof_.claim().nodes.size());
      for (const auto& [original, v] : proof_.claim().by_id) ids_[v] = original;
    }
    return ids_;
  }

  void count() {
    const LatencyClaim& claim = proof_.claim();
    budget_.spend(1 + (claim.nodes.size() + claim.edges.size()) / kWorkPerTick);
  }

  LabelProof proof_;
  Budget& budget_;
  const double limit_;
  std::vector<std::int64_t> ids_;
  Int reached_ = 0, reached_now_ = 0;
  std::vector<Certificate::Sweep> sweeps_;
};

class LatencyCertifier {
 public:
  LatencyCertifier(const Problem& problem, const Result& result, Budget& budget, const Sink& sink)
      : problem_(problem), result_(result), budget_(budget), sink_(sink) {}

  std::optional<Certificate> run() {
    double high = std::min(result_.bound, result_.value * (1 - kBelowLatency));
    if (!(high > 0) || try_limit(high)) return std::move(best_);
    try_limit(reached_ * (1 - kBelowReached));
    for (int i = 0; i < kLimitsBetween && best_ && high - best_->limit > kLimitsApart * high; ++i) {
      const double limit = (high + best_->limit) / 2;
      if (!try_limit(limit)) high = limit;
    }
    return std::move(best_);
  }

 private:
  bool try_limit(double limit) {
    if (!(limit > 0) || budget_.exhausted()) return false;
    Technique technique(budget_, "portfolio.latency_certificate", "limits certified");
    LabelSearch search(problem_, limit, budget_);
    const bool held = search.run();
    reached_ = std::max(reached_, search.reached());
    bool accepted = false;
    if (held) {
      Certificate found = std::move(search).certificate();
      accepted = verify(problem_, found, &budget_).holds;
      if (accepted) best_ = std::move(found);
    }
    technique.yield(accepted);
    if (sink_)
      sink_({Progress::Event::Searching, budget_.seconds_used(), result_.value, result_.bound,
             problem_.workload->graph.nodes.size(),
             fmt::format("certificate for {:.9g}: {}", limit, accepted ? "found" : "none")});
    return accepted;
  }

  const Problem& problem_;
  const Result& result_;
  Budget& budget_;
  const Sink& sink_;
  double reached_ = 0;
  std::optional<Certificate> best_;  // limits that are tried after one that holds are higher
};

}  // namespace

std::optional<Certificate> certify_latency(const Problem& problem, const Result& result, Budget& budget,
                                           const Sink& sink) {
  std::optional<Certificate> certificate;
  within_limits(budget, [&] { certificate = LatencyCertifier(problem, result, budget, sink).run(); });
  return certificate;
}

}  // namespace partita::detail
