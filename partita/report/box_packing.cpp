// SPDX-License-Identifier: Apache-2.0
// Boxes become slots, slots become rows.
//
// A slot is a place in the pipeline: the pieces that have the same longest path of pieces before them, one above the
// other. Where each device has at most one piece in each pass, a slot also holds, in its lower half, the backward
// pieces of its devices; the slots in a row then are both passes, one from left to right and the other back. Where the
// devices have an order, the slots keep to it, so that the picture reads as the tables do. Elsewhere
// (a device has many pieces, as in free splits) the passes are apart, first all rows of the forward pass, then those of
// the backward pass, whose slots run from right to left. There can be hundreds of pieces, most of them small: from
// kManySlots on, slots follow each other downwards as well, as long as they fit under one another.
//
// What is free is how tall the boxes are and where rows are wrapped. We try heights in a geometric series, for each of
// them all sensible numbers of rows, and take what can be drawn largest in a picture of 16 to 9.
//
// Tested in tests/report/graph_layout_test.cpp.
#include "partita/report/box_packing.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <vector>

namespace partita::detail {
namespace {

constexpr double kAspect = 16.0 / 9;
constexpr std::size_t kUnbroken = 10;  // as many slots stay in one row, whatever its shape
constexpr std::size_t kManySlots = 14;
constexpr std::size_t kFewestLines = 5;  // so few are not worth a second column
constexpr double kUnlike = 1.6;          // boxes whose widths differ by more look odd under one another
constexpr double kPerRow = 1.02;         // one more of the first few rows must pay by so much: a pipeline is easier to
constexpr std::size_t kFewRows = 8;      // follow unbroken

struct Slot {
  std::vector<PieceId> upper;
  std::vector<PieceId> lower;
  double width = 0;
  double upper_height = 0;
  double lower_height = 0;
};

struct PackedRow {
  std::vector<const Slot*> slots;  // in pipeline order
  bool leftwards = false;
  double width = 0;
  double upper_height = 0;
  double lower_height = 0;
};

// The longest path of pieces of the same pass before each piece.
IdVector<PieceId, std::size_t> levels(const Pieces& pieces) {
  IdVector<PieceId, std::size_t> level(pieces.pieces.size(), 0);
  for (const PieceId p : pieces.pieces.all()) {
    for (const PieceId before : pieces.pieces[p].after) {
      if (pieces.pieces[before].backward == pieces.pieces[p].backward) level[p] = std::max(level[p], level[before] + 1);
    }
  }
  return level;
}

// The pieces of one pass, by level; in the upper half of the slots.
std::vector<Slot> slots_of_pass(const Pieces& pieces, bool backward) {
  const IdVector<PieceId, std::size_t> level = levels(pieces);
  std::map<std::size_t, Slot> slots;
  for (const PieceId p : pieces.pieces.all()) {
    if (pieces.pieces[p].backward == backward) slots[level[p]].upper.push_back(p);
  }
  std::vector<Slot> result;
  for (auto& [number, slot] : slots) result.push_back(std::move(slot));
  return result;
}

bool one_piece_each(const Pieces& pieces) {
  std::map<std::pair<DeviceId, bool>, int> count;
  for (const Piece& piece : pieces.pieces) {
    if (++count[{piece.device, piece.backward}] > 1) return false;
  }
  return true;
}

// Both passes in one sequence of slots. A backward piece whose device has nothing in the forward pass gets a slot of
// its own, to the left of that of the backward piece before it.
std::vector<Slot> slots_of_both_passes(const Pieces& pieces) {
  std::vector<Slot> slots = slots_of_pass(pieces, false);
  std::size_t last = slots.size();  // of the backward piece before
  for (const PieceId p : pieces.pieces.all()) {
    const Piece& piece = pieces.pieces[p];
    if (!piece.backward) continue;
    const auto above = std::ranges::find_if(slots, [&](const Slot& slot) {
      return std::ranges::any_of(slot.upper, [&](PieceId q) { return pieces.pieces[q].device == piece.device; });
    });
    if (above == slots.end()) {
      slots.insert(slots.begin() + static_cast<std::ptrdiff_t>(last), Slot{{}, {p}});
    } else {
      above->lower.push_back(p);
      last = static_cast<std::size_t>(above - slots.begin());
    }
  }
  for (Slot& slot : slots) {  // one under the other as in the upper half
    const auto place = [&](PieceId p) {
      return std::ranges::find_if(slot.upper,
                                  [&](PieceId q) { return pieces.pieces[q].device == pieces.pieces[p].device; });
    };
    std::ranges::stable_sort(slot.lower, [&](PieceId p, PieceId q) { return place(p) < place(q); });
  }
  return slots;
}

bool all_have_a_place(const Pieces& pieces, const std::vector<DeviceId>& order) {
  return std::ranges::all_of(pieces.pieces,
                             [&](const Piece& piece) { return std::ranges::count(order, piece.device) > 0; });
}

// Both passes again, device by device in the order given. A device opens a new slot where one of its pieces waits for
// one in the last slot, or the other way round; else it joins that slot, below what is there. Read column by column,
// slots have the order of the devices.
std::vector<Slot> slots_in_order(const Pieces& pieces, const std::vector<DeviceId>& order) {
  std::map<DeviceId, Slot> pieces_on;
  for (const PieceId p : pieces.pieces.all()) {
    Slot& own = pieces_on[pieces.pieces[p].device];
    (pieces.pieces[p].backward ? own.lower : own.upper).push_back(p);
  }
  const auto waits = [&](const std::vector<PieceId>& some, const std::vector<PieceId>& others) {
    return std::ranges::any_of(some, [&](PieceId p) {
      return std::ranges::any_of(pieces.pieces[p].after, [&](PieceId q) { return std::ranges::count(others, q) > 0; });
    });
  };
  const auto apart = [&](const std::vector<PieceId>& some, const std::vector<PieceId>& others) {
    return waits(some, others) || waits(others, some);
  };
  std::vector<Slot> slots;
  for (const DeviceId device : order) {
    const Slot& own = pieces_on[device];
    if (slots.empty() || apart(own.upper, slots.back().upper) || apart(own.lower, slots.back().lower))
      slots.emplace_back();
    slots.back().upper.insert(slots.back().upper.end(), own.upper.begin(), own.upper.end());
    slots.back().lower.insert(slots.back().lower.end(), own.lower.begin(), own.lower.end());
  }
  return slots;
}

class Packer {
 public:
  Packer(const Pieces& pieces, const BoxSizes& size_of, const LayoutStyle& style, const std::vector<DeviceId>& order)
      : pieces_(pieces), size_of_(size_of), style_(style), across_(style.gap / style.stretch), down_(0.75 * style.gap) {
    if (one_piece_each(pieces)) {
      const bool ordered = !order.empty() && all_have_a_place(pieces, order);
      passes_.push_back(ordered ? slots_in_order(pieces, order) : slots_of_both_passes(pieces));
    } else {
      passes_.push_back(slots_of_pass(pieces, false));
      passes_.push_back(slots_of_pass(pieces, true));
    }
    double forward = 0, backward = 0;
    for (const Piece& piece : pieces.pieces) {
      (piece.backward ? backward : forward) += 1 + static_cast<double>(piece.nodes.size());
    }
    if (passes_.size() == 1) lower_share_ = backward / std::max(1.0, forward + backward);
  }

