// SPDX-License-Identifier: Apache-2.0
#include "partita/read/onnx/layers.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "partita/read/onnx/repeated_layers.h"

namespace partita::detail::onnx {

namespace {

struct Place {
  std::string container;
  std::int64_t number = 0;
};

std::optional<std::int64_t> as_number(std::string_view word) {
  std::int64_t number = 0;
  if (word.empty() || word.size() > 6 || !std::ranges::all_of(word, [](char c) { return c >= '0' && c <= '9'; }))
    return {};
  std::from_chars(word.data(), word.data() + word.size(), number);
  return number;
}

// "encoder_layer_3", "blocks_12" or "h_0": a number behind a word for a layer.
std::optional<std::int64_t> number_behind_word(std::string_view word, std::string_view& before) {
  const std::size_t bar = word.rfind('_');
  if (bar == std::string_view::npos) return {};
  before = word.substr(0, bar);
  static constexpr std::array<std::string_view, 4> kWords{"layer", "layers", "block", "blocks"};
  const bool is_layer = std::ranges::any_of(kWords, [before](std::string_view each) { return before.ends_with(each); });
  if (!is_layer && before != "h") return {};
  return as_number(word.substr(bar + 1));
}

std::optional<Place> place_in(std::string_view name) {
  std::string container;
  std::string_view last;
  while (!name.empty()) {
    const std::size_t end = name.find_first_of("./");
    std::string_view word = name.substr(0, end);
    name = end == std::string_view::npos ? std::string_view() : name.substr(end + 1);
    if (word.empty()) continue;
    // Keras writes "layer_._3", of which the points are no part of what is in what.
    if (word.size() > 1 && word.front() == '_' && last.ends_with('_')) word.remove_prefix(1);
    // The last word of a name is the operator or the tensor itself, not what it is in.
    const bool is_last = name.empty();
    if (const std::optional<std::int64_t> number = as_number(word); number && !container.empty() && !is_last) {
      return Place{container, *number};
    }
    std::string_view before;
    if (const std::optional<std::int64_t> number = number_behind_word(word, before); number && !is_last) {
      return Place{container + "." + std::string(before), *number};
    }
    if (word == last) continue;  // "/features/features.3/..." is features.3
    container += container.empty() ? "" : ".";
    container += word;
    last = word;
  }
  return std::nullopt;
}

// "['', 'model', 'model.layers.3', 'linear']": the last scope with a number.
std::optional<Place> place_in_scopes(std::string_view scopes) {
  std::optional<Place> place;
  while (!scopes.empty()) {
    const std::size_t begin = scopes.find('\'');
    const std::size_t end = begin == std::string_view::npos ? begin : scopes.find('\'', begin + 1);
    if (end == std::string_view::npos) break;
    // A scope is a module, in which something is.
    const std::string inside = std::string(scopes.substr(begin + 1, end - begin - 1)) + "/operator";
    if (std::optional<Place> here = place_in(inside)) place = here;
    scopes = scopes.substr(end + 1);
  }
  return place;
}

using Places = IdVector<OperatorId, std::optional<Place>>;

void keep_repeated(Places& places) {
  std::map<std::string_view, std::set<std::int64_t>> numbers;
  for (const std::optional<Place>& place : places) {
    if (place) numbers[place->container].insert(place->number);
  }
  std::set<std::string> single;
  for (const auto& [container, found] : numbers) {
    if (found.size() < 2) single.emplace(container);
  }
  for (auto& place : places) {
    if (place && single.contains(place->container)) place.reset();
  }
}

Places places_by_weights(const Network& network) {
  IdVector<WeightId, int> readers(network.weights.size(), 0);
  for (const Operator& op : network.operators) {
    for (WeightId weight : op.weights) ++readers[weight];
  }
  Places places(network.operators.size());
  for (OperatorId id : network.operators.all()) {
    for (WeightId weight : network.operators[id].weights) {
      if (readers[weight] == 1 && !places[id]) places[id] = place_in(network.weights[weight].name);
    }
  }
  return places;
}

// Containers one after the other, in the order in which they are first met.
void number_layers(Network& network, const Places& places) {
  std::vector<std::string_view> order;
  std::map<std::string_view, std::int64_t> first, largest;
  for (const std::optional<Place>& place : places) {
    if (!place) continue;
    if (largest.emplace(place->container, place->number).second) order.push_back(place->container);
    largest[place->container] = std::max(largest[place->container], place->number);
  }
  std::int64_t next = 0;
  for (std::string_view container : order) {
    first[container] = next;
    next += largest[container] + 1;
  }
  for (OperatorId id : network.operators.all()) {
    if (places[id]) network.operators[id].layer = first[places[id]->container] + places[id]->number;
  }
}

// Before: the latest layer that reaches an operator. Behind: the earliest that it reaches.
void fill_gaps(Network& network) {
  IdVector<TensorId, std::optional<std::int64_t>> before(network.tensors.size()), behind(network.tensors.size());
  IdVector<OperatorId, std::optional<std::int64_t>> reached(network.operators.size());
  for (OperatorId id : network.operators.all()) {
    const Operator& op = network.operators[id];
    std::optional<std::int64_t> latest;
    for (TensorId input : op.inputs) latest = std::max(latest, before[input]);
    reached[id] = latest;
    for (TensorId output : op.outputs) before[output] = op.layer ? op.layer : latest;
  }
  for (std::size_t i = network.operators.size(); i-- > 0;) {
    Operator& op = network.operators[OperatorId(i)];
    std::optional<std::int64_t> earliest;
    for (TensorId output : op.outputs) {
      if (behind[output]) earliest = earliest ? std::min(*earliest, *behind[output]) : behind[output];
    }
    if (op.layer) earliest = op.layer;
    for (TensorId input : op.inputs) {
      if (earliest) behind[input] = behind[input] ? std::min(*behind[input], *earliest) : *earliest;
    }
    if (!op.layer && earliest && earliest == reached[OperatorId(i)]) op.layer = earliest;
  }
}

}  // namespace

void find_layers(Network& network, const std::vector<std::string>& scopes) {
  Places by_scopes(network.operators.size()), by_names(network.operators.size());
  Places by_weights = places_by_weights(network);
  for (OperatorId id : network.operators.all()) {
    by_scopes[id] = place_in_scopes(scopes[id.index()]);
    by_names[id] = place_in(network.operators[id].name);
  }
  const Places* best = nullptr;
  std::ptrdiff_t most = 0;
  for (Places* places : {&by_scopes, &by_names, &by_weights}) {
    keep_repeated(*places);
    const std::ptrdiff_t named = std::ranges::count_if(*places, [](const auto& place) { return place.has_value(); });
    if (named > most) {
      most = named;
      best = places;
    }
  }
  if (best == nullptr) return;
  number_layers(network, *best);
  fill_gaps(network);
  fill_by_repetition(network);
}

}  // namespace partita::detail::onnx
