// SPDX-License-Identifier: Apache-2.0
#include "python/bindings/model_arguments.h"

#include <fmt/format.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <string>
#include <vector>

#include "partita/util/error.h"

namespace partita::python {
namespace {

template <class Value>
constexpr const char* expected() {
  if constexpr (std::is_same_v<Value, int>) return "a whole number";
  if constexpr (std::is_same_v<Value, bool>) return "True or False";
  if constexpr (std::is_same_v<Value, std::string>) return "text";
  return "a list of texts";
}

template <class Value>
void take(const nb::dict& arguments, const char* name, std::optional<Value>& into) {
  if (!arguments.contains(name)) return;
  const nb::object given = nb::borrow(arguments[name]);
  if (given.is_none()) return;
  Value value{};
  if (!nb::try_cast(given, value, false)) {
    throw InputError(ErrorKind::Usage, name,
                     fmt::format("found {}; expected {}", nb::repr(given).c_str(), expected<Value>()));
  }
  into = std::move(value);
}

template <class Value>
void take(const nb::dict& arguments, const char* name, Value& into) {
  std::optional<Value> value;
  take(arguments, name, value);
  if (value) into = std::move(*value);
}

}  // namespace

detail::ModelOptions model_options(const nb::dict& arguments) {
  detail::ModelOptions options;
  take(arguments, "dims", options.dimensions);
  take(arguments, "batch", options.batch);
  take(arguments, "sequence", options.sequence);
  take(arguments, "context", options.context);
  take(arguments, "phase", options.phase);
  take(arguments, "dtype", options.type);
  take(arguments, "training", options.training);
  take(arguments, "optimizer", options.optimizer);
  take(arguments, "shared_weights", options.shared_weights);
  take(arguments, "profile", options.profile);
  take(arguments, "profile_on", options.profile_on);
  take(arguments, "efficiencies", options.efficiencies);
  return options;
}

detail::QuestionOptions question_options(const nb::dict& arguments) {
  detail::QuestionOptions options;
  take(arguments, "objective", options.objective);
  take(arguments, "shape", options.shape);
  take(arguments, "transfers", options.transfers);
  take(arguments, "backward_shape", options.backward_shape);
  take(arguments, "subgraphs", options.subgraphs);
  take(arguments, "host_cores", options.host_cores);
  take(arguments, "replicate", options.replicas);
  take(arguments, "memory_model", options.memory_model);
  take(arguments, "microbatches", options.microbatches);
  take(arguments, "recompute", options.recompute);
  return options;
}

detail::WishOptions wish_options(const nb::dict& arguments) {
  detail::WishOptions wishes;
  take(arguments, "pin", wishes.pins);
  take(arguments, "together", wishes.together);
  take(arguments, "apart", wishes.apart);
  return wishes;
}

}  // namespace partita::python
