// SPDX-License-Identifier: Apache-2.0
// Writes certificates as versioned JSON (docs/formats.md); partita/read/certificate.h reads them back.
#pragma once

#include <string>

#include "partita/model/certificate.h"
#include "partita/model/problem.h"

namespace partita::detail {

std::string certificate_json(const Problem& problem, const Certificate& certificate);

}  // namespace partita::detail
