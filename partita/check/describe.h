// SPDX-License-Identifier: Apache-2.0
// A problem, and a check's outcome, as plain text for people. Every line ends with a newline, but for those of
// the descriptions of problems, devices and questions. Where a width is given, no table is wider.
#pragma once

#include <string>

#include "partita/check/check.h"
#include "partita/util/text_width.h"

namespace partita::detail {

// "name: 235 nodes, 272 edges; 3 accelerators of 16 GiB, 1 host", with the name as it is. Classes with names of their
// own: "4 x v100 of 16 GiB, 1 x cpu in 2 clusters".
std::string describe_workload(const Problem& problem);

// "3 accelerators of 16 GiB, 1 host".
std::string describe_devices(const Platform& platform);

// All that is asked, in one line: "max-load, staged, transfers overlap, 3 accelerators of 16 GiB, 1 host".
std::string describe_problem(const Problem& problem);

// What a device is called together with those that share its stage: "gpu 3", or "gpu 0,3-4 x3". For a copy, its own
// name.
std::string stage_name(const Problem& problem, const CheckReport& report, DeviceId device);

// What the title of a table calls the question: "max-load, staged splits", or "latency".
std::string describe_question(Objective objective, Shape shape);

// One aligned row for each device that holds something: load, what it is made of, memory, nodes; in pipeline order
// where there is one, else by device number, the bottleneck marked. For training graphs also the load of each pass, for
// latency when the device starts and finishes. The devices that share a stage have one row, "gpu 0-2 x3"; all times are
// then averages over all samples, so that they add up to the load. The devices that hold nothing share one line at the
// end. Memory models other than the flat one have a table of their own, see below.
std::string describe_table(const Problem& problem, const CheckReport& report, std::size_t width = kAnyWidth);

// What the memory of each stage is made of, how many samples are in flight at it, and where activations are recomputed.
// Empty in the flat memory model, where the table of devices has said all.
std::string describe_memory(const Problem& problem, const CheckReport& report, std::size_t width = kAnyWidth);

// Latency: one row for each subgraph of an accelerator and for each time in which hosts are busy without a break, by
// start; a long list is cut. Then how many host cores are busy at once, as a warning if they are more than the hosts.
// Empty where there is no schedule.
std::string describe_schedule(const Problem& problem, const CheckReport& report, std::size_t width = kAnyWidth);

// The value, then "legal" or every violation on a line of its own.
std::string describe_verdict(const Problem& problem, const CheckReport& report);

}  // namespace partita::detail
