// SPDX-License-Identifier: Apache-2.0
// ONNX Runtime places nodes by rules "device(pattern, ...); ..." (session.name_based_layer_assignment,
// core/framework/layering_annotations.cc). A pattern is a part of a node's name, and the longest one that is found in it
// wins. Here every node's whole name is a pattern: no longer one can be found in it, so each node gets its own. A session
// has one execution provider of a kind, so that there is one accelerator beside the CPU. What has no kernel where it
// should run goes elsewhere.
#include <fmt/format.h>

#include <map>
#include <string>
#include <string_view>

#include "partita/util/json_writer.h"
#include "partita/write/engines/device_names.h"
#include "partita/write/engines/engine.h"
#include "partita/write/engines/refusal.h"

namespace partita::detail {
namespace {

// The rules have no quotes: blanks around a name are dropped, and these end it.
bool can_be_pattern(std::string_view name) {
  constexpr std::string_view kBlank = " \t\n\v\f\r";
  return !name.empty() && name.find_first_of("(),;") == std::string_view::npos && name.front() != '=' &&
         kBlank.find(name.front()) == std::string_view::npos && kBlank.find(name.back()) == std::string_view::npos;
}

}  // namespace

Exported write_onnxruntime(const Engine& engine, const ExportRequest& request) {
  const Graph& graph = request.problem.workload->graph;
  const Platform& platform = request.problem.workload->platform;
  std::map<std::string, std::string> patterns;  // by device
  DeviceId accelerator;
  for (NodeId v : graph.nodes.all()) {
    const Node& node = graph.nodes[v];
    if (node.op == "input" || node.op == "output") continue;  // tensors, not operators
    const DeviceId device = request.split.device_of[v];
    if (!is_host(request, device)) {
      if (accelerator.valid() && accelerator != device) {
        refuse_export(engine,
                      fmt::format("the plan uses {} and {}, and a session has one accelerator; plan for one "
                                  "accelerator and a host, or export to triton or genai, which run a session for "
                                  "each stage",
                                  platform.device_name(accelerator), platform.device_name(device)));
      }
      accelerator = device;
    }
    if (!can_be_pattern(node.name)) {
      refuse_export(engine,
                    fmt::format("a node is called '{}', and names in the rules of ONNX Runtime have none of ( ) , "
                                "; in them, no = at the beginning and no blanks at the ends; rename it in the "
                                "model",
                                node.name));
    }
    std::string& list = patterns[engine_name(request, device, "gpu:", "cpu")];
    list += (list.empty() ? "" : ",") + node.name;
  }
  std::string rules;
  for (const auto& [device, names] : patterns)
    rules += fmt::format("{}{}({})", rules.empty() ? "" : ";", device, names);
  JsonWriter json(JsonLayout::Pretty);
  json.object([&] { json.field("session.name_based_layer_assignment", rules); });
  return {{{"session_options.json", json.take()}}, {}};
}

}  // namespace partita::detail
