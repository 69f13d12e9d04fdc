// SPDX-License-Identifier: Apache-2.0
// llama.cpp deals its layers and the output, which counts as one more, out over the devices of -dev in their order
// (src/llama-model.cpp, load_tensors): unit i of n goes to the first device whose share of -ts, added up and divided by
// the sum, is above i / n. Counts that add up to n are hit exactly, as both sides are the same division. With -ngl g the
// first n - g units stay on the CPU. The input layer is always on the CPU; a layer's cache is where the layer is.
//
// A weight may be elsewhere than its layer (-ot, the first regular expression that is found in its name), and its
// product is then computed there. So a plan that cuts inside layers is written as the layers of their attention, with
// its cache, and single weights that are elsewhere.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "partita/write/engines/device_names.h"
#include "partita/write/engines/gguf_tensors.h"
#include "partita/write/engines/layer_pipeline.h"
#include "partita/write/engines/quoting.h"
#include "partita/write/engines/refusal.h"

namespace partita::detail {
namespace {

class LlamaPlacement {
 public:
  LlamaPlacement(const Engine& engine, const ExportRequest& request)
      : engine_(engine),
        request_(request),
        graph_(request.problem.workload->graph),
        layers_(layer_nodes(engine, request).forward) {
    for (std::size_t i = 0; i < layers_.size(); ++i) device_of_unit_.push_back(device_of_layer(i));
    find_ends();
    for (std::size_t i = 0; i < layers_.size(); ++i) find_overrides(i);
    check_runs();
  }

  Exported write() const {
    const std::size_t on_hosts = static_cast<std::size_t>(
        std::ranges::count_if(device_of_unit_, [this](DeviceId d) { return is_host(request_, d); }));
    std::string devices, counts, lines;
    for (std::size_t begin = 0, end = 0; begin < device_of_unit_.size(); begin = end) {
      while (end < device_of_unit_.size() && device_of_unit_[end] == device_of_unit_[begin]) ++end;
      const DeviceId device = device_of_unit_[begin];
      lines += fmt::format("# {}: {}\n", comment_text(request_.problem.workload->platform.device_name(device)),
                           units_text(begin, end));
      if (is_host(request_, device)) continue;
      devices += (devices.empty() ? "" : ",") + engine_name(request_, device, "CUDA", "CPU");
      counts += fmt::format("{}{}", counts.empty() ? "" : ",", end - begin);
    }
    std::string command = fmt::format("llama-server -m \"$MODEL\" -ngl {}", device_of_unit_.size() - on_hosts);
    if (!devices.empty()) command += fmt::format(" -sm layer -dev {} -ts {}", shell_word(devices), counts);
    if (!overrides_.empty()) command += " \\\n  -ot " + shell_word(override_text());
    Exported exported{{{"llama.cpp.sh", lines + command + "\n"}}, notes_};
    return exported;
  }

 private:
  DeviceId device(NodeId v) const { return request_.split.device_of[v]; }
  std::span<const std::string> weights(NodeId v) const {
    if (request_.weights.empty()) return {};
    return request_.weights[v];
  }

  // Where its attention is, which keeps the cache; else where most of its weights are, or its first operator.
  DeviceId device_of_layer(std::size_t layer) const {
    std::map<DeviceId, double> bytes;
    for (NodeId v : layers_[layer]) {
      if (graph_.nodes[v].op == "Attention") return device(v);
      bytes[device(v)] += graph_.nodes[v].parts.weights;
    }
    return std::ranges::max_element(bytes, {}, [](const auto& entry) { return entry.second; })->first;
  }

  // The output has the device of the head: the last operator with weights behind the layers. What comes before them has
  // none to choose.
  void find_ends() {
    std::vector<PipelineUnit> behind;
    bool elsewhere = false;
    for (const PipelineUnit& unit : end_units(engine_, request_)) {
      if (unit.place == PipelineUnit::Place::Behind) behind.push_back(unit);
      if (unit.place == PipelineUnit::Place::Before && !is_host(request_, unit.device)) elsewhere = true;
    }
    device_of_unit_.push_back(behind.empty() ? device_of_unit_.back() : behind.back().device);
    if (device_of_unit_[layers_.size()] != device_of_unit_[layers_.size() - 1] &&
        !layers_are_complete(graph_, request_.weights)) {
      refuse_plan(engine_,
                  fmt::format("{} is on another device than the last layer, and may be a part of it, as the model does "
                              "not say of all weights which layer they are of",
                              graph_.nodes[behind.front().nodes.front()].name),
                  "");
    }
    if (elsewhere)
      notes_.push_back("llama.cpp keeps the input layer on the CPU, whatever device the plan has for the embedding");
    for (std::size_t i = 0; i + 1 < behind.size(); ++i) {
      if (behind[i].device == behind.back().device) continue;
      if (behind.size() > 2) {
        refuse_plan(engine_,
                    "what comes behind the layers is on several devices, and llama.cpp keeps the output on one", "");
      }
      // Not "output" alone, which is also a part of the names of every layer's attention.
      overrides_[{behind[i].device, "^output_norm\\."}] = {};
    }
  }

