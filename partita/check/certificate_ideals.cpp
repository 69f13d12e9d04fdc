// SPDX-License-Identifier: Apache-2.0
#include "partita/check/certificate_ideals.h"

#include <fmt/format.h>

#include "partita/check/names.h"
#include "partita/check/stage_search.h"

namespace partita::detail {

CertificateVerdict verify_ideals(const Platform& platform, const ClaimInstance& instance, int places, Budget& budget) {
  const std::size_t part = budget.limits().memory_bytes / 4;
  const std::string too_much = fmt::format("checking it takes more than {} of memory",
                                           human_bytes(static_cast<double>(budget.limits().memory_bytes)));
  const std::optional<StageClaim> stages = stage_claim(platform, instance, part);
  if (!stages || StageWindows::bytes_for(*stages, places) > static_cast<double>(part)) return {false, too_much, true};
  const StageWindows windows(*stages, StageWindows::Measure::Work, places, budget);
  switch (look_for_chain(*stages, windows, budget)) {
    case ChainAnswer::None: return {true, "", false};
    case ChainAnswer::Some: return {false, "some chain of ideals is within the limit", false};
    case ChainAnswer::NoTime: return {false, "the limit of time was reached before all ideals were found", true};
    case ChainAnswer::NoMemory: break;
  }
  return {false, too_much, true};
}

}  // namespace partita::detail
