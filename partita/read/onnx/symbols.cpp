// SPDX-License-Identifier: Apache-2.0
#include "partita/read/onnx/symbols.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "partita/util/error.h"
#include "partita/util/nearest_name.h"
#include "partita/util/visible_text.h"

namespace partita::detail::onnx {

namespace {

constexpr const char* kField = "ReadNetworkOptions::dimensions";

}  // namespace

Symbols::Symbols(const ReadNetworkOptions& options) : options_(options) {
  for (const auto& [name, size] : options.dimensions) {
    if (size < 1) {
      throw InputError(
          ErrorKind::Usage, kField,
          fmt::format("found the size {} for '{}', expected 1 or more", size, visible(name, kLongestShownName)));
    }
  }
}

std::int64_t Symbols::extent(const std::string& name) {
  const auto at = options_.dimensions.find(name);
  if (at == options_.dimensions.end()) return kUnknownExtent;
  met_.insert(name);
  return at->second;
}

Shape Symbols::input_shape(const TypeView& type, std::string_view input) {
  if (!type.shape || type.shape->size() > kMostAxes) return std::nullopt;
  std::vector<std::int64_t> shape;
  for (std::size_t axis = 0; axis < type.shape->size(); ++axis) {
    const Dimension& dimension = (*type.shape)[axis];
    if (dimension.value) {
      shape.push_back(*dimension.value);
      continue;
    }
    const std::string place = fmt::format("{}:{}", input, axis);
    const std::string name = dimension.symbol.empty() ? place : std::string(dimension.symbol);
    std::int64_t size = extent(place);
    if (!is_known(size)) size = extent(name);
    if (!is_known(size) && met_.insert(name).second) unset_.push_back(name);
    shape.push_back(size);
  }
  return shape;
}

Shape Symbols::shape(const TypeView& type) {
  if (!type.shape || type.shape->size() > kMostAxes) return std::nullopt;
  std::vector<std::int64_t> shape;
  for (const Dimension& dimension : *type.shape) {
    if (dimension.value) {
      shape.push_back(*dimension.value);
    } else {
      shape.push_back(dimension.symbol.empty() ? kUnknownExtent : extent(std::string(dimension.symbol)));
    }
  }
  return shape;
}

void Symbols::check_all_met(const std::string& source) const {
  for (const auto& [name, size] : options_.dimensions) {
    if (met_.contains(name)) continue;
    std::vector<std::string> open = unset_;
    std::string hint = "every dimension of its inputs is fixed";
    if (const std::optional<std::string> near = nearest_name(name, {met_.begin(), met_.end()})) {
      hint = fmt::format("did you mean '{}'?", visible(*near, kLongestShownName));
    } else if (!open.empty()) {
      for (std::string& other : open) other = fmt::format("'{}'", visible(other, kLongestShownName));
      if (open.size() > 8) open.resize(8);
      hint = fmt::format("it has {}", fmt::join(open, ", "));
    }
    throw InputError(ErrorKind::Usage, kField,
                     fmt::format("{} has no open dimension '{}': {}", source, visible(name, kLongestShownName), hint));
  }
}

}  // namespace partita::detail::onnx
