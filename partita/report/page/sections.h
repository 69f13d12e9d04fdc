// SPDX-License-Identifier: Apache-2.0
// The parts of a page's data, each written as the value of its field; web/src/data.ts says what is in them.
#pragma once

#include <vector>

#include "partita/report/page.h"
#include "partita/report/page/splits.h"
#include "partita/util/json_writer.h"

namespace partita::detail {

void write_question(const Problem& problem, JsonWriter& json);
void write_devices(const Platform& platform, JsonWriter& json);
// Where each node is drawn; in the boxes of its pieces where there is a legal split.
void write_graph(const PageContent& content, JsonWriter& json);
// Where each node of a split is drawn, or of a graph without one: fields of an object that is open.
void add_drawing(const Problem& problem, const Result& result, const CheckReport* report, const Simulation* simulation,
                 JsonWriter& json);
void add_edge_costs(const Graph& graph, JsonWriter& json);
// `report` is that of the split, where there is one.
void write_plan(const Problem& problem, const Result& result, const CheckReport* report, JsonWriter& json);
// The samples whose intervals fit on a page, the first one in any case.
// With the operators of pieces where there is a report.
void write_timeline(const Problem& problem, const CheckReport* report, const Simulation& simulation, JsonWriter& json);
// What was measured, beside the prediction: content.measured and content.simulation.
void write_measured(const PageContent& content, JsonWriter& json);
// Where value or bound moved; thinned evenly, with the first and the last point kept.
void write_convergence(const std::vector<Progress>& progress, JsonWriter& json);
void write_comparison(const Comparison& comparison, const PageSplits& splits, JsonWriter& json);
void write_sweep(const Sweep& sweep, const PageSplits& splits, JsonWriter& json);

inline constexpr std::size_t kMostConvergencePoints = 300;
inline constexpr std::size_t kMostCuts = 50;

}  // namespace partita::detail
