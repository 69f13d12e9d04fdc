// SPDX-License-Identifier: Apache-2.0
// Random splits of the questions of random_setup.h, most of them staged and with copies where they may be, so that many
// are legal; some of them spoiled in one way or another.
#pragma once

#include <random>

#include "partita/model/problem.h"
#include "partita/model/split.h"

namespace partita::detail {

Split random_split(const Problem& problem, std::mt19937& engine);

}  // namespace partita::detail