  // With boxes of about so many lines at most, rows wrapped where it is best.
  PackedBoxes pack(std::size_t lines) {
    packed_ = {IdVector<PieceId, Box>(pieces_.pieces.size()), IdVector<PieceId, std::size_t>(pieces_.pieces.size(), 1),
               0, 0};
    std::vector<std::vector<Slot>> passes;
    double all = 0, widest = 0;
    std::size_t count = 0;
    for (const std::vector<Slot>& pass : passes_) {
      passes.push_back(measured(pass, static_cast<double>(lines)));
      for (const Slot& slot : passes.back()) {
        all += slot.width + across_;
        widest = std::max(widest, slot.width);
      }
      count += passes.back().size();
    }
    std::vector<PackedRow> best;
    double best_score = std::numeric_limits<double>::infinity();
    for (std::size_t n = 1; n <= count; n += 1 + n / 8) {
      const double most = std::max(widest, all / static_cast<double>(n)) * (1 + 1e-9);
      std::vector<PackedRow> rows = wrapped(passes, most);
      const double score =
          picture_height(rows) * std::pow(kPerRow, static_cast<double>(std::min(rows.size(), kFewRows)));
      if (score < best_score) {
        best = std::move(rows);
        best_score = score;
      } else if (score > 2 * best_score) {
        break;  // narrower rows only make it higher
      }
    }
    place(best);
    return std::move(packed_);
  }

  // The height of the picture that holds all; among about equal ones, what leaves least of it empty.
  double score(const PackedBoxes& boxes) const {
    const double across = boxes.width * style_.stretch / kAspect;
    return std::max(across, boxes.height) + 0.1 * std::min(across, boxes.height);
  }

 private:
  // Sets the sizes of the boxes one above the other, so that together they have about so many lines.
  void measure_stack(const std::vector<PieceId>& stack, double lines, double& width, double& height) {
    double nodes = 0;
    for (const PieceId p : stack) nodes += static_cast<double>(pieces_.pieces[p].nodes.size());
    for (const PieceId p : stack) {
      const double share = nodes > 0 ? static_cast<double>(pieces_.pieces[p].nodes.size()) / nodes : 0;
      packed_.lines[p] = std::max(kFewestLines, static_cast<std::size_t>(std::lround(lines * share)));
      const BoxSize size = size_of_(p, packed_.lines[p]);
      packed_.boxes[p].height = size.height;
      width = std::max(width, size.width);
      height += size.height + (height > 0 ? down_ : 0);
    }
  }

