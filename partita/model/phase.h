// SPDX-License-Identifier: Apache-2.0
// What a device does at a time: reads, computes, writes, or exchanges weights with the others of its stage.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace partita {

enum class Phase : std::uint8_t { In, Compute, Out, Sync };

const char* to_string(Phase phase);  // "in", "compute", "out", "sync"
std::optional<Phase> parse_phase(std::string_view text);

}  // namespace partita
