// SPDX-License-Identifier: Apache-2.0
// Why a schedule takes another time per sample than the formula says, in a sentence with numbers.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "partita/schedule/simulation.h"

namespace partita::detail {

// Equal up to this share.
inline constexpr double kSameTime = 1e-9;

// For all schedules but 1f1b by turns. Empty where time per sample and formula are equal.
std::string remark_on(const Problem& problem, const Simulation& simulation);

// 1f1b by turns. Where that breaks the formula, also says what the same pieces take round by round, which keeps it, and
// how many samples that has in flight: `round_by_round` runs it.
std::string one_f_one_b_remark(const Problem& problem, const std::vector<DeviceId>& order, const Simulation& simulation,
                               const std::function<Simulation()>& round_by_round);

}  // namespace partita::detail
