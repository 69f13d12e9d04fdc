// SPDX-License-Identifier: Apache-2.0
// Graphs: from files, from arrays, on other devices; their fields as arrays.
#include <fmt/format.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <filesystem>
#include <map>

#include "partita/check/describe.h"
#include "partita/model/graph_builder.h"
#include "partita/read/workload.h"
#include "partita/report/workload_json.h"
#include "partita/util/error.h"
#include "python/bindings/arrays.h"
#include "python/bindings/handles.h"
#include "python/bindings/model_arguments.h"

namespace partita::python {
namespace {

using Handle = std::shared_ptr<GraphHandle>;

// Names and edges of a model whose operators have no costs yet.
Workload uncosted(const Network& network) {
  Workload workload{.name = network.name, .graph = {}, .platform = {}};
  std::map<TensorId, NodeId> maker;
  for (const Operator& op : network.operators) {
    const NodeId id(workload.graph.nodes.size());
    Node node;
    node.original_id = static_cast<std::int64_t>(id.index());
    node.name = op.name;
    node.op = op.kind;
    node.layer = op.layer;
    for (WeightId weight : op.weights) node.memory += network.weights[weight].bytes;
    workload.graph.nodes.push_back(std::move(node));
    for (TensorId tensor : op.inputs)
      if (const auto from = maker.find(tensor); from != maker.end()) workload.graph.edges.push_back({from->second, id});
    for (TensorId tensor : op.outputs) maker.emplace(tensor, id);
  }
  return workload;
}

void read_into(GraphHandle& graph, const PlatformHandle* platform) {
  if (graph.is_model && !(platform && platform->overrides.platform)) {
    if (platform) {
      throw InputError(ErrorKind::Usage, "PlatformOverrides::platform",
                       fmt::format("numbers of devices are not enough for {}, which is a model and has no costs of its "
                                   "own; expected known devices, such as 4xa100",
                                   graph.path));
    }
    graph.workload = uncosted(detail::read_model_network(graph.path, graph.model));
    return;
  }
  detail::QuestionOptions question = graph_question(graph);
  if (platform) {
    question.platform = platform->overrides;
    const bool physical = platform->overrides.platform && is_physical(*platform->overrides.platform);
    if (physical && !graph.is_model) detail::refuse_physical(platform->text, graph.source());
  }
  graph.workload = detail::read_question_workload(question, &graph.devices);
  graph.costed = graph.has_devices = true;
}

Handle read(const std::string& path, const PlatformHandle* platform, const nb::dict& arguments, bool strict) {
  auto graph = std::make_shared<GraphHandle>();
  graph->path = path;
  graph->strict = strict;
  graph->model = model_options(arguments);
  const nb::gil_scoped_release released;
  graph->is_model = detail::is_model(path);
  read_into(*graph, platform);
  return graph;
}

Handle parse(const std::string& text, const std::string& source, const PlatformHandle* platform) {
  auto graph = std::make_shared<GraphHandle>();
  const nb::gil_scoped_release released;
  graph->workload =
      parse_workload(text, source, platform ? platform->overrides : PlatformOverrides{}, {}, &graph->devices);
  graph->costed = graph->has_devices = true;
  return graph;
}

struct NodeArrays {
  TwoDimensional<double> times;
  std::optional<OneDimensional<double>> memory;
  std::optional<std::vector<std::string>> names, ops;
  std::optional<std::vector<std::optional<std::int64_t>>> colours, layers;
  std::optional<OneDimensional<bool>> backward;
};

// One column of times: no host can run anything. Two: the second is that of hosts.
std::vector<double> times_of(const NodeArrays& nodes, std::size_t v, std::size_t classes) {
  std::vector<double> times;
  for (std::size_t c = 0; c < nodes.times.shape(1); ++c)
    times.push_back(nodes.times.data()[v * nodes.times.shape(1) + c]);
  times.resize(classes, kCannotRun);
  return times;
}

NodeSpec node_spec(const NodeArrays& nodes, std::size_t v, std::size_t classes) {
  NodeSpec spec;
  spec.time = times_of(nodes, v, classes);
  if (nodes.memory) spec.memory = nodes.memory->data()[v];
  if (nodes.names) spec.name = (*nodes.names)[v];
  if (nodes.ops) spec.op = (*nodes.ops)[v];
  if (nodes.colours) spec.colour = (*nodes.colours)[v];
  if (nodes.layers) spec.layer = (*nodes.layers)[v];
  if (nodes.backward) spec.backward = nodes.backward->data()[v];
  return spec;
}

// Shapes agree: python/partita/graph.py has seen to it.
Handle from_arrays(const NodeArrays& nodes, const TwoDimensional<std::int64_t>& edges,
                   const OneDimensional<double>& costs, const PlatformHandle* platform, const std::string& name,
                   const std::string& unit) {
  const bool whole = platform && platform->overrides.platform;
  if (whole && is_physical(*platform->overrides.platform))
    detail::refuse_physical(platform->text, "the array of times");
  PlatformSpec devices;
  devices.platform = whole ? platform->overrides.platform->platform : make_platform(1, kUnlimited, 0);
  if (platform && !whole) override_devices(platform->overrides, devices.platform);
  GraphBuilder builder(devices.platform);
  for (std::size_t v = 0; v < nodes.times.shape(0); ++v)
    builder.add_node(node_spec(nodes, v, devices.platform.classes.size()));
  for (std::size_t e = 0; e < edges.shape(0); ++e) {
    const std::int64_t* ends = edges.data() + 2 * e;
    builder.add_edge(NodeId(static_cast<std::size_t>(ends[0])), NodeId(static_cast<std::size_t>(ends[1])),
                     costs.data()[e]);
  }
  auto graph = std::make_shared<GraphHandle>();
  graph->workload = builder.build(name, unit);
  graph->devices = std::move(devices);
  graph->costed = true;
  graph->has_devices = platform != nullptr;
  return graph;
}

std::vector<std::string> texts(const GraphHandle& graph, std::string Node::*field) {
  std::vector<std::string> result;
  for (const Node& node : graph.workload->graph.nodes) result.push_back(node.*field);
  return result;
}

template <class Value, class Of>
std::vector<Value> by_node(const GraphHandle& graph, Of of) {
  std::vector<Value> result;
  result.reserve(graph.workload->graph.nodes.size());
  for (const Node& node : graph.workload->graph.nodes) result.push_back(of(node));
  return result;
}

nb::ndarray<nb::numpy, double> times(const GraphHandle& graph) {
  std::vector<double> flat;
  const auto& nodes = graph.workload->graph.nodes;
  for (const Node& node : nodes) flat.insert(flat.end(), node.time.begin(), node.time.end());
  return numpy_array(std::move(flat), {nodes.size(), graph.workload->platform.classes.size()});
}

nb::ndarray<nb::numpy, std::int64_t> edge_ends(const GraphHandle& graph) {
  std::vector<std::int64_t> flat;
  for (const Edge& edge : graph.workload->graph.edges) {
    flat.push_back(static_cast<std::int64_t>(edge.from.index()));
    flat.push_back(static_cast<std::int64_t>(edge.to.index()));
  }
  return numpy_array(std::move(flat), {graph.workload->graph.edges.size(), 2});
}

nb::ndarray<nb::numpy, double> edge_costs(const GraphHandle& graph) {
  std::vector<double> costs;
  for (const Edge& edge : graph.workload->graph.edges) costs.push_back(edge.cost);
  return numpy_array(std::move(costs));
}

std::shared_ptr<const PlatformHandle> platform_of(const GraphHandle& graph) {
  auto handle = std::make_shared<PlatformHandle>();
  handle->overrides.platform =
      graph.devices.platform.classes.empty() ? PlatformSpec{graph.workload->platform} : graph.devices;
  return handle;
}

std::string describe(const GraphHandle& graph) {
  if (graph.has_devices) return detail::describe_workload(Problem(graph.workload));
  const Graph& inside = graph.workload->graph;
  return fmt::format("{}: {} nodes, {} edges{}", graph.workload->name, inside.nodes.size(), inside.edges.size(),
                     graph.costed ? "" : "; no costs yet: plan it on a platform");
}

}  // namespace

std::shared_ptr<const GraphHandle> on_platform(std::shared_ptr<const GraphHandle> graph,
                                               const PlatformHandle* platform) {
  if (!platform) {
    if (graph->has_devices) return graph;
    throw InputError(ErrorKind::Usage, "PlatformOverrides::platform",
                     graph->is_model ? fmt::format("{} is a model, which has no costs of its own; say on which devices "
                                                   "it is to run, as in PlatformOverrides::platform = 4xa100",
                                                   graph->path)
                                     : std::string("the graph does not say on which devices it is to run; expected "
                                                   "numbers, as in Platform.of(accelerators=2)"));
  }
  auto other = std::make_shared<GraphHandle>(*graph);
  read_into(*other, platform);
  return other;
}

detail::QuestionOptions graph_question(const GraphHandle& graph) {
  detail::QuestionOptions question;
  question.workload = graph.source();
  question.model = graph.model;
  question.strict = graph.strict;
  if (graph.path.empty()) question.text = workload_json(graph.workload);
  return question;
}

void bind_graphs(nb::module_& module) {
  nb::class_<NodeArrays>(module, "NodeArrays")
      .def(nb::init<>())
      .def_rw("times", &NodeArrays::times)
      .def_rw("memory", &NodeArrays::memory)
      .def_rw("names", &NodeArrays::names)
      .def_rw("ops", &NodeArrays::ops)
      .def_rw("colours", &NodeArrays::colours)
      .def_rw("layers", &NodeArrays::layers)
      .def_rw("backward", &NodeArrays::backward);
  nb::class_<GraphHandle>(module, "Graph")
      .def_static("read", &read, nb::arg("path"), nb::arg("platform").none(), nb::arg("model"), nb::arg("strict"))
      .def_static("parse", &parse, nb::arg("text"), nb::arg("source"), nb::arg("platform").none())
      .def_static("from_arrays", &from_arrays, nb::arg("nodes"), nb::arg("edges"), nb::arg("costs"),
                  nb::arg("platform").none(), nb::arg("name"), nb::arg("unit"))
      .def(
          "on",
          [](std::shared_ptr<const GraphHandle> graph, const PlatformHandle* platform) {
            const nb::gil_scoped_release released;
            return on_platform(std::move(graph), platform);
          },
          nb::arg("platform").none())
      .def("__len__", [](const GraphHandle& graph) { return graph.workload->graph.nodes.size(); })
      .def_prop_ro("path", [](const GraphHandle& graph) { return graph.path; })
      .def_prop_ro("name", [](const GraphHandle& graph) { return graph.workload->name; })
      .def_prop_ro("unit", [](const GraphHandle& graph) { return graph.workload->time_unit; })
      .def_prop_ro("notes", [](const GraphHandle& graph) { return graph.workload->notes; })
      .def_prop_ro("is_model", [](const GraphHandle& graph) { return graph.is_model; })
      .def_prop_ro("costed", [](const GraphHandle& graph) { return graph.costed; })
      .def_prop_ro("has_devices", [](const GraphHandle& graph) { return graph.has_devices; })
      .def_prop_ro("fingerprint", [](const GraphHandle& graph) { return fingerprint(graph.workload->graph); })
      .def("platform", &platform_of)
      .def("names", [](const GraphHandle& graph) { return texts(graph, &Node::name); })
      .def("ops", [](const GraphHandle& graph) { return texts(graph, &Node::op); })
      .def("ids",
           [](const GraphHandle& graph) {
             return numpy_array(by_node<std::int64_t>(graph, [](const Node& node) { return node.original_id; }));
           })
      .def("times", &times)
      .def("memory",
           [](const GraphHandle& graph) {
             return numpy_array(by_node<double>(graph, [](const Node& node) { return node.memory; }));
           })
      .def("backward",
           [](const GraphHandle& graph) {
             return numpy_array(by_node<std::uint8_t>(
                 graph, [](const Node& node) { return static_cast<std::uint8_t>(node.backward); }));
           })
      .def("colours",
           [](const GraphHandle& graph) {
             return by_node<std::optional<std::int64_t>>(graph, [](const Node& node) { return node.colour; });
           })
      .def("layers",
           [](const GraphHandle& graph) {
             return by_node<std::optional<std::int64_t>>(graph, [](const Node& node) { return node.layer; });
           })
      .def("edges", &edge_ends)
      .def("edge_costs", &edge_costs)
      .def("describe", &describe)
      .def("json", [](const GraphHandle& graph) { return workload_json(graph.workload); });
}

}  // namespace partita::python