  void find_overrides(std::size_t layer) {
    std::map<std::string, DeviceId> device_of_tensor;
    for (NodeId v : layers_[layer]) {
      if (!holds_weights(graph_, request_.weights, v)) continue;
      const std::vector<std::string> tensors = gguf_tensors(graph_.nodes[v].name, weights(v));
      if (tensors.empty() && device(v) != device_of_unit_[layer]) {
        refuse_plan(
            engine_,
            fmt::format("the plan cuts inside layer {}: {} is on {}, and what llama.cpp calls its weights is not "
                        "known here",
                        layer, graph_.nodes[v].name, request_.problem.workload->platform.device_name(device(v))),
            "PlanOptions::contract_layers");
      }
      for (const std::string& tensor : tensors) {
        const auto [entry, is_new] = device_of_tensor.emplace(tensor, device(v));
        if (!is_new && entry->second != device(v)) {
          refuse_plan(engine_,
                      fmt::format("parts of the tensor blk.{}.{} are on {} and on {}, and llama.cpp keeps it on one "
                                  "device",
                                  layer, tensor, request_.problem.workload->platform.device_name(entry->second),
                                  request_.problem.workload->platform.device_name(device(v))),
                      "PlanOptions::contract_layers");
        }
      }
    }
    for (const auto& [tensor, where] : device_of_tensor)
      if (where != device_of_unit_[layer]) overrides_[{where, tensor}].push_back(layer);
  }

  // First the host, if it has any, then each accelerator once.
  void check_runs() const {
    std::set<DeviceId> seen;
    bool accelerators = false;
    for (std::size_t i = 0; i < device_of_unit_.size(); ++i) {
      const DeviceId d = device_of_unit_[i];
      if (is_host(request_, d)) {
        if (!accelerators) continue;
        refuse_plan(engine_,
                    fmt::format("{} is on the host and what comes before it on an accelerator; llama.cpp leaves the "
                                "first layers to the host",
                                units_text(i, i + 1)),
                    "PlatformOverrides::hosts = 0");
      }
      accelerators = true;
      if (i > 0 && device_of_unit_[i - 1] == d) continue;
      if (seen.insert(d).second) continue;
      refuse_plan(
          engine_,
          fmt::format("{} has {} and layers before it, with another device between; llama.cpp gives each device "
                      "one run of layers",
                      request_.problem.workload->platform.device_name(d), units_text(i, i + 1)),
          "Question::shape = staged");
    }
  }

  std::string units_text(std::size_t begin, std::size_t end) const {
    const std::size_t layers = std::min(end, layers_.size());
    std::string text;
    if (begin < layers)
      text = layers - begin == 1 ? fmt::format("layer {}", begin) : fmt::format("layers {} to {}", begin, layers - 1);
    if (end > layers_.size()) text += text.empty() ? "the output" : ", the output";
    return text;
  }

  std::string override_text() const {
    std::string text;
    for (const auto& [key, layers] : overrides_) {
      const std::string device = engine_name(request_, key.first, "CUDA", "CPU");
      std::string numbers = fmt::format("{}", fmt::join(layers, "|"));
      if (layers.size() > 1) numbers = "(" + numbers + ")";
      text += text.empty() ? "" : ",";
      text += layers.empty() ? fmt::format("{}={}", key.second, device)
                             : fmt::format("blk\\.{}\\.{}\\.={}", numbers, regex_text(key.second), device);
    }
    return text;
  }

  const Engine& engine_;
  const ExportRequest& request_;
  const Graph& graph_;
  std::vector<std::vector<NodeId>> layers_;
  std::vector<DeviceId> device_of_unit_;                                            // layers, then the output
  std::map<std::pair<DeviceId, std::string>, std::vector<std::size_t>> overrides_;  // tensor to layers; none: outside
  std::vector<std::string> notes_;
};

}  // namespace

Exported write_llama_cpp(const Engine& engine, const ExportRequest& request) {
  return LlamaPlacement(engine, request).write();
}

}  // namespace partita::detail
