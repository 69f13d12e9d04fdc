// SPDX-License-Identifier: Apache-2.0
// The C++ side of Graph, Platform and Plan.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "partita/ask/question.h"
#include "partita/model/fingerprint.h"
#include "partita/model/platform_spec.h"
#include "partita/model/shared_workload.h"
#include "partita/portfolio/plan.h"
#include "partita/read/platform_overrides.h"
#include "partita/report/plan_json.h"
#include "partita/util/progress.h"

namespace partita::python {

// Devices: all of them, or only what is to be other than the graph says.
struct PlatformHandle {
  PlatformOverrides overrides;
  std::string text;  // as it was named; for people
};

// A graph with costs on its devices, or a model that has none yet.
struct GraphHandle {
  std::string path;            // empty: made in memory
  detail::ModelOptions model;  // how a model file was read
  bool is_model = false;       // then it can be costed on other devices
  bool costed = false;         // else `workload` has names and edges alone
  bool strict = false;
  SharedWorkload workload;
  PlatformSpec devices;      // those of the workload, with what its times were made of
  bool has_devices = false;  // a graph made in memory may leave them to who plans

  std::string source() const { return path.empty() ? workload->name : path; }
  ModelRecord record() const { return {path, "", detail::recorded(model)}; }
};

// What the caller is told of how a search ended.
enum class Ended { Searched, TimeLimit, MemoryLimit, Interrupted, Callback };

struct PlanHandle {
  std::shared_ptr<const GraphHandle> graph;
  Problem problem;
  PlatformSpec devices;
  Plan plan;
  RunRecord run;
  std::vector<Progress> progress;
  Ended ended = Ended::Searched;
  std::string certificate;  // as JSON; empty: none
};

// The file or, of a graph made in memory, the text that it is read from again, on other devices or to be judged.
detail::QuestionOptions graph_question(const GraphHandle& graph);

// The graph on these devices; on its own where there are none. Throws InputError.
std::shared_ptr<const GraphHandle> on_platform(std::shared_ptr<const GraphHandle> graph,
                                               const PlatformHandle* platform);

}  // namespace partita::python
