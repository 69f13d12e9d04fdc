// SPDX-License-Identifier: Apache-2.0
#include "partita/write/engines/modules.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <span>
#include <string_view>

#include "partita/write/engines/refusal.h"

namespace partita::detail {
namespace {

// "/model/layers.3/mlp/MatMul" is "model.layers.3.mlp.MatMul".
std::string dotted(std::string_view name) {
  while (name.starts_with('/')) name.remove_prefix(1);
  std::string path(name);
  std::ranges::replace(path, '/', '.');
  return path;
}

// The module that a weight is a parameter of: all but the last word.
std::string module_of_weight(std::string_view weight) {
  const std::size_t dot = weight.rfind('.');
  return std::string(dot == std::string_view::npos ? weight : weight.substr(0, dot));
}

std::vector<std::string> words_of(std::string_view path) {
  std::vector<std::string> words;
  while (true) {
    const std::size_t dot = path.find('.');
    words.emplace_back(path.substr(0, dot));
    if (dot == std::string_view::npos) return words;
    path.remove_prefix(dot + 1);
  }
}

// "3", and "layer_3".
bool is_numbered(std::string_view word) {
  const std::size_t bar = word.rfind('_');
  if (bar != std::string_view::npos) word.remove_prefix(bar + 1);
  return !word.empty() && std::ranges::all_of(word, [](unsigned char c) { return std::isdigit(c) != 0; });
}

std::vector<std::string> common_words(const std::vector<std::string>& paths) {
  std::vector<std::string> common = words_of(paths.front());
  for (const std::string& path : paths) {
    const std::vector<std::string> words = words_of(path);
    const auto differ = std::mismatch(common.begin(), common.end(), words.begin(), words.end());
    common.erase(differ.first, common.end());
  }
  return common;
}

class ModuleFinder {
 public:
  ModuleFinder(const Engine& engine, const ExportRequest& request) : engine_(engine), request_(request) {}

  std::vector<std::string> of_layer(const PipelineUnit& unit) const {
    std::vector<std::string> paths;
    for (NodeId v : unit.nodes)
      for (const std::string& weight : weights(v))
        if (weight.find('.') != std::string::npos) paths.push_back(dotted(weight));
    if (paths.empty()) {
      for (NodeId v : unit.nodes) paths.push_back(dotted(graph().nodes[v].name));
    }
    if (paths.front().starts_with("blk.")) {
      refuse_export(engine_,
                    fmt::format("the names are those of a GGUF file, and {} needs modules of PyTorch; plan and "
                                "export with the model's config.json",
                                engine_.title));
    }
    std::vector<std::string> common = common_words(paths);
    const auto number = std::ranges::find_if(common, [](const std::string& word) { return is_numbered(word); });
    if (number == common.end()) {
      refuse_export(engine_, fmt::format("the operators of layer {} have no module in common: there are {} and {}; "
                                         "plan and export with the model's config.json",
                                         unit.layer, paths.front(), paths.back()));
    }
    common.erase(number + 1, common.end());
    return {fmt::format("{}", fmt::join(common, "."))};
  }

  // A head that has the table of the embedding for its weights is a module of its own all the same.
  std::vector<std::string> of_end(const PipelineUnit& unit) const {
    std::vector<std::string> modules;
    const auto add = [&modules](std::string module) {
      if (std::ranges::find(modules, module) == modules.end()) modules.push_back(std::move(module));
    };
    for (NodeId v : unit.nodes) {
      for (const std::string& weight : weights(v)) {
        if (weight.find('.') == std::string::npos) {
          refuse_export(engine_, fmt::format("the weights of {} are called {}, which names no module; plan and export "
                                             "with the model's config.json",
                                             graph().nodes[v].name, weight));
        }
        add(module_of_weight(dotted(weight)));
      }
      const std::string own = dotted(graph().nodes[v].name);
      if (modules.empty() || (unit.place == PipelineUnit::Place::Behind && is_tied(unit, v))) add(own);
    }
    return modules;
  }

 private:
  const Graph& graph() const { return request_.problem.workload->graph; }
  std::span<const std::string> weights(NodeId v) const {
    if (request_.weights.empty()) return {};
    return request_.weights[v];
  }

  // Does somebody else have its weights too?
  bool is_tied(const PipelineUnit& unit, NodeId v) const {
    if (request_.weights.empty()) return false;
    const auto own = weights(v);
    for (NodeId other : request_.weights.all()) {
      if (std::ranges::find(unit.nodes, other) != unit.nodes.end()) continue;
      for (const std::string& weight : weights(other))
        if (std::ranges::find(own, weight) != own.end()) return true;
    }
    return false;
  }

  const Engine& engine_;
  const ExportRequest& request_;
};

}  // namespace

std::vector<std::vector<std::string>> unit_modules(const Engine& engine, const ExportRequest& request,
                                                   const LayerPipeline& pipeline) {
  const ModuleFinder finder(engine, request);
  std::vector<std::vector<std::string>> modules;
  std::set<std::string> layers;
  for (const PipelineUnit& unit : pipeline.units) {
    const bool is_layer = unit.place == PipelineUnit::Place::Layer;
    modules.push_back(is_layer ? finder.of_layer(unit) : finder.of_end(unit));
    if (is_layer && !layers.insert(modules.back().front()).second) {
      refuse_export(engine,
                    fmt::format("layer {} and one before it are both in the module {}; plan and export with the "
                                "model's config.json",
                                unit.layer, modules.back().front()));
    }
  }
  return modules;
}

}  // namespace partita::detail
