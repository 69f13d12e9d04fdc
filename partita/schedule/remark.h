// SPDX-License-Identifier: Apache-2.0
// Why a schedule takes another time per sample than the formula says, in a sentence with numbers.
#pragma once

#include <string>
#include <vector>

#include "partita/schedule/steps.h"

namespace partita {

// Equal up to this share.
inline constexpr double kSameTime = 1e-9;

// For all schedules but 1f1b by turns. Empty where time per sample and formula are equal.
std::string remark_on(const Problem& problem, const Simulation& simulation);

// 1f1b by turns; also looks for a number of samples in flight that would keep the formula, by running short streams.
std::string one_f_one_b_remark(const Problem& problem, const std::vector<DeviceId>& order, const Pieces& pieces,
                               const Steps& steps, const Simulation& simulation);

}  // namespace partita