  std::vector<Slot> measured(const std::vector<Slot>& pass, double lines) {
    std::vector<Slot> slots = pass;
    for (Slot& slot : slots) {
      measure_stack(slot.upper, 2 * (1 - lower_share_) * lines, slot.width, slot.upper_height);
      measure_stack(slot.lower, 2 * lower_share_ * lines, slot.width, slot.lower_height);
    }
    return passes_.size() > 1 && slots.size() > kManySlots ? stacked(slots) : slots;
  }

  // Consecutive slots under one another where they fit and are about equally wide.
  std::vector<Slot> stacked(const std::vector<Slot>& slots) const {
    double highest = 0;
    for (const Slot& slot : slots) highest = std::max(highest, slot.upper_height);
    std::vector<Slot> result;
    for (const Slot& slot : slots) {
      if (!result.empty()) {
        Slot& above = result.back();
        const auto [less, more] = std::minmax(above.width, slot.width);
        if (above.upper_height + down_ + slot.upper_height <= highest && more <= kUnlike * less) {
          above.upper.insert(above.upper.end(), slot.upper.begin(), slot.upper.end());
          above.upper_height += down_ + slot.upper_height;
          above.width = more;
          continue;
        }
      }
      result.push_back(slot);
    }
    return result;
  }

  // Slots in rows no wider than this.
  std::vector<PackedRow> wrapped(const std::vector<std::vector<Slot>>& passes, double most) const {
    std::vector<PackedRow> rows;
    for (std::size_t pass = 0; pass < passes.size(); ++pass) {
      for (std::size_t s = 0; s < passes[pass].size(); ++s) {
        const Slot& slot = passes[pass][s];
        const bool full = s > 0 && passes[pass].size() > kUnbroken && rows.back().width + across_ + slot.width > most;
        if (s == 0 || full) {
          rows.push_back({});
          rows.back().leftwards = pass > 0;
        } else {
          rows.back().width += across_;
        }
        PackedRow& row = rows.back();
        row.slots.push_back(&slot);
        row.width += slot.width;
        row.upper_height = std::max(row.upper_height, slot.upper_height);
        row.lower_height = std::max(row.lower_height, slot.lower_height);
      }
    }
    return rows;
  }

  double width_of(const std::vector<PackedRow>& rows) const {
    double width = 0;
    for (const PackedRow& row : rows) width = std::max(width, row.width);
    return width;
  }

  double height_of(const PackedRow& row) const {
    return row.upper_height + row.lower_height + (row.upper_height > 0 && row.lower_height > 0 ? down_ : 0);
  }

  // As high as a picture of the right shape must be to hold the rows.
  double picture_height(const std::vector<PackedRow>& rows) const {
    double height = 0;
    for (const PackedRow& row : rows) height += height_of(row) + style_.gap;
    return std::max(height, width_of(rows) * style_.stretch / kAspect);
  }

  void place_stack(const std::vector<PieceId>& stack, double left, double width, double top) {
    for (const PieceId p : stack) {
      Box& box = packed_.boxes[p];
      box.left = left;
      box.width = width;
      box.top = top;
      top += box.height + down_;
    }
  }

  void place(const std::vector<PackedRow>& rows) {
    const double margin = across_ / 2;
    packed_.width = width_of(rows) + 2 * margin;
    double top = style_.gap / 2;
    for (const PackedRow& row : rows) {
      const double lower_top = top + height_of(row) - row.lower_height;
      double left = row.leftwards ? packed_.width - margin - row.width : margin;
      for (std::size_t i = 0; i < row.slots.size(); ++i) {
        const Slot& slot = *row.slots[row.leftwards ? row.slots.size() - 1 - i : i];
        place_stack(slot.upper, left, slot.width, top);
        place_stack(slot.lower, left, slot.width, lower_top);
        left += slot.width + across_;
      }
      top += height_of(row) + style_.gap;
    }
    packed_.height = rows.empty() ? style_.gap : top - style_.gap / 2;
  }

  const Pieces& pieces_;
  const BoxSizes& size_of_;
  const LayoutStyle& style_;
  double across_;                          // between slots
  double down_;                            // between boxes one above the other
  double lower_share_ = 0;                 // of the lines of a slot, for its lower half
  std::vector<std::vector<Slot>> passes_;  // one sequence for both, or one for each
  PackedBoxes packed_;
};

}  // namespace

PackedBoxes pack_boxes(const Pieces& pieces, const BoxSizes& size_of, std::size_t most_lines, const LayoutStyle& style,
                       const std::vector<DeviceId>& order) {
  Packer packer(pieces, size_of, style, order);
  PackedBoxes best = packer.pack(kFewestLines);
  for (std::size_t lines = kFewestLines + 1; lines < 2 * most_lines; lines += std::max<std::size_t>(1, lines / 5)) {
    PackedBoxes next = packer.pack(lines);
    if (packer.score(next) < packer.score(best)) best = std::move(next);
  }
  return best;
}

}  // namespace partita::detail
