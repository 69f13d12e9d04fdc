// SPDX-License-Identifier: Apache-2.0
// The numbers that the paper reports, from the file tables.json beside its workloads (docs/formats.md).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "partita/model/paper.h"

namespace partita::detail {

// Throughput, granularity and latency, in this order. Throws InputError.
std::vector<PaperTable> read_paper_tables(const std::string& path);
std::vector<PaperTable> parse_paper_tables(std::string_view bytes, const std::string& source);

}  // namespace partita::detail
