// SPDX-License-Identifier: Apache-2.0
// The paper's tables, found anew, as versioned JSON (docs/formats.md).
#pragma once

#include <string>
#include <vector>

#include "partita/model/paper.h"
#include "partita/report/compare_json.h"

namespace partita::detail {

std::string paper_json(const std::vector<PaperTable>& tables, const CompareJsonOptions& options);

}  // namespace partita::detail
