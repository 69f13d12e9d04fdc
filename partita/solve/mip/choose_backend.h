// SPDX-License-Identifier: Apache-2.0
// Which solver is asked, by MipSettings::backend.
#pragma once

#include <memory>

#include "partita/model/settings/mip.h"
#include "partita/solve/mip/backend.h"

namespace partita::detail {

// Throws InputError(Unsupported) where the solver that is asked for is not in this build, and InputError(Usage) where
// nobody knows it. Needs no memory otherwise.
void require_backend(const MipSettings& settings);

// The same, and the solver.
std::unique_ptr<MipBackend> choose_backend(const MipSettings& settings);

}  // namespace partita::detail
