// SPDX-License-Identifier: Apache-2.0
// The parts of a page's data, each written as the value of its field; web/src/data.ts says what is in them.
#pragma once

#include <vector>

#include "partita/report/page.h"
#include "partita/util/json_writer.h"

namespace partita::detail {

void write_question(const Problem& problem, JsonWriter& json);
void write_devices(const Platform& platform, JsonWriter& json);
// Where each node is drawn; in the boxes of its pieces where there is a legal split.
void write_graph(const PageContent& content, JsonWriter& json);
// Precondition: there is a result.
void write_plan(const PageContent& content, JsonWriter& json);
// The samples whose intervals fit on a page, the first one in any case.
void write_timeline(const Simulation& simulation, JsonWriter& json);
// Where value or bound moved; thinned evenly, with the first and the last point kept.
void write_convergence(const std::vector<Progress>& progress, JsonWriter& json);
void write_comparison(const Comparison& comparison, JsonWriter& json);
void write_sweep(const Sweep& sweep, JsonWriter& json);

inline constexpr std::size_t kMostConvergencePoints = 300;
inline constexpr std::size_t kMostCuts = 50;

}  // namespace partita::detail
