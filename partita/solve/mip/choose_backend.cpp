// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/mip/choose_backend.h"

#include <fmt/format.h>

#include "partita/solve/mip/cbc_backend.h"
#include "partita/solve/mip/highs_backend.h"
#include "partita/util/error.h"
#include "partita/util/visible_text.h"

namespace partita::detail {

namespace {

// HiGHS proves more: docs/algorithms/integer-programs.md.
bool is_highs(const MipSettings& settings) {
  return settings.backend == "highs" || (settings.backend == "auto" && highs_is_here());
}

}  // namespace

void require_backend(const MipSettings& settings) {
  constexpr const char* kWhere = "mip.backend";
  if (!is_highs(settings) && settings.backend != "auto" && settings.backend != "cbc")
    throw InputError(ErrorKind::Usage, kWhere,
                     fmt::format("found '{}'; expected auto, cbc or highs", visible(settings.backend)));
  if (is_highs(settings) && !highs_is_here())
    throw InputError(ErrorKind::Unsupported, kWhere,
                     "this build has no HiGHS; CBC is there (mip.backend=cbc), and a build finds HiGHS where it is "
                     "installed or `./dev highs` has built it");
}

std::unique_ptr<MipBackend> choose_backend(const MipSettings& settings) {
  require_backend(settings);
  if (is_highs(settings)) return std::make_unique<HighsBackend>(settings);
  return std::make_unique<CbcBackend>(settings);
}

}  // namespace partita::detail
