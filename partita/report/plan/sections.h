// SPDX-License-Identifier: Apache-2.0
// The parts of a plan, in the order in which it has them; docs/formats.md says what is in them. As in json_parts.h,
// `add_...` adds fields to the plan, and `write_...` writes the value of one.
#pragma once

#include <vector>

#include "partita/check/check.h"
#include "partita/check/cut_tensors.h"
#include "partita/model/problem.h"
#include "partita/model/result.h"
#include "partita/report/plan/device_lists.h"
#include "partita/report/plan_json.h"
#include "partita/util/json_writer.h"

namespace partita::detail {

// For latency: how many subgraphs an accelerator may run, and what the host cores do.
void add_latency_question(const Problem& problem, const Result& result, const CheckReport& report, JsonWriter& json);

// From the status to the seed.
void add_result(const Result& result, JsonWriter& json);
// The settings that differ from their defaults, and statistics where somebody asked for them.
void add_run(RunRecord run, JsonWriter& json);
// The proof, why there is no split, and what a split is worth.
void add_verdict(const Problem& problem, const Result& result, JsonWriter& json);

// What all devices behind a link move over it, and which of devices and links is the slowest; nothing without such links.
void add_shared_links(const Problem& problem, const CheckReport& report, JsonWriter& json);

// Everything that was asked, so that whoever reads the plan need not be told again.
void write_whole_question(const Problem& problem, const PlatformSpec& devices, const RunRecord& run, JsonWriter& json);

// Which graph it is: its file, how that was read, and a fingerprint.
void write_model(const Problem& problem, const ModelRecord& model, JsonWriter& json);
// What the plan's figures are in.
void write_units(const Problem& problem, JsonWriter& json);

// What is of a split follows. Precondition: result.split.
void write_planned_devices(const Problem& problem, const Result& result, const CheckReport& report,
                           const std::vector<CutTensor>& cuts, const PlacesInList& places, JsonWriter& json);
// The tensors that pass between devices; the devices list them by their places here, in the same order.
void write_cuts(const Problem& problem, const std::vector<CutTensor>& cuts, const PlacesInList& places,
                JsonWriter& json);
// By original id; nodes without a name are left out.
void write_node_names(const Problem& problem, JsonWriter& json);
void write_assignment(const Problem& problem, const Split& split, const PlacesInList& places, JsonWriter& json);
void write_schedule(const Problem& problem, const CheckReport& report, const PlacesInList& places, JsonWriter& json);

}  // namespace partita::detail
