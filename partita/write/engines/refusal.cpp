// SPDX-License-Identifier: Apache-2.0
#include "partita/write/engines/refusal.h"

#include <fmt/format.h>

#include "partita/util/error.h"
#include "partita/util/visible_text.h"

namespace partita::detail {

void refuse_export(const Engine& engine, const std::string& problem) {
  throw InputError(ErrorKind::Unsupported, fmt::format("export to {}", engine.name), visible(problem));
}

void refuse_plan(const Engine& engine, const std::string& problem, const std::string& field) {
  refuse_export(engine,
                fmt::format("{}; plan with {}`--for {}`", problem, field.empty() ? "" : field + " or ", engine.name));
}

}  // namespace partita::detail
