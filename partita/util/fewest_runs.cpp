// SPDX-License-Identifier: Apache-2.0
// Few changes of colour in a topological order.
//
// The problem. The vertices of a DAG have colours; a run is a longest row of one colour in a topological order. How few
// runs can an order have? With one chain of vertices for each of several words, letters for colours, this is the
// shortest common supersequence of the words, so the problem is NP-hard [Maier-JACM'78]. What comes up here has few
// colours and is mostly close to a pipeline.
//
// Words. Once a colour is chosen for the next run, the run may as well take all it can, transitively: the set taken so
// far, an ideal, is then largest, and any continuation of a smaller ideal also serves a larger one. So an order is a
// word of colours, and the states of the search are the ideals that words lead to.
//
// Bound. Let s_c be the most runs of colour c on one path through what is left. Every order has the path's vertices in
// the path's order, so colour c needs s_c runs, and all together need h = sum of s_c. Every path from a state starts at
// a vertex that is available, so with s_c known for the paths from each vertex, h takes a maximum over the available
// vertices for each colour. In a staged split, each s_c is 1. A run of colour c takes at most 1 off s_c and nothing off
// the others: h is consistent.
//
// Search. First the greedy that goes round in a preferred order: where it meets the bound, all is said. Then A* with h,
// deepest states first among equals [Hart-Nilsson-Raphael-TSSC'68]; consistent, so that no state is expanded twice. If
// that takes too long, beam searches [Lowerre-CMU'76], each twice as wide as the one before, look for something better
// than the greedy's order; they may meet the bound that A* had reached.
//
// Measured on the free splits that five seconds find for fourteen published and measured networks, with up to 8,061
// nodes and 43 runs in a pass: all are proved within 5 ms, and within 50 ms after one node in thirty has been moved to
// a device drawn at random. Where every node's device is drawn, more than half end without a proof after about a fifth
// of a second, 1 to 20 % above the bound. Tried and dropped: committing to a colour that completes a level of its
// vertices, which almost never applies where the search is long.
//
// Cost: a state takes O(vertices / 64 + degrees of what a run takes + available * colours); their number is
// exponential in the worst case, and limited. Tests: tests/util/fewest_runs_test.cpp.
#include "partita/util/fewest_runs.h"

#include <algorithm>
#include <cassert>
#include <optional>
#include <unordered_map>

#include "partita/util/bit_matrix.h"
#include "partita/util/csr.h"

namespace partita::detail {
namespace {

using ColourWord = std::vector<ColourId>;

struct Ideal {
  std::vector<Word> taken;          // by vertex
  std::vector<VertexId> available;  // not taken, but all before them are; none of the colour that ran last
  std::size_t size = 0;

  bool complete() const { return available.empty(); }
};

class RunSearch {
 public:
  explicit RunSearch(const ColouredDag& dag) : dag_(dag), vertices_(dag.colour_of.size()), colours_(dag.colour_count) {
    std::vector<std::pair<VertexId, VertexId>> edges = dag.edges;
    std::sort(edges.begin(), edges.end());
    edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
    after_ = Csr<VertexId, VertexId>(vertices_, edges);
    std::vector<std::pair<VertexId, VertexId>> turned;
    turned.reserve(edges.size());
    for (const auto& [from, to] : edges) turned.emplace_back(to, from);
    before_ = Csr<VertexId, VertexId>(vertices_, turned);
    count_runs_on_paths();
  }

  // How much the searches that follow may do.
  void allow(std::size_t work) { work_left_ = work; }

  Ideal empty_ideal() const {
    Ideal ideal{std::vector<Word>(words_for(vertices_), 0), {}, 0};
    for (VertexId v : ids<VertexId>(vertices_)) {
      if (before_[v].empty()) ideal.available.push_back(v);
    }
    return ideal;
  }

  // Runs the colour to exhaustion; `took(v)` is told each vertex.
  template <class Took>
  Ideal extended(const Ideal& ideal, ColourId colour, Took took) {
    Ideal result{ideal.taken, {}, ideal.size};
    std::vector<VertexId> open;
    const auto put = [&](VertexId v) { (dag_.colour_of[v] == colour ? open : result.available).push_back(v); };
    std::for_each(ideal.available.begin(), ideal.available.end(), put);
    std::size_t steps = kStepsPerIdeal + result.taken.size() + ideal.available.size();
    while (!open.empty()) {
      const VertexId v = open.back();
      open.pop_back();
      set_bit(result.taken, v.index());
      ++result.size;
      took(v);
      const auto taken = [&](VertexId u) { return test_bit(result.taken, u.index()); };
      for (VertexId w : after_[v]) {
        const auto needs = before_[w];
        steps += 1 + needs.size();
        if (std::all_of(needs.begin(), needs.end(), taken)) put(w);
      }
    }
    spend(steps);
    return result;
  }
  Ideal extended(const Ideal& ideal, ColourId colour) {
    return extended(ideal, colour, [](VertexId) {});
  }

