// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/mip/choose_backend.h"

#include <fmt/format.h>

#include "partita/solve/mip/cbc_backend.h"
#include "partita/solve/mip/highs_backend.h"
#include "partita/util/error.h"
#include "partita/util/visible_text.h"

namespace partita::detail {

std::unique_ptr<MipBackend> choose_backend(const MipSettings& settings) {
  constexpr const char* kWhere = "mip.backend";
  // HiGHS proves more: docs/algorithms/integer-programs.md.
  const bool highs = settings.backend == "highs" || (settings.backend == "auto" && highs_is_here());
  if (!highs && settings.backend != "auto" && settings.backend != "cbc")
    throw InputError(ErrorKind::Usage, kWhere,
                     fmt::format("found '{}'; expected auto, cbc or highs", visible(settings.backend)));
  if (!highs) return std::make_unique<CbcBackend>(settings);
  if (!highs_is_here())
    throw InputError(ErrorKind::Unsupported, kWhere,
                     "this build has no HiGHS; CBC is there (mip.backend=cbc), and a build finds HiGHS where it is "
                     "installed or `./dev highs` has built it");
  return std::make_unique<HighsBackend>(settings);
}

}  // namespace partita::detail
