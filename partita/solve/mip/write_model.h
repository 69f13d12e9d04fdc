// SPDX-License-Identifier: Apache-2.0
// A linear model as text that every mixed-integer solver reads.
#pragma once

#include <string>

#include "partita/model/program_format.h"
#include "partita/solve/mip/linear_model.h"

namespace partita::detail {

// `comment` goes to the head of the file; it may have several lines, and is made visible. Numbers are written so that
// they read back exactly.
std::string model_text(const LinearModel& model, ModelFormat format, const std::string& comment);

}  // namespace partita::detail
