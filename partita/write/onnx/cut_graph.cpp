// SPDX-License-Identifier: Apache-2.0
// From the flat model back to the nodes of the file. Which node an operator was made of is known exactly: by the node's
// place in the file and the call that it was inlined from. Names in calls that are replaced get the call's name in
// front, and a number behind where that is taken: a name must not be given twice, nor hide one of a graph around it.
// Linear, but for sorting. Tests: tests/write/split_functions_test.cpp.
#include "partita/write/onnx/cut_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "partita/util/topological_order.h"

namespace partita::detail::onnx {

namespace {

// Names that graphs around have not bound, in the order in which they are met.
struct Bound {
  std::unordered_set<std::string_view> names;
  const Bound* outer = nullptr;

  bool has(std::string_view name) const {
    for (const Bound* scope = this; scope != nullptr; scope = scope->outer) {
      if (scope->names.contains(name)) return true;
    }
    return false;
  }
};

template <class OnName>
void for_each_name(const GraphView& graph, const OnName& on_name) {
  for (const TensorView& tensor : graph.initializers) on_name(tensor.name);
  for (const SparseView& sparse : graph.sparse_initializers) on_name(sparse.values.name);
  for (const ValueView& input : graph.inputs) on_name(input.name);
  for (const NodeView& node : graph.nodes) std::ranges::for_each(node.outputs, on_name);
}

template <class OnFree>
void free_names(const NodeView& node, const Call* scope, const Bound* around, const OnFree& on_free) {
  for (const AttributeView& listed : node.attributes) {
    const AttributeView* attribute = meant_attribute(listed, scope);
    if (attribute == nullptr) continue;
    for (const GraphView& graph : attribute->graphs) {
      Bound bound{.names = {}, .outer = around};
      for_each_name(graph, [&bound](std::string_view name) { bound.names.insert(name); });
      const auto read = [&](std::string_view name) {
        if (!name.empty() && !bound.has(name)) on_free(name);
      };
      for (const NodeView& inner : graph.nodes) {
        std::ranges::for_each(inner.inputs, read);
        free_names(inner, scope, &bound, on_free);
      }
      for (const ValueView& output : graph.outputs) read(output.name);
    }
  }
}

void add_body_names(const std::vector<NodeView>& nodes, std::unordered_set<std::string>& names) {
  for (const NodeView& node : nodes) {
    for (const AttributeView& attribute : node.attributes) {
      for (const GraphView& graph : attribute.graphs) {
        for_each_name(graph, [&names](std::string_view name) { names.emplace(name); });
        add_body_names(graph.nodes, names);
      }
    }
  }
}

// What a call's operators are planned onto.
struct CallParts {
  PartId part;
  bool cut = false;
};

class ItemBuilder {
 public:
  ItemBuilder(const FlatModel& model, const std::vector<PartId>& part_of) : model_(model) {
    graph_.model = &model;
    graph_.maker.assign(model.values.size(), ItemId());
    graph_.name.assign(model.values.size(), "");
    for (const Call& call : model.calls) calls_.emplace(std::pair(call.node, call.outer), &call);
    for (const FlatNode& node : model.graph.nodes) flat_.emplace(std::pair(node.view, node.call), &node);
    const std::vector<const FlatNode*> operators = operator_nodes(model);
    for (std::size_t i = 0; i < operators.size(); ++i) {
      part_of_.emplace(operators[i], part_of[i]);
      for (const Call* call = operators[i]->call; call != nullptr; call = call->outer) join(*call, part_of[i]);
    }
  }

  CutGraph run() && {
    for (const auto& [name, value] : model_.names) {
      if (value.valid()) graph_.name[value] = name;
    }
    const bool replaces = std::ranges::any_of(parts_, [](const auto& entry) { return entry.second.cut; });
    if (replaces) {
      for (const auto& [name, value] : model_.names) graph_.taken.emplace(name);
      add_body_names(model_.view->graph.nodes, graph_.taken);
    }
    add(model_.view->graph.nodes, nullptr);
    sort();
    for (ItemId i : graph_.items.all()) {
      for (ValueId value : graph_.items[i].outputs) {
        if (value.valid()) graph_.maker[value] = i;
      }
    }
    return std::move(graph_);
  }

 private:
  void join(const Call& call, PartId part) {
    const auto [at, is_new] = parts_.emplace(&call, CallParts{part, false});
    if (!is_new && at->second.part != part) at->second.cut = true;
  }

  void add(const std::vector<NodeView>& nodes, const Call* scope) {
    for (const NodeView& view : nodes) {
      const auto at = calls_.find(std::pair(&view, scope));
      const Call* call = at == calls_.end() ? nullptr : at->second;
      const auto parts = parts_.find(call);
      if (parts != parts_.end() && parts->second.cut) {
        replace(*call);
      } else {
        add(view, scope, call, parts == parts_.end() ? PartId() : parts->second.part);
      }
    }
  }

  void add(const NodeView& view, const Call* scope, const Call* call, PartId part_of_call) {
    Item item;
    item.view = &view;
    item.scope = scope;
    const NameTable& names = names_in(model_, scope);
    const auto value = [&names](std::string_view name) { return name.empty() ? ValueId() : names.at(name); };
    for (std::string_view name : view.inputs) item.inputs.push_back(value(name));
    for (std::string_view name : view.outputs) item.outputs.push_back(value(name));
    std::set<ValueId> seen;
    const auto read = [&](ValueId id) {
      if (id.valid() && seen.insert(id).second) item.reads.push_back(id);
    };
    std::ranges::for_each(item.inputs, read);
    free_names(view, scope, nullptr, [&](std::string_view name) {
      if (const auto at = names.find(name); at != names.end()) read(at->second);
    });
    const auto flat = flat_.find(std::pair(&view, scope));
    if (call != nullptr) {
      item.part = part_of_call;
    } else if (flat != flat_.end() && !flat->second->folded) {
      item.part = part_of_.at(flat->second);
    }
    finish(std::move(item), call == nullptr);
  }

