// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/latency/latency_labels.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "partita/reduce/never.h"
#include "partita/solve/latency/label_rounds.h"
#include "partita/solve/latency/walk_together.h"
#include "partita/util/parallel.h"

namespace partita::detail {
namespace {

constexpr std::size_t kLabelledPerLook = 100'000;  // at the clock
// Of sharing a round: a tick of labels is the better part of a microsecond, and handing over takes a few.
constexpr std::uint64_t kSharedTicksPerTick = 200;
// A level may take long where edges are looked at two by two.
constexpr WalkSharing kSharingWithPairs{.steps_alone = 1, .levels_of_piece = 1};

}  // namespace

LatencyLabels::LatencyLabels(const BlockModel& model, const NodeReach& reach, bool reversed, EdgeLabels labels,
                             const EdgeLabels& other, const Way& way)
    : model_(model),
      reach_(reach),
      reversed_(reversed),
      way_(way),
      labels_(std::move(labels)),
      other_(other),
      levels_(1, 0) {
  for (const double label : labels_) {
    if (label < kNever) levels_.push_back(label);
  }
  std::sort(levels_.begin(), levels_.end());
  levels_.erase(std::unique(levels_.begin(), levels_.end()), levels_.end());
  finish_.push_back(std::make_unique<Finish>(make_finish()));
  if (model.contradicts_itself()) bound_ = kNever;
}

LatencyLabels::Finish LatencyLabels::make_finish() {
  Finish finish;
  for (const BlockModel& one : model_.by_class()) finish.emplace_back(one, reach_, reversed_, way_.toll);
  if (way_.pairs && finish.size() == 1) finish[0].look_at_pairs(reach_, known_);
  return finish;
}

bool LatencyLabels::advance(Budget& slice) {
  const std::vector<NodeId>& order = model_.instance().order;
  const bool together = threads_of(slice) > 1;
  if (together && rounds_.empty()) rounds_ = label_rounds(model_, reversed_, threads_of(slice));
  const std::size_t all = together ? rounds_.size() : order.size();
  while (next_ < all && bound_ < way_.limit) {
    if (slice.exhausted()) return false;
    if (together) {
      const std::uint64_t ticks_before = slice.ticks_used();
      if (worth_sharing(slice, kSharedTicksPerTick * ticks_of_round_)) {
        label_together(rounds_[next_], slice);
      } else {
        for (NodeId u : rounds_[next_]) label_alone(u, slice);
      }
      ticks_of_round_ = slice.ticks_used() - ticks_before;  // about: others may work on the same slice
    } else {
      label_alone(reversed_ ? order[order.size() - 1 - next_] : order[next_], slice);
    }
    ++next_;
  }
  if (bound_ >= way_.limit) bound_ = kNever;
  return true;
}

void LatencyLabels::raise(EdgeId e, double value) {
  if (!e.valid()) {
    bound_ = std::max(bound_, value);
    return;
  }
  if (value <= labels_[e]) return;
  labels_[e] = value;
  if (value == kNever) return;
  const auto at = std::lower_bound(levels_.begin(), levels_.end(), value);
  if (at == levels_.end() || *at != value) levels_.insert(at, value);
}

void LatencyLabels::label_alone(NodeId u, Budget& slice) {
  std::uint64_t ticks = 1;
  for (const Asked& asked : asked_about(u)) {
    BlockFinish::Question question = asked.question;
    for (BlockFinish& of_class : *finish_[0]) question.at_most = of_class.least(question, labels_, levels_, ticks);
    raise(asked.edge, asked.answer(question.at_most));
  }
  slice.spend(ticks);
}

void LatencyLabels::label_together(const std::vector<NodeId>& round, Budget& slice) {
  std::vector<Asked> asked;
  for (NodeId u : round) {
    for (const Asked& of_node : asked_about(u)) asked.push_back(of_node);
  }
  const std::size_t classes = model_.by_class().size();
  std::vector<BlockFinish::Walk> walks;  // for each question, by class
  for (const Asked& one : asked) walks.resize(walks.size() + classes, BlockFinish::begin_walk(one.question, levels_));
  finish_.resize(std::max(finish_.size(), threads_of(slice)));
  std::atomic<std::uint64_t> ticks = round.size();
  walk_together(slice, walks, way_.pairs ? kSharingWithPairs : WalkSharing(),
                [&](std::size_t i, BlockFinish::Walk& walk, std::size_t last, std::size_t steps, std::size_t slot) {
                  if (!finish_[slot]) finish_[slot] = std::make_unique<Finish>(make_finish());
                  std::uint64_t own_ticks = 0;
                  (*finish_[slot])[i % classes].go_on(walk, last, steps, asked[i / classes].question, labels_, levels_,
                                                      own_ticks);
                  ticks += own_ticks;
                });
  for (std::size_t i = 0; i < asked.size(); ++i) {
    double least = kNever;
    for (std::size_t c = 0; c < classes; ++c) least = std::min(least, walks[i * classes + c].best);
    raise(asked[i].edge, asked[i].answer(least));
  }
  slice.spend(ticks);
}

double LatencyLabels::Asked::answer(double least) const { return least >= no_use ? kNever : least; }

// For each edge out of u; where there is none, about what bounds the latency, with no edge.
std::vector<LatencyLabels::Asked> LatencyLabels::asked_about(NodeId u) const {
  BlockFinish& finish = (*finish_[0])[0];
  double start = 0, after = 0;  // a host starts u no sooner, and leaves so much to come
  for (const auto& [p, e] : finish.edges_in(u)) start = std::max(start, labels_[e]);
  for (const auto& [w, e] : finish.edges_out(u)) after = std::max(after, other_[e]);
  double on_host = model_.on_host(u) ? start + model_.instance().nodes[u].host_time : kNever;
  if (on_host + after >= way_.limit) on_host = kNever;
  std::vector<Asked> all;
  const auto ask = [&](EdgeId e, NodeId without, double after_it) {
    const double no_use = way_.limit - after_it;  // infinite without a limit
    all.push_back({e, no_use, {u, without, std::min(on_host, no_use)}});
  };
  const auto out = finish.edges_out(u);
  for (const auto& [w, e] : out) {
    if (labels_[e] < kNever) ask(e, w, other_[e]);
  }
  if (out.empty()) ask(EdgeId(), NodeId(), 0);
  return all;
}

double time_around(const BlockModel& model, const EdgeLabels (&labels)[2], NodeId v) {
  double before = 0, after = 0;
  for (const auto& [p, e] : model.edges_in(v)) before = std::max(before, labels[0][e]);
  for (const auto& [w, e] : model.edges_out(v)) after = std::max(after, labels[1][e]);
  return before + after;
}

bool join_ends(const BlockModel& model, const EdgeLabels (&labels)[2], double limit, LatencyFacts& facts) {
  const LatencyInstance& instance = model.instance();
  bool any = false;
  TimeWatch watch(model.budget(), kLabelledPerLook);
  for (EdgeId e : model.edges()) {
    if (labels[0][e] + labels[1][e] < limit) continue;
    const auto& [from, to] = model.edge(e);
    watch.step(instance.group_count());
    if (instance.nodes[from].backward == instance.nodes[to].backward) any = facts.join(from, to) || any;
  }
  return any;
}

}  // namespace partita::detail
