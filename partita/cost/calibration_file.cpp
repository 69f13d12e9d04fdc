// SPDX-License-Identifier: Apache-2.0
#include "partita/cost/calibration_file.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "partita/read/bytes.h"
#include "partita/read/fields.h"
#include "partita/read/json_document.h"
#include "partita/read/text_stream.h"
#include "partita/util/error.h"
#include "partita/util/json_writer.h"

namespace partita {

using namespace detail;
using nlohmann::json;

namespace {

constexpr int kVersion = 1;

std::optional<OperatorFamily> family_called(const std::string& name) {
  for (std::size_t f = 0; f < kOperatorFamilies; ++f) {
    const auto family = static_cast<OperatorFamily>(f);
    if (name == to_string(family)) return family;
  }
  return std::nullopt;
}

double rounded(double value) { return std::stod(fmt::format("{:.4g}", value)); }

double positive(const ObjectView& row, const char* key) {
  const double value = row.amount(key, "a part of a device's peak, above 0");
  if (value <= 0 || value > 10) {
    row.place().member(key).fail(
        ErrorKind::BadNumber,
        fmt::format("found {}; expected a part of a device's peak, above 0 and mostly below 1", value));
  }
  return value;
}

void read_row(const json& value, const Place& place, Efficiencies& table) {
  const ObjectView row(value, place, "efficiencies of a family");
  const std::string name = row.text("family", "the name of a family of operators").value_or("");
  const std::optional<OperatorFamily> family = family_called(name);
  if (!family) {
    place.fail(ErrorKind::BadField,
               fmt::format("found family '{}'; expected one such as 'matrix product' (docs/costs.md "
                           "lists them)",
                           one_line(name, 60)));
  }
  Efficiency& efficiency = table.of(*family, row.flag("backward", false));
  efficiency = {.compute = positive(row, "compute"),
                .memory = positive(row, "memory"),
                .ramp = row.amount_or("ramp", 0, "a time in seconds"),
                .calibrated = row.flag("calibrated", true),
                .step = row.amount_or("step", 0, "a time in seconds"),
                .item = row.amount_or("item", 0, "a time in seconds")};
}

}  // namespace

std::string efficiencies_json(const Calibration& calibration, const std::string& device, DataType type) {
  JsonWriter out(JsonLayout::Pretty);
  const auto write_row = [&](OperatorFamily family, bool backward) {
    const Efficiency& one = calibration.efficiencies.of(family, backward);
    out.object([&] {
      out.field("family", to_string(family));
      out.field("backward", backward);
      out.field("compute", rounded(one.compute));
      out.field("memory", rounded(one.memory));
      out.field("ramp", rounded(one.ramp));
      out.field("calibrated", one.calibrated);
      out.field("step", rounded(one.step));
      out.field("item", rounded(one.item));
    });
  };
  out.object([&] {
    out.field("format", "partita efficiencies");
    out.field("version", kVersion);
    out.field("device", device);
    out.field("type", to_string(type));
    out.field("launch", rounded(calibration.launch));
    out.key("efficiencies").array([&] {
      for (std::size_t f = 0; f < kOperatorFamilies; ++f) {
        for (bool backward : {false, true}) write_row(static_cast<OperatorFamily>(f), backward);
      }
    });
  });
  return out.take();
}

namespace detail {

Efficiencies parse_efficiencies(std::string_view text, const std::string& source) {
  TextStream stream(memory_source(text), source);
  const json document = read_json(stream);
  const Place root(source);
  const ObjectView fields(document, root, "efficiencies, as `partita calibrate` writes them");
  const std::int64_t version = fields.integer("version", "the version of the format, 1");
  if (version != kVersion) {
    root.member("version").fail(ErrorKind::Unsupported,
                                fmt::format("found {}; this program reads version {}", version, kVersion));
  }
  Efficiencies table = calibrated_efficiencies();
  const Place place = root.member("efficiencies");
  const json& rows = fields.array("efficiencies", "a list with the efficiencies of each family");
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Place row = place.element(i);
    read_row(rows[i], row, table);
  }
  return table;
}

}  // namespace detail

Efficiencies read_efficiencies(const std::string& path) {
  const std::string source = source_name(path);
  return parse_efficiencies(read_to_end(*unpacked(file_source(path), source), source), source);
}

}  // namespace partita
