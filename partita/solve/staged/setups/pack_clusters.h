// SPDX-License-Identifier: Apache-2.0
// A pipeline of devices that are all next to each other, as one of a platform with clusters: stage after stage goes to
// a device that is directly there, or else into the first cluster that takes it and as many of the next ones as fit.
#pragma once

#include <optional>
#include <vector>

#include "partita/reduce/setup_instance.h"

namespace partita::detail {

// `flat` are the rules that `stages` belong to (without_clusters). None where the clusters run out of devices.
std::optional<std::vector<PipelinePart>> pack_into_clusters(const SetupRules& rules, const SetupRules& flat,
                                                            const std::vector<PipelinePart>& stages);

}  // namespace partita::detail
