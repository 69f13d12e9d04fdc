// SPDX-License-Identifier: Apache-2.0
#include "partita/model/problem.h"

#include <array>
#include <utility>

namespace partita {
namespace {

constexpr std::array kObjectives{std::pair{Objective::MaxLoad, "max-load"}, std::pair{Objective::GPipe, "gpipe"},
                                 std::pair{Objective::Latency, "latency"}};
constexpr std::array kShapes{std::pair{Shape::Staged, "staged"}, std::pair{Shape::Contiguous, "contiguous"},
                             std::pair{Shape::Free, "free"}};
constexpr std::array kTransferModes{std::pair{TransferMode::Sum, "sum"}, std::pair{TransferMode::Overlap, "overlap"},
                                    std::pair{TransferMode::Duplex, "duplex"}};
constexpr std::array kMemoryModels{std::pair{MemoryModel::Flat, "flat"}, std::pair{MemoryModel::OneF1B, "1f1b"},
                                   std::pair{MemoryModel::GPipe, "gpipe"}};

template <class Table, class Value>
const char* name_in(const Table& table, Value value) {
  for (const auto& [entry, name] : table) {
    if (entry == value) return name;
  }
  return "?";
}

template <class Value, std::size_t N>
std::optional<Value> value_in(const std::array<std::pair<Value, const char*>, N>& table, std::string_view text) {
  for (const auto& [value, name] : table) {
    if (text == name) return value;
  }
  return std::nullopt;
}

}  // namespace

const char* to_string(Objective objective) { return name_in(kObjectives, objective); }
const char* to_string(Shape shape) { return name_in(kShapes, shape); }
const char* to_string(TransferMode mode) { return name_in(kTransferModes, mode); }
const char* to_string(MemoryModel model) { return name_in(kMemoryModels, model); }

std::optional<Objective> parse_objective(std::string_view text) {
  if (text == "throughput") return Objective::MaxLoad;
  return value_in(kObjectives, text);
}
std::optional<Shape> parse_shape(std::string_view text) { return value_in(kShapes, text); }
std::optional<TransferMode> parse_transfer_mode(std::string_view text) { return value_in(kTransferModes, text); }
std::optional<MemoryModel> parse_memory_model(std::string_view text) { return value_in(kMemoryModels, text); }

}  // namespace partita
