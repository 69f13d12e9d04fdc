// SPDX-License-Identifier: Apache-2.0
#include "partita/read/physical_fields.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "partita/read/quantity.h"

namespace partita::detail {

namespace {

using nlohmann::json;

struct QuantityText {
  const char* expected;
  std::optional<double> (*parse)(std::string_view);
};

QuantityText text_of(Quantity kind) {
  switch (kind) {
    case Quantity::Bytes: return {"an amount of memory, a text such as \"80 GB\" or a number of bytes", parse_bytes};
    case Quantity::Seconds: return {"a time, a text such as \"10 us\" or a number of seconds", parse_seconds};
    case Quantity::Bandwidth:
      return {"a bandwidth, a text such as \"55 GB/s\" or a number of bytes per second", parse_bandwidth};
    case Quantity::Flops:
      return {"a speed, a text such as \"312 TFLOP/s\" or a number of operations per second", parse_flops};
  }
  return {};
}

[[noreturn]] void fail_quantity(const Place& place, const std::string& found, const char* expected) {
  place.fail(ErrorKind::BadPlatform, fmt::format("found {}; expected {}", found, expected));
}

double above_zero(std::optional<double> value, const ObjectView& fields, const char* key, Quantity kind) {
  if (value && *value > 0) return *value;
  fail_quantity(fields.place().member(key), value ? fmt::format("{}", *value) : "nothing",
                fmt::format("{}, above 0", text_of(kind).expected).c_str());
}

}  // namespace

std::optional<double> quantity(const ObjectView& fields, const char* key, Quantity kind) {
  const json* value = fields.find(key);
  if (!value) return std::nullopt;
  const QuantityText text = text_of(kind);
  const Place place = fields.place().member(key);
  if (value->is_string()) {
    const std::string& words = value->get_ref<const std::string&>();
    const std::optional<double> parsed = text.parse(words);
    if (!parsed) fail_quantity(place, fmt::format("\"{}\"", one_line(words, 60)), text.expected);
    return parsed;
  }
  if (!value->is_number()) fail_type(*value, place, text.expected);
  const double number = value->get<double>();
  if (!(number >= 0)) fail_quantity(place, fmt::format("{}", number), text.expected);
  return number;
}

Link physical_link(const ObjectView& fields) {
  const double bandwidth =
      above_zero(quantity(fields, "bandwidth", Quantity::Bandwidth), fields, "bandwidth", Quantity::Bandwidth);
  return {.factor = 1 / bandwidth, .latency = quantity(fields, "latency", Quantity::Seconds).value_or(0)};
}

std::map<DataType, double> peak_flops(const ObjectView& fields) {
  constexpr const char* kExpected = "an object: types of numbers and how many operations per second";
  std::map<DataType, double> flops;
  const Place place = fields.place().member("flops");
  const json* list = fields.find("flops");
  if (!list) place.fail(ErrorKind::BadPlatform, fmt::format("is missing; expected {}", kExpected));
  const ObjectView peaks(*list, place, kExpected);
  for (const auto& [name, value] : list->items()) {
    const std::optional<DataType> type = data_type(name);
    if (!type) {
      place.fail(ErrorKind::BadPlatform, fmt::format("\"{}\" is no type of numbers; expected one such as fp32, bf16, "
                                                     "fp16, fp8 or int8",
                                                     one_line(name, 60)));
    }
    flops[*type] = above_zero(quantity(peaks, name.c_str(), Quantity::Flops), peaks, name.c_str(), Quantity::Flops);
  }
  if (flops.empty()) place.fail(ErrorKind::BadPlatform, fmt::format("is empty; expected {}", kExpected));
  return flops;
}

DeviceRates device_rates(const ObjectView& fields) {
  DeviceRates rates;
  rates.flops = peak_flops(fields);
  rates.memory_bandwidth = above_zero(quantity(fields, "memoryBandwidth", Quantity::Bandwidth), fields,
                                      "memoryBandwidth", Quantity::Bandwidth);
  rates.launch = quantity(fields, "launch", Quantity::Seconds).value_or(0);
  return rates;
}

}  // namespace partita::detail
