// SPDX-License-Identifier: Apache-2.0
#include "partita/model/phase.h"

#include <array>
#include <cassert>

namespace partita {

const char* to_string(Phase phase) {
  switch (phase) {
    case Phase::In: return "in";
    case Phase::Compute: return "compute";
    case Phase::Out: return "out";
    case Phase::Sync: return "sync";
  }
  assert(false && "no such phase");
  return "";
}

std::optional<Phase> parse_phase(std::string_view text) {
  for (const Phase phase : std::array{Phase::In, Phase::Compute, Phase::Out, Phase::Sync}) {
    if (text == to_string(phase)) return phase;
  }
  return std::nullopt;
}

}  // namespace partita
