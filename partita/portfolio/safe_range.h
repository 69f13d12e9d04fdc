// SPDX-License-Identifier: Apache-2.0
// Times in a range in which solvers can multiply two of them without under- or overflow.
//
// All times and costs of a question are multiplied by one power of two on the way in, and value and bound divided by it
// on the way out. Powers of two change no digit, so the answer is the one for the question as it was asked. Ordinary
// numbers (from about 1e-138 to 1e138) are left as they are. Tests: tests/portfolio/magnitudes_test.cpp.
#pragma once

#include "partita/model/problem.h"
#include "partita/portfolio/plan.h"
#include "partita/util/progress.h"

namespace partita::detail {

// By which power of two times have to be multiplied; 0 where they are in the range. Throws InputError(BadNumber) where
// none helps: the largest time is more than 2^900 times the least, or weights and bandwidth do not go with them.
int exponent_to_safe_range(const Problem& problem);

// The same question with its unit of time divided by 2^exponent.
Problem with_times_scaled(const Problem& problem, int exponent);

// What comes out of that question, in the unit of the original one.
Sink scaled_back(const Sink& sink, int exponent);
void scale_back(const Problem& original, int exponent, Plan& plan);

}  // namespace partita::detail