  std::size_t bound(const Ideal& ideal) {
    most_.assign(colours_, 0);
    for (VertexId v : ideal.available) {
      const std::uint32_t* runs = runs_on_paths_.data() + v.index() * colours_;
      for (std::size_t c = 0; c < colours_; ++c) most_[c] = std::max(most_[c], runs[c]);
    }
    spend(colours_ * (1 + ideal.available.size()));
    std::size_t sum = 0;
    for (const std::uint32_t count : most_) sum += count;
    return sum;
  }

  std::vector<char> colours_available(const Ideal& ideal) const {
    std::vector<char> any(colours_, 0);
    for (VertexId v : ideal.available) any[dag_.colour_of[v].index()] = 1;
    return any;
  }

  ColourWord go_round(const ColourWord& order) {
    ColourWord word;
    for (Ideal ideal = empty_ideal(); !ideal.complete();) {
      for (ColourId c : order) {
        if (!colours_available(ideal)[c.index()]) continue;
        ideal = extended(ideal, c);
        word.push_back(c);
      }
    }
    return word;
  }

  struct Outcome {
    std::optional<ColourWord> word;  // shorter than the limit asked for
    std::size_t bound = 0;           // no word is shorter than this
  };

  // A word with fewer runs than `limit`, a shortest one if the work suffices; then bound is its length, or `limit` if
  // there is none.
  Outcome best_first(const ColourWord& order, std::size_t limit);

  // The shortest word that the `width` most promising ideals of each length lead to, if below the limit and if the work
  // suffices.
  std::optional<ColourWord> beam(const ColourWord& order, std::size_t limit, std::size_t width);

 private:
  static constexpr std::size_t kStepsPerIdeal = 64;  // for allocating it and looking it up

  void spend(std::size_t steps) { work_left_ -= std::min(work_left_, steps); }

  void count_runs_on_paths() {
    runs_on_paths_.assign(vertices_ * colours_, 0);
    std::vector<std::uint32_t> open(vertices_);
    std::vector<VertexId> ready;
    for (VertexId v : ids<VertexId>(vertices_)) {
      open[v.index()] = static_cast<std::uint32_t>(after_[v].size());
      if (open[v.index()] == 0) ready.push_back(v);
    }
    while (!ready.empty()) {
      const VertexId v = ready.back();
      ready.pop_back();
      std::uint32_t* runs = runs_on_paths_.data() + v.index() * colours_;
      const std::size_t own = dag_.colour_of[v].index();
      runs[own] = 1;
      for (VertexId w : after_[v]) {
        const std::uint32_t* next = runs_on_paths_.data() + w.index() * colours_;
        for (std::size_t c = 0; c < colours_; ++c) runs[c] = std::max(runs[c], next[c]);
        if (dag_.colour_of[w] != dag_.colour_of[v]) runs[own] = std::max(runs[own], next[own] + 1);
      }
      for (VertexId u : before_[v]) {
        if (--open[u.index()] == 0) ready.push_back(u);
      }
    }
  }

  const ColouredDag& dag_;
  const std::size_t vertices_;
  const std::size_t colours_;
  std::size_t work_left_ = 0;
  Csr<VertexId, VertexId> after_;
  Csr<VertexId, VertexId> before_;
  std::vector<std::uint32_t> runs_on_paths_;  // by vertex and colour: the most on a path that starts here
  std::vector<std::uint32_t> most_;
};

std::uint64_t hash_of(const std::vector<Word>& words) {
  std::uint64_t hash = 0x9e3779b97f4a7c15;
  for (const Word word : words) {
    hash = (hash ^ word) * 0xff51afd7ed558ccd;
    hash ^= hash >> 32;
  }
  return hash;
}

// Ideals, each kept once, with the shortest word known to lead there.
class Reached {
 public:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  struct Entry {
    Ideal ideal;
    std::size_t length = 0;
    std::size_t bound = 0;  // on what is left
    std::size_t from = kNone;
    ColourId by = {};
    bool expanded = false;
  };

  Entry& operator[](std::size_t i) { return entries_[i]; }
  std::size_t size() const { return entries_.size(); }

  std::size_t find(const Ideal& ideal) const {
    const auto [begin, end] = by_hash_.equal_range(hash_of(ideal.taken));
    for (auto it = begin; it != end; ++it) {
      if (entries_[it->second].ideal.taken == ideal.taken) return it->second;
    }
    return kNone;
  }
  std::size_t add(Entry entry) {
    by_hash_.emplace(hash_of(entry.ideal.taken), entries_.size());
    entries_.push_back(std::move(entry));
    return entries_.size() - 1;
  }
  ColourWord word_to(std::size_t i) const {
    ColourWord word;
    for (; entries_[i].from != kNone; i = entries_[i].from) word.push_back(entries_[i].by);
    std::reverse(word.begin(), word.end());
    return word;
  }

