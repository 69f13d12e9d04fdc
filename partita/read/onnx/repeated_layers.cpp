// SPDX-License-Identifier: Apache-2.0
#include "partita/read/onnx/repeated_layers.h"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace partita::detail::onnx {

namespace {

struct KnownLayer {
  std::size_t first;  // place of its first known operator
  std::int64_t layer;
};

// In the order in which they come; none where a layer comes back after another, or where a number is left out.
std::vector<KnownLayer> known_layers(const Network& network) {
  std::vector<KnownLayer> known;
  for (OperatorId id : network.operators.all()) {
    const auto layer = network.operators[id].layer;
    if (!layer || (!known.empty() && *layer == known.back().layer)) continue;
    if (!known.empty() && *layer != known.back().layer + 1) return {};
    known.push_back({id.index(), *layer});
  }
  return known;
}

class Repetition {
 public:
  Repetition(Network& network, std::vector<KnownLayer> known) : network_(network), known_(std::move(known)) {}

  bool repeats() const {
    const std::size_t length = known_[1].first - known_[0].first;
    for (std::size_t i = 1; i + 1 < known_.size(); ++i) {
      if (known_[i + 1].first - known_[i].first != length) return false;
      for (std::size_t k = 0; k < length; ++k)
        if (!same(known_[0].first + k, known_[i].first + k)) return false;
    }
    return true;
  }

  void fill() {
    const std::size_t length = known_[1].first - known_[0].first, end = tail();
    for (const KnownLayer& one : known_)
      for (std::size_t k = 0; k < end; ++k) set(one.first + k, one.layer);
    for (std::size_t i = 1; i < known_.size(); ++i)
      for (std::size_t k = end; k < length; ++k) set(known_[i - 1].first + k, known_[i].layer);
    // The beginning of the first layer, as far back as it is like that of the second.
    for (std::size_t back = 1; back <= std::min(length - end, known_[0].first); ++back) {
      if (!same(known_[0].first - back, known_[1].first - back)) break;
      set(known_[0].first - back, known_[0].layer);
    }
  }

 private:
  // How far what follows the last known layer is like what follows the first.
  std::size_t tail() const {
    const std::size_t length = known_[1].first - known_[0].first;
    std::size_t k = 0;
    while (k < length && known_.back().first + k < network_.operators.size() &&
           same(known_.front().first + k, known_.back().first + k))
      ++k;
    return k;
  }

  bool same(std::size_t a, std::size_t b) const {
    const Operator &one = network_.operators[OperatorId(a)], &other = network_.operators[OperatorId(b)];
    return one.kind == other.kind && one.domain == other.domain && one.weights.size() == other.weights.size();
  }

  void set(std::size_t place, std::int64_t layer) {
    Operator& op = network_.operators[OperatorId(place)];
    if (!op.layer) op.layer = layer;
  }

  Network& network_;
  std::vector<KnownLayer> known_;
};

}  // namespace

void fill_by_repetition(Network& network) {
  std::vector<KnownLayer> known = known_layers(network);
  constexpr std::size_t kFewest = 3;  // two stretches that are alike
  if (known.size() < kFewest) return;
  Repetition repetition(network, std::move(known));
  if (repetition.repeats()) repetition.fill();
}

}  // namespace partita::detail::onnx