  void finish(Item item, bool is_node) {
    const auto is = [this, &item](auto what) {
      return std::ranges::all_of(item.outputs, [&](ValueId id) { return !id.valid() || what(model_.values[id]); });
    };
    if (!item.part.valid()) {
      item.cheap = true;
      item.stored = !is([](const Value& value) { return !value.weight; });
    } else if (is_node && item.view != nullptr && item.view->domain.empty()) {
      const bool asks_shape = item.view->op_type == "Shape" || item.view->op_type == "Size";
      const bool has_bodies =
          std::ranges::any_of(item.view->attributes, [](const AttributeView& one) { return !one.graphs.empty(); });
      item.cheap = asks_shape || (!has_bodies && is([](const Value& value) { return value.constant != nullptr; }));
    }
    graph_.items.push_back(std::move(item));
  }

  void replace(const Call& call) {
    const std::string& around = graph_.prefix[call.outer];
    const std::string_view name = call.node->name.empty() ? call.function->name : call.node->name;
    const std::string prefix = unique_prefix(fmt::format("{}{}", around, name));
    graph_.prefix.emplace(&call, prefix);
    for (const NodeView& node : call.function->nodes) {
      for (std::string_view output : node.outputs) {
        if (output.empty()) continue;
        std::string& its_name = graph_.name[call.names.at(output)];
        if (its_name.empty()) its_name = graph_.fresh(prefix + std::string(output));
      }
    }
    add(call.function->nodes, &call);
    for (std::size_t i = 0; i < call.node->outputs.size(); ++i) {
      const std::string_view formal = call.function->outputs[i];
      const bool is_input = std::ranges::find(call.function->inputs, formal) != call.function->inputs.end();
      if (is_input && !call.node->outputs[i].empty()) {
        pass(call, call.names.at(formal), names_in(model_, call.outer).at(call.node->outputs[i]));
      }
    }
  }

  // Names of nodes must differ too. Two calls may have one name, or none.
  std::string unique_prefix(const std::string& wanted) {
    if (node_names_.empty()) {
      for (const NodeView& node : model_.view->graph.nodes) node_names_.emplace(node.name);
    }
    std::string prefix = wanted + "/";
    for (std::size_t i = 2;; ++i) {
      const auto at = node_names_.lower_bound(prefix);
      if (at == node_names_.end() || !at->starts_with(prefix)) break;
      prefix = fmt::format("{}#{}/", wanted, i);
    }
    node_names_.insert(prefix);
    return prefix;
  }

  void pass(const Call& call, ValueId given, ValueId made) {
    Item item;
    item.scope = &call;
    item.inputs = {given};
    item.outputs = {made};
    if (given.valid()) item.reads = {given};
    for (const auto& [node, part] : part_of_) {
      if (node->outputs == item.outputs) item.part = part;
    }
    finish(std::move(item), true);
  }

  // Files need not be in order, though most are.
  void sort() {
    IdVector<ValueId, ItemId> maker(model_.values.size());
    for (ItemId i : graph_.items.all()) {
      for (ValueId value : graph_.items[i].outputs) {
        if (value.valid()) maker[value] = i;
      }
    }
    std::vector<std::pair<ItemId, ItemId>> edges;
    for (ItemId i : graph_.items.all()) {
      for (ValueId value : graph_.items[i].reads) {
        if (maker[value].valid()) edges.emplace_back(maker[value], i);
      }
    }
    if (std::ranges::all_of(edges, [](const auto& edge) { return edge.first < edge.second; })) return;
    IdVector<ItemId, Item> sorted;
    for (ItemId i : topological_order(Csr<ItemId, ItemId>(graph_.items.size(), edges))) {
      sorted.push_back(std::move(graph_.items[i]));
    }
    graph_.items = std::move(sorted);
  }

  const FlatModel& model_;
  CutGraph graph_;
  std::map<std::pair<const NodeView*, const Call*>, const Call*> calls_;
  std::map<std::pair<const NodeView*, const Call*>, const FlatNode*> flat_;
  std::unordered_map<const FlatNode*, PartId> part_of_;
  std::unordered_map<const Call*, CallParts> parts_;
  std::set<std::string> node_names_;  // of the graph, and prefixes that were given
};

}  // namespace

std::string CutGraph::fresh(const std::string& wanted) {
  std::string made = wanted;
  for (std::size_t i = 2; !taken.insert(made).second; ++i) made = fmt::format("{}#{}", wanted, i);
  return made;
}

const NameTable& names_in(const FlatModel& model, const Call* scope) {
  return scope == nullptr ? model.names : scope->names;
}

std::vector<const FlatNode*> operator_nodes(const FlatModel& model) {
  std::vector<const FlatNode*> nodes;
  for (const FlatNode& node : model.graph.nodes) {
    if (!node.folded) nodes.push_back(&node);
  }
  return nodes;
}

CutGraph cut_graph(const FlatModel& model, const std::vector<PartId>& part_of) {
  return ItemBuilder(model, part_of).run();
}

}  // namespace partita::detail::onnx