 private:
  std::vector<Entry> entries_;
  std::unordered_multimap<std::uint64_t, std::size_t> by_hash_;
};

RunSearch::Outcome RunSearch::best_first(const ColourWord& order, std::size_t limit) {
  Reached reached;
  std::vector<std::vector<std::size_t>> open(limit);  // by length + bound
  const auto push = [&](std::size_t i) {
    const std::size_t estimate = reached[i].length + reached[i].bound;
    if (estimate < limit) open[estimate].push_back(i);
  };
  Ideal start = empty_ideal();
  const std::size_t start_bound = bound(start);
  push(reached.add({std::move(start), 0, start_bound}));
  for (std::size_t estimate = start_bound; estimate < limit; ++estimate) {
    while (!open[estimate].empty()) {
      if (work_left_ == 0) return {{}, estimate};
      const std::size_t at = open[estimate].back();
      open[estimate].pop_back();
      if (reached[at].expanded || reached[at].length + reached[at].bound != estimate) continue;
      if (reached[at].ideal.complete()) return {reached.word_to(at), estimate};
      reached[at].expanded = true;
      const std::vector<char> any = colours_available(reached[at].ideal);
      // The last one pushed is looked at first.
      for (auto c = order.rbegin(); c != order.rend(); ++c) {
        if (!any[c->index()]) continue;
        Ideal next = extended(reached[at].ideal, *c);
        const std::size_t length = reached[at].length + 1;
        const std::size_t known = reached.find(next);
        if (known == Reached::kNone) {
          const std::size_t left = bound(next);
          if (length + left < limit) push(reached.add({std::move(next), length, left, at, *c}));
        } else if (length < reached[known].length) {
          reached[known].length = length;
          reached[known].from = at;
          reached[known].by = *c;
          push(known);
        }
      }
    }
  }
  return {{}, limit};
}

std::optional<ColourWord> RunSearch::beam(const ColourWord& order, std::size_t limit, std::size_t width) {
  Reached reached;
  Ideal start = empty_ideal();
  std::vector<std::size_t> row{reached.add({std::move(start)})};
  for (std::size_t length = 1; length < limit && work_left_ > 0; ++length) {
    std::vector<std::size_t> next_row;
    for (const std::size_t at : row) {
      const std::vector<char> any = colours_available(reached[at].ideal);
      for (ColourId c : order) {
        if (!any[c.index()]) continue;
        Ideal next = extended(reached[at].ideal, c);
        if (reached.find(next) != Reached::kNone) continue;
        const std::size_t left = bound(next);
        if (length + left >= limit) continue;
        const bool complete = next.complete();
        next_row.push_back(reached.add({std::move(next), length, left, at, c}));
        if (complete) return reached.word_to(next_row.back());
      }
    }
    // What needs fewer runs still; of equals, what has taken more.
    std::stable_sort(next_row.begin(), next_row.end(), [&](std::size_t a, std::size_t b) {
      if (reached[a].bound != reached[b].bound) return reached[a].bound < reached[b].bound;
      return reached[a].ideal.size > reached[b].ideal.size;
    });
    if (next_row.size() > width) next_row.resize(width);
    row = std::move(next_row);
  }
  return {};
}

}  // namespace

Runs fewest_runs(const ColouredDag& dag, const std::vector<ColourId>& preferred, std::size_t work) {
  constexpr std::size_t kWidestBeam = 32;
  ColourWord order = preferred;
  for (ColourId c : ids<ColourId>(dag.colour_count)) {
    if (std::find(preferred.begin(), preferred.end(), c) == preferred.end()) order.push_back(c);
  }
  RunSearch search(dag);
  Runs runs;
  runs.colour_of = search.go_round(order);
  std::size_t bound = search.bound(search.empty_ideal());
  if (bound < runs.colour_of.size()) {
    search.allow(work / 2);
    const RunSearch::Outcome found = search.best_first(order, runs.colour_of.size());
    bound = found.bound;
    if (found.word) runs.colour_of = *found.word;
  }
  search.allow(work / 2);
  for (std::size_t width = 1; width <= kWidestBeam && bound < runs.colour_of.size(); width *= 2) {
    if (const auto word = search.beam(order, runs.colour_of.size(), width)) runs.colour_of = *word;
  }
  runs.fewest = runs.colour_of.size() == bound;

  runs.run_of.assign(dag.colour_of.size(), 0);
  Ideal ideal = search.empty_ideal();
  for (std::size_t r = 0; r < runs.colour_of.size(); ++r)
    ideal = search.extended(ideal, runs.colour_of[r], [&](VertexId v) { runs.run_of[v] = r; });
  assert(ideal.complete());
  return runs;
}

}  // namespace partita::detail
