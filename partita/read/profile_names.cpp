// SPDX-License-Identifier: Apache-2.0
#include "partita/read/profile_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "partita/read/fields.h"
#include "partita/read/names_in_short.h"
#include "partita/util/error.h"

namespace partita::detail {

namespace {

bool ends_with_number_after(std::string_view& name, std::string_view word) {
  const std::size_t at = name.rfind(word);
  if (at == std::string_view::npos || at + word.size() == name.size()) return false;
  const std::string_view digits = name.substr(at + word.size());
  if (!std::ranges::all_of(digits, [](unsigned char c) { return std::isdigit(c); })) return false;
  name = name.substr(0, at);
  return true;
}

// "x/MatMulAddFusion", "x_nchwc", "fused x", "x_token_12": what ONNX Runtime's optimisers make of a name.
bool cut_off_one(std::string_view& name) {
  constexpr std::string_view kBefore = "fused ";
  constexpr std::array<std::string_view, 2> kAfter{"_nchwc", "_quant"};
  if (name.starts_with(kBefore)) {
    name.remove_prefix(kBefore.size());
    return true;
  }
  for (std::string_view ending : kAfter) {
    if (name.size() > ending.size() && name.ends_with(ending)) {
      name.remove_suffix(ending.size());
      return true;
    }
  }
  if (ends_with_number_after(name, "_token_")) return true;
  const std::size_t slash = name.rfind('/');
  if (slash != std::string_view::npos && slash > 0 && name.ends_with("Fusion")) {
    name = name.substr(0, slash);
    return true;
  }
  return false;
}

// "PWN(PWN(a), b)" of TensorRT: pointwise operators that became one.
std::string_view without_brackets(std::string_view part) {
  constexpr std::string_view kPointwise = "PWN(";
  while (part.starts_with(' ')) part.remove_prefix(1);
  while (part.starts_with(kPointwise)) part.remove_prefix(kPointwise.size());
  while (part.ends_with(' ')) part.remove_suffix(1);
  const auto opened = std::ranges::count(part, '('), closed = std::ranges::count(part, ')');
  for (auto extra = closed - opened; extra > 0 && part.ends_with(')'); --extra) part.remove_suffix(1);
  return part;
}

}  // namespace

ProfileNames::ProfileNames(const Network& network) : network_(network) {
  for (OperatorId o : network.operators.all()) {
    by_name_.emplace(network.operators[o].name, o);
    for (TensorId t : network.operators[o].outputs) by_output_.emplace(network.tensors[t].name, o);
  }
}

std::optional<OperatorId> ProfileNames::find_exactly(std::string_view name) const {
  if (const auto found = by_name_.find(name); found != by_name_.end()) return found->second;
  if (const auto found = by_output_.find(name); found != by_output_.end()) return found->second;
  return std::nullopt;
}

std::optional<OperatorId> ProfileNames::find(std::string_view name) const {
  while (true) {
    if (const std::optional<OperatorId> found = find_exactly(name)) return found;
    if (!cut_off_one(name) || name.empty()) return std::nullopt;
  }
}

std::vector<OperatorId> ProfileNames::find_all(std::string_view joined) const {
  constexpr std::size_t kLongest = 65536;  // what is longer names nothing, and is not taken apart
  if (joined.size() > kLongest) return {};
  if (const std::optional<OperatorId> found = find(joined)) return {*found};
  for (const bool at_commas : {false, true}) {  // names may have commas of their own
    const std::vector<OperatorId> found = find_parts(joined, at_commas);
    if (!found.empty()) return found;
  }
  return {};
}

std::vector<OperatorId> ProfileNames::find_parts(std::string_view joined, bool at_commas) const {
  constexpr std::string_view kPlus = " + ";
  std::vector<OperatorId> all;
  while (true) {
    const std::size_t plus = joined.find(kPlus);
    const std::size_t comma = at_commas ? joined.find(',') : std::string_view::npos;
    const std::size_t end = std::min(plus, comma);
    const std::optional<OperatorId> found = find(without_brackets(joined.substr(0, end)));
    if (!found) return {};
    all.push_back(*found);
    if (end == std::string_view::npos) return all;
    joined.remove_prefix(end + (end == plus ? kPlus.size() : 1));
  }
}

void ProfileTimes::add(const std::vector<OperatorId>& operators, double seconds) {
  std::vector<OperatorId> own;
  for (OperatorId o : operators) {
    if (time_of_.emplace(o, times_.size()).second) own.push_back(o);
  }
  if (!own.empty()) {
    times_.emplace_back(std::move(own), seconds);
  } else if (!operators.empty()) {
    times_[time_of_.at(operators.front())].second += seconds;  // one operator in two pieces
  }
}

void ProfileTimes::add_unknown(std::string_view name) { unknown_.emplace_back(name); }

void ProfileTimes::absorb_unnamed() {
  const Network& network = names_.network();
  IdVector<TensorId, OperatorId> maker(network.tensors.size(), OperatorId());
  for (OperatorId o : network.operators.all()) {
    const Operator& op = network.operators[o];
    for (TensorId t : op.outputs) maker[t] = o;
    if (time_of_.contains(o) || op.family == OperatorFamily::View) continue;
    OperatorId last;
    for (TensorId t : op.inputs) {
      const OperatorId from = maker[t];
      if (from.valid() && time_of_.contains(from) && (!last.valid() || last < from)) last = from;
    }
    if (!last.valid()) continue;
    const std::size_t time = time_of_.at(last);
    time_of_.emplace(o, time);
    times_[time].first.push_back(o);
    ++absorbed_;
  }
}

Profile ProfileTimes::finish(std::vector<std::string> notes) {
  if (times_.empty()) {
    throw InputError(
        ErrorKind::BadField, source_,
        unknown_.empty()
            ? std::string("has no times of operators; was the engine told to profile?")
            : fmt::format("a profile of another model: none of its {} names is an operator of {} ({}); of a "
                          "model that the engine optimised, read the model that it saved",
                          unknown_.size(), one_line(names_.network().name, 60), names_in_short(unknown_)));
  }
  Profile profile{.times = {}, .notes = std::move(notes)};
  for (const auto& [operators, seconds] : times_) {
    MeasuredTime time{.operators = {}, .seconds = seconds};
    for (OperatorId o : operators) time.operators.push_back(names_.network().operators[o].name);
    profile.times.push_back(std::move(time));
  }
  if (!unknown_.empty()) {
    profile.notes.push_back(fmt::format("{} names of the profile are no operators of the model and are not used: {}",
                                        unknown_.size(), names_in_short(unknown_)));
  }
  if (absorbed_ > 0) {
    profile.notes.push_back(
        fmt::format("{} operators are not in the profile; they are taken for parts of those that they read from, with "
                    "which they share a device",
                    absorbed_));
  }
  return profile;
}

}  // namespace partita::detail
