// SPDX-License-Identifier: Apache-2.0
#include "partita/model/validate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "partita/model/graph_checks.h"
#include "partita/model/shared_links.h"
#include "partita/util/error.h"

namespace partita {

using namespace detail;

namespace {

[[noreturn]] void fail(ErrorKind kind, std::string where, const std::string& problem) {
  throw InputError(kind, std::move(where), problem);
}

bool is_amount(double number) { return std::isfinite(number) && number >= 0; }

// --- platforms -----------------------------------------------------------------------------------

// As deep as a file may nest its objects.
constexpr std::size_t kDeepestCluster = 250;

void check_class(const DeviceClass& one, const std::string& where) {
  if (one.name.empty()) fail(ErrorKind::BadPlatform, where + ".name", "is empty; expected the class's name");
  if (one.kind != DeviceKind::Accelerator && one.kind != DeviceKind::Host)
    fail(ErrorKind::BadPlatform, where + ".kind", "is neither an accelerator nor a host");
  if (one.count < 0 || one.count > kMaxDevicesOfAKind) {
    fail(ErrorKind::BadPlatform, where + ".count",
         fmt::format("found {}; expected a number of devices from 0 to {}", one.count, kMaxDevicesOfAKind));
  }
  if (!(one.memory >= 0)) {
    fail(ErrorKind::BadPlatform, where + ".memory",
         fmt::format("found {}; expected bytes, 0 or more, or kUnlimited", one.memory));
  }
  if (!is_amount(one.link_factor) || (one.kind == DeviceKind::Host && one.link_factor != 1)) {
    fail(ErrorKind::BadPlatform, where + ".link_factor",
         fmt::format("found {}; expected {}", one.link_factor,
                     one.kind == DeviceKind::Host ? "1, as hosts pay for no transfer" : "a number, 0 or more"));
  }
  if (!is_amount(one.contention) || one.contention < 1) {
    fail(ErrorKind::BadPlatform, where + ".contention",
         fmt::format("found {}; expected how many times as long nodes take beside others, from 1 on", one.contention));
  }
  if (!is_amount(one.link_latency) || (one.kind == DeviceKind::Host && one.link_latency != 0)) {
    fail(ErrorKind::BadPlatform, where + ".link_latency",
         fmt::format("found {}; expected {}", one.link_latency,
                     one.kind == DeviceKind::Host ? "0, as hosts pay for no transfer" : "a time, 0 or more"));
  }
}

void check_names(const Platform& platform) {
  std::vector<std::string> names;
  for (const DeviceClass& one : platform.classes) names.push_back(one.name);
  std::ranges::sort(names);
  const auto twice = std::ranges::adjacent_find(names);
  if (twice != names.end()) {
    fail(ErrorKind::BadPlatform, "platform.classes",
         fmt::format("two classes are called \"{}\"; expected names that are all different", *twice));
  }
}

void check_clusters(const Platform& platform) {
  constexpr const char* kWhere = "platform.clusters";
  IdVector<ClassId, std::int64_t> held(platform.classes.size(), 0);
  std::vector<std::pair<const Cluster*, std::size_t>> open{{&*platform.clusters, 1}};
  std::size_t clusters = 0;
  while (!open.empty()) {
    const auto [cluster, depth] = open.back();
    open.pop_back();
    if (++clusters > kMaxClusters || depth > kDeepestCluster) {
      fail(
          ErrorKind::BadPlatform, kWhere,
          fmt::format("expected at most {} clusters, and at most {} around each other", kMaxClusters, kDeepestCluster));
    }
    if (!is_amount(cluster->factor))
      fail(ErrorKind::BadPlatform, kWhere, fmt::format("found factor {}; expected 0 or more", cluster->factor));
    if (cluster->link && cluster->factor != 1) {
      fail(ErrorKind::BadPlatform, kWhere,
           fmt::format("found factor {} beside a link, which takes its place; expected factor 1", cluster->factor));
    }
    if (cluster->link && (!is_amount(cluster->link->factor) || !is_amount(cluster->link->latency))) {
      fail(ErrorKind::BadPlatform, kWhere,
           fmt::format("found a link with factor {} and latency {}; expected 0 or more for both", cluster->link->factor,
                       cluster->link->latency));
    }
    if (cluster->devices.size() != platform.classes.size()) {
      fail(ErrorKind::BadPlatform, kWhere,
           fmt::format("a cluster has {} entries in devices; expected {}, one for each class of the platform",
                       cluster->devices.size(), platform.classes.size()));
    }
    for (ClassId c : held.all()) {
      const int count = cluster->devices[c];
      if (count < 0) fail(ErrorKind::BadPlatform, kWhere, fmt::format("found {} devices; expected 0 or more", count));
      held[c] += count;
    }
    for (const Cluster& inside : cluster->clusters) open.emplace_back(&inside, depth + 1);
  }
  for (ClassId c : held.all()) {
    if (held[c] == platform.classes[c].count) continue;
    fail(ErrorKind::BadPlatform, fmt::format("platform.classes[{}].count", c.index()),
         fmt::format("found {}, but the clusters hold {} devices of the class; expected the same",
                     platform.classes[c].count, held[c]));
  }
}

// Precondition: the classes and clusters are sound.
void check_shared_links(const Platform& platform) {
  if (platform.shared_links.size() > kMaxSharedLinks) {
    fail(ErrorKind::BadPlatform, "platform.shared_links",
         fmt::format("there are {}; expected at most {}", platform.shared_links.size(), kMaxSharedLinks));
  }
  for (std::size_t i = 0; i < platform.shared_links.size(); ++i) {
    const SharedLinkFault fault = shared_link_fault(platform, i);
    if (!fault.text.empty())
      fail(ErrorKind::BadPlatform, fmt::format("platform.shared_links[{}].{}", i, fault.field), fault.text);
  }
}

// --- graphs --------------------------------------------------------------------------------------

std::string name_of(NodeId v) { return fmt::format("graph.nodes[{}]", v.index()); }

void check_amount(NodeId v, const char* field, double number) {
  if (is_amount(number)) return;
  fail(ErrorKind::BadNumber, fmt::format("{}.{}", name_of(v), field),
       fmt::format("found {}; expected a number, 0 or more", number));
}

void check_node(const Platform& platform, const Node& node, NodeId v) {
  if (node.time.size() != platform.classes.size()) {
    fail(ErrorKind::BadField, name_of(v) + ".time",
         fmt::format("has {} entries; expected {}, one for each class of the platform", node.time.size(),
                     platform.classes.size()));
  }
  bool runs = false;
  for (const double time : node.time) {
    if (time == kCannotRun) continue;
    check_amount(v, "time", time);
    runs = true;
  }
  if (!runs) {
    fail(ErrorKind::Infeasible, name_of(v) + ".time",
         "the node runs on no class of the platform; give it a time on one of them");
  }
  check_amount(v, "memory", node.memory);
  check_amount(v, "parts.weights", node.parts.weights);
  check_amount(v, "parts.gradients", node.parts.gradients);
  check_amount(v, "parts.optimizer_state", node.parts.optimizer_state);
  check_amount(v, "parts.activation", node.parts.activation);
  check_amount(v, "parts.recompute_activation", node.parts.recompute_activation);
  check_amount(v, "recompute_share", node.recompute_share);
  check_amount(v, "output_bytes", node.output_bytes.value_or(0));
}

void check_ids(const Graph& graph) {
  std::vector<std::int64_t> ids;
  ids.reserve(graph.nodes.size());
  for (const Node& node : graph.nodes) ids.push_back(node.original_id);
  if (!std::ranges::is_sorted(ids)) std::ranges::sort(ids);
  const auto twice = std::ranges::adjacent_find(ids);
  if (twice != ids.end()) {
    fail(ErrorKind::BadGraph, "graph.nodes",
         fmt::format("two nodes have the original_id {}; expected ids that are all different", *twice));
  }
}

void check_edge(const Graph& graph, std::size_t i) {
  const Edge& edge = graph.edges[i];
  const auto where = [i](const char* field) { return fmt::format("graph.edges[{}]{}", i, field); };
  for (const auto& [end, field] : {std::pair{edge.from, ".from"}, std::pair{edge.to, ".to"}}) {
    if (!end.valid() || end.index() >= graph.nodes.size())
      fail(ErrorKind::BadGraph, where(field), "is no node of the graph; expected the id of one of its nodes");
  }
  if (!is_amount(edge.cost))
    fail(ErrorKind::BadNumber, where(".cost"), fmt::format("found {}; expected a number, 0 or more", edge.cost));
  if (const std::string fault = edge_fault(graph, edge); !fault.empty()) fail(ErrorKind::BadGraph, where(""), fault);
}

// --- questions -----------------------------------------------------------------------------------

void at_least(int least, int number, const char* field) {
  if (number >= least) return;
  fail(ErrorKind::Usage, field, fmt::format("found {}; expected at least {}", number, least));
}

template <class Value>
void check_value(Value value, const char* field) {
  if (std::strcmp(to_string(value), "?") == 0) fail(ErrorKind::Usage, field, "is none of its values");
}

// --- wishes --------------------------------------------------------------------------------------

void check_wished_node(const Graph& graph, NodeId v, const std::string& where) {
  if (!v.valid() || v.index() >= graph.nodes.size())
    fail(ErrorKind::Usage, where, "is no node of the graph; expected the id of one of its nodes");
}

void check_lists(const Graph& graph, const std::vector<std::vector<NodeId>>& lists, const char* field) {
  for (std::size_t i = 0; i < lists.size(); ++i) {
    for (NodeId v : lists[i]) check_wished_node(graph, v, fmt::format("Problem::wishes.{}[{}]", field, i));
  }
}

void check_wishes(const Workload& workload, const Wishes& wishes) {
  const Platform& platform = workload.platform;
  for (std::size_t i = 0; i < wishes.pins.size(); ++i) {
    const auto where = [i](const char* field) { return fmt::format("Problem::wishes.pins[{}].{}", i, field); };
    check_wished_node(workload.graph, wishes.pins[i].node, where("node"));
    const auto check_id = [&](auto id, std::size_t count, const char* what) {
      if (!id.valid() || id.index() >= count)
        fail(ErrorKind::Usage, where("to"), fmt::format("is no {} of the platform", what));
    };
    if (const DeviceId* device = std::get_if<DeviceId>(&wishes.pins[i].to)) {
      check_id(*device, platform.device_count(), "device");
    } else {
      check_id(std::get<ClassId>(wishes.pins[i].to), platform.classes.size(), "class");
    }
  }
  check_lists(workload.graph, wishes.together, "together");
  check_lists(workload.graph, wishes.apart, "apart");
}

}  // namespace

void validate(const Platform& platform) {
  if (platform.classes.empty() || platform.classes.size() > kMaxClasses) {
    fail(ErrorKind::BadPlatform, "platform.classes",
         fmt::format("there are {}; expected from 1 to {} classes", platform.classes.size(), kMaxClasses));
  }
  for (ClassId c : platform.classes.all())
    check_class(platform.classes[c], fmt::format("platform.classes[{}]", c.index()));
  check_names(platform);
  if (platform.clusters) check_clusters(platform);
  check_shared_links(platform);
  if (const std::string fault = device_fault(platform); !fault.empty()) fail(ErrorKind::BadPlatform, "platform", fault);
  if (!(platform.sync_bandwidth > 0)) {
    fail(ErrorKind::BadPlatform, "platform.sync_bandwidth",
         fmt::format("found {}; expected bytes per unit of time, above 0, or kUnlimited", platform.sync_bandwidth));
  }
}

void validate(const Workload& workload) {
  validate(workload.platform);
  const Graph& graph = workload.graph;
  if (graph.nodes.empty()) fail(ErrorKind::BadGraph, "graph.nodes", "there are none; expected at least one node");
  if (std::max(graph.nodes.size(), graph.edges.size()) > std::numeric_limits<std::int32_t>::max())
    fail(ErrorKind::BadGraph, "graph", "there are more nodes or edges than can be numbered (2^31 - 1)");
  for (NodeId v : graph.nodes.all()) check_node(workload.platform, graph.nodes[v], v);
  check_ids(graph);
  for (std::size_t i = 0; i < graph.edges.size(); ++i) check_edge(graph, i);
  if (const std::string fault = cycle_fault(graph); !fault.empty()) fail(ErrorKind::BadGraph, "graph.edges", fault);
  if (const std::string fault = number_fault(workload); !fault.empty()) fail(ErrorKind::BadNumber, "graph", fault);
}

void validate(const Question& question) {
  check_value(question.objective, "Question::objective");
  check_value(question.shape, "Question::shape");
  check_value(question.transfers, "Question::transfers");
  check_value(question.memory_model, "Question::memory_model");
  at_least(1, question.subgraphs, "Question::subgraphs");
  at_least(1, question.replicas, "Question::replicas");
  at_least(0, question.microbatches, "Question::microbatches");
  if (question.memory_model == MemoryModel::GPipe && question.microbatches == 0) {
    fail(ErrorKind::Usage, "Question::memory_model",
         "gpipe keeps the activations of all microbatches; say how many with Question::microbatches");
  }
}

void validate(const Problem& problem) {
  validate(static_cast<const Question&>(problem));
  validate(*problem.workload);
  check_wishes(*problem.workload, problem.wishes);
}

}  // namespace partita
