// SPDX-License-Identifier: Apache-2.0
#include "partita/report/json_parts.h"

#include "partita/util/version.h"

namespace partita::detail {

void add_format(const char* format, int format_version, JsonWriter& json) {
  json.key("partita").object([&] {
    json.field("format", format);
    json.field("version", format_version);
    json.field("program_version", version());
  });
}

void add_time_unit(const std::string& unit, JsonWriter& json) {
  if (!unit.empty()) json.field("time_unit", unit);
}

void add_pass(const PassLoad& pass, JsonWriter& json) {
  json.field("compute", pass.compute);
  json.field("in", pass.in);
  json.field("out", pass.out);
}

void write_pass(const PassLoad& pass, JsonWriter& json) {
  json.object([&] { add_pass(pass, json); });
}

}  // namespace partita::detail
