// SPDX-License-Identifier: Apache-2.0
// OpenVINO's HETERO runs each operator on the device that its "affinity" names, which must then be said of all of them.
// Reading a model makes several operators of some nodes; those that the plan does not know go where what they read is,
// and constants and inputs where they are read.
#include <fmt/format.h>

#include <set>
#include <string>
#include <vector>

#include "partita/write/engines/device_names.h"
#include "partita/write/engines/engine.h"
#include "partita/write/engines/quoting.h"

namespace partita::detail {
namespace {

constexpr const char* kOpenvinoProgram = R"(

def set_affinities(model):
    """Tells every operator of an openvino.Model where to run; then core.compile_model(model, DEVICE)."""
    ops = model.get_ordered_ops()
    chosen = {}
    for op in ops:
        device = AFFINITIES.get(op.get_friendly_name())
        if device is None:
            found = [chosen.get(value.get_node().get_name()) for value in op.input_values()]
            device = next((one for one in found if one is not None), None)
        if device is not None:
            chosen[op.get_name()] = device
    for op in reversed(ops):
        device = chosen.get(op.get_name(), FALLBACK)
        op.get_rt_info()["affinity"] = device
        for value in op.input_values():
            chosen.setdefault(value.get_node().get_name(), device)
)";

}  // namespace

Exported write_openvino(const Engine&, const ExportRequest& request) {
  const Graph& graph = request.problem.workload->graph;
  std::vector<std::string> devices;
  std::set<std::string> seen;
  std::string table;
  for (NodeId v : graph.nodes.all()) {
    const Node& node = graph.nodes[v];
    if (node.op == "input" || node.op == "output") continue;  // tensors, not operators
    const std::string device = engine_name(request, request.split.device_of[v], "GPU.", "CPU");
    if (seen.insert(device).second) devices.push_back(device);
    table += fmt::format("    {}: {},\n", python_text(node.name), python_text(device));
  }
  if (devices.empty()) devices.push_back("CPU");
  std::string text =
      fmt::format("AFFINITIES = {{\n{}}}\nDEVICE = {}\nFALLBACK = {}\n", table,
                  python_text(fmt::format("HETERO:{}", fmt::join(devices, ","))), python_text(devices.back()));
  return {{{"affinities.py", text + kOpenvinoProgram}}, {}};
}

}  // namespace partita::detail
