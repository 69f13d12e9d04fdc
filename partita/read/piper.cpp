// SPDX-License-Identifier: Apache-2.0
// Piper's nodes [Tarnawski-NeurIPS'21] have their forward and backward pass in one, and for each degree of tensor
// parallelism one or two ways to run (TMPCs): as it is, and with activations recomputed. Those for one device are read:
//
//   time p                     timePerSample of the plain way, in seconds
//   weights w                  parameterSize, what copies of a stage exchange
//   optimizer state            memoryUsageB - w: Piper keeps B once
//   activation                 memoryUsageA, for each sample in flight
//   recompute_activation       memoryUsageA of the other way; without one there is nothing to gain: A again
//   recompute_share            (p' - p) / p
//   cost of an edge            2 c / B: activations one way, gradients the other, in a stage's load on either side
//   sync bandwidth             B N / 4: Piper's 4 (d - 1) w / (d N B) is our (d - 1) w / (d sync bandwidth)
//
// with c = communicationCost, B = bandwidth, N = mbsInBatch. One difference remains: Piper pays for every edge of a
// cut, we for every output once on each side.
#include "partita/read/piper.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "partita/read/bytes.h"
#include "partita/read/fields.h"
#include "partita/read/json_document.h"
#include "partita/read/json_words.h"
#include "partita/read/memory_meter.h"
#include "partita/read/planner_file.h"
#include "partita/read/source_label.h"
#include "partita/util/error.h"

namespace partita::detail {
namespace {

using nlohmann::json;

constexpr const char* kPiperExpected =
    "an input of Piper: an object with maxDevices, maxMemoryPerDevice, bandwidth, mbsInBatch, nodes and edges";

// One way to run a node.
struct Way {
  std::string id;
  double time = 0;
  double parameters = 0;
  double for_each_sample = 0;  // memoryUsageA
  double once = 0;             // memoryUsageB
  bool syncs = false;
};

bool any_positive(const ObjectView& fields, const char* key) {
  const json* table = fields.find(key);
  if (!table || !table->is_object()) return false;
  return std::ranges::any_of(*table, [](const json& value) { return value.is_number() && value.get<double>() > 0; });
}

Way read_way(const json& value, const Place& place) {
  const ObjectView fields(value, place, "a way to run the node: an object with timePerSample");
  Way way;
  way.id = fields.text("id", "a text").value_or("");
  way.time = fields.amount("timePerSample", "the time of a sample in seconds, a number, 0 or more");
  way.parameters = fields.amount("parameterSize", "bytes of weights, a number, 0 or more");
  way.for_each_sample = fields.amount("memoryUsageA", "bytes kept of each sample in flight, a number, 0 or more");
  way.once = fields.amount("memoryUsageB", "bytes kept once, a number, 0 or more");
  way.syncs = any_positive(fields, "syncTimeFw") || any_positive(fields, "syncTimeBw");
  return way;
}

bool recomputes(const Way& way) {
  std::string small = way.id;
  std::ranges::transform(small, small.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return small.find("recomp") != std::string::npos;
}

class PiperBuilder final : public DocumentListener {
 public:
  PiperBuilder(const std::string& source, const PlatformOverrides& overrides, const ReadOptions& options)
      : source_(source), overrides_(overrides), meter_(options.memory) {}

  const char* expected() const override { return kPiperExpected; }
  Keep keep(const std::string& key) override { return key == "nodes" || key == "edges" ? Keep::Elements : Keep::All; }

  void element(const std::string& key, std::size_t index, const json& value, const json&) override {
    const Place list = root_.member(key);
    Place place = list.element(index);
    if (key == "nodes") {
      add_node(value, place);
    } else {
      add_edge(value, place, index);
    }
  }

  Workload finish(const json& document) {
    const ObjectView file(document, root_, kPiperExpected);
    file.array("nodes", "the list of nodes");
    file.array("edges", "the list of edges");
    const double bandwidth = positive(file, "bandwidth", "bytes per second");
    const double batches = positive(file, "mbsInBatch", "the number of microbatches of a batch");
    const PlatformSpec devices = planner_devices(overrides_, own_platform(file, bandwidth, batches), source_);
    workload_.name = label_of(source_);
    workload_.time_unit = "s";
    workload_.platform = devices.platform;
    for (NodeId v : workload_.graph.nodes.all()) {
      workload_.graph.nodes[v].time = accelerator_times(devices, times_[v.index()]);
    }
    connect(bandwidth);
    finish_planner_file(workload_, source_);
    workload_.notes = devices.notes;
    note(degrees_, "have ways to run on several devices, which are passed over: tensor parallelism is not read");
    note(syncs_, "exchange something on one device (syncTimeFw, syncTimeBw), which is passed over");
    note(small_, "keep less once (memoryUsageB) than their weights (parameterSize), which count");
    note(faster_, "are faster where they recompute; they count as equally fast");
    return std::move(workload_);
  }

 private:
  double positive(const ObjectView& file, const char* key, const char* what) const {
    const double value = file.amount(key, what);
    if (value == 0) root_.member(key).fail(ErrorKind::BadNumber, fmt::format("found 0; expected {}, above 0", what));
    return value;
  }

  Platform own_platform(const ObjectView& file, double bandwidth, double batches) const {
    constexpr const char* kDevices = "the number of devices, an integer, 1 or more";
    const std::int64_t count = file.integer("maxDevices", kDevices);
    if (count < 1 || count > kMaxDevicesOfAKind) {
      root_.member("maxDevices").fail(ErrorKind::BadPlatform, fmt::format("found {}; expected {}", count, kDevices));
    }
    Platform platform =
        make_platform(static_cast<int>(count), file.amount("maxMemoryPerDevice", "bytes of a device"), 0);
    platform.sync_bandwidth = bandwidth * batches / 4;
    if (!std::isfinite(platform.sync_bandwidth) || platform.sync_bandwidth == 0) {
      root_.member("bandwidth")
          .fail(ErrorKind::BadNumber, fmt::format("{} is out of range with mbsInBatch {}", bandwidth, batches));
    }
    return platform;
  }

  void note(std::size_t nodes, const char* what) {
    if (nodes > 0) workload_.notes.push_back(fmt::format("{}: {} nodes {}", source_, nodes, what));
  }

  void add_node(const json& value, Place& place) {
    const ObjectView fields(value, place, "a node: an object with id and TMPCs");
    Node node;
    node.original_id = fields.integer("id", "the id of the node, an integer");
    place.set_node_id(node.original_id);
    node.name = fields.text("name", "a text").value_or("");
    const json* ways = fields.find("TMPCs");
    const Place ways_place = place.member("TMPCs");
    if (!ways || !ways->is_object())
      fail_type(ways ? *ways : json(), ways_place, "an object: ways to run by number of devices");
    const auto alone = ways->find("1");
    const Place alone_place = ways_place.member("1");
    if (alone == ways->end() || !alone->is_array() || alone->empty()) {
      alone_place.fail(ErrorKind::Unsupported,
                       "is missing; expected a way to run the node on one device: tensor parallelism is not read");
    }
    if (alone->size() > 2) {
      alone_place.fail(
          ErrorKind::Unsupported,
          fmt::format("is a list of {}; expected one way to run, or two of which one recomputes", alone->size()));
    }
    degrees_ += ways->size() > 1;
    read_ways(*alone, alone_place, node);
    const auto [entry, is_new] = by_id_.emplace(node.original_id, NodeId(workload_.graph.nodes.size()));
    if (!is_new)
      place.fail(ErrorKind::BadGraph, "has the same id as another node; expected ids that are all different");
    meter_.add(2 * sizeof(Node) + 64 + node.name.capacity(), place);
    workload_.graph.nodes.push_back(std::move(node));
  }

  void read_ways(const json& list, const Place& place, Node& node) {
    Way plain = read_way(list[0], place.element(0));
    std::optional<Way> other;
    if (list.size() == 2) {
      other = read_way(list[1], place.element(1));
      const bool swapped =
          recomputes(plain) != recomputes(*other) ? recomputes(plain) : plain.for_each_sample < other->for_each_sample;
      if (swapped) std::swap(plain, *other);
    }
    syncs_ += plain.syncs;
    small_ += plain.once < plain.parameters;
    times_.push_back(plain.time);
    const MemoryParts parts{plain.parameters, std::max(0.0, plain.once - plain.parameters), plain.for_each_sample, 0};
    double share = 0;
    if (other && plain.time > 0) {
      faster_ += other->time < plain.time;
      share = std::max(0.0, (other->time - plain.time) / plain.time);
      if (!std::isfinite(share)) place.fail(ErrorKind::BadNumber, "recomputing takes more than 1e300 times as long");
    }
    node.set_memory(std::nullopt, parts, share);
    node.parts.recompute_activation = other ? other->for_each_sample : plain.for_each_sample;
  }

  void add_edge(const json& value, const Place& place, std::size_t index) {
    const ObjectView fields(value, place, "an edge: an object with sourceId, destId and communicationCost");
    constexpr const char* kEnd = "the id of a node, an integer";
    edges_.push_back({fields.integer("sourceId", kEnd), fields.integer("destId", kEnd),
                      fields.amount("communicationCost", "bytes, a number, 0 or more"), index});
    meter_.add(2 * (sizeof(ListedEdge) + sizeof(Edge)), place);
  }

  void connect(double bandwidth) {
    const Place list = root_.member("edges");
    for (const ListedEdge& edge : edges_) {
      const Place place = list.element(edge.index);
      const auto node_with = [&](std::int64_t id, const char* key) {
        const auto entry = by_id_.find(id);
        if (entry == by_id_.end()) {
          place.member(key).fail(ErrorKind::BadGraph,
                                 fmt::format("no node has id {}; expected the id of one of the nodes", id));
        }
        return entry->second;
      };
      const NodeId from = node_with(edge.from, "sourceId");
      const NodeId to = node_with(edge.to, "destId");
      const double cost = 2 * edge.bytes / bandwidth;
      if (!std::isfinite(cost))
        place.member("communicationCost").fail(ErrorKind::BadNumber, "takes longer than the largest number");
      std::optional<double>& bytes = workload_.graph.nodes[from].output_bytes;
      bytes = std::max(bytes.value_or(0), edge.bytes);
      workload_.graph.edges.push_back({from, to, cost});
    }
  }

  struct ListedEdge {
    std::int64_t from;
    std::int64_t to;
    double bytes;
    std::size_t index;
  };

  const std::string source_;
  const Place root_{source_};
  const PlatformOverrides& overrides_;
  Workload workload_;
  std::vector<double> times_;
  std::vector<ListedEdge> edges_;
  std::unordered_map<std::int64_t, NodeId> by_id_;
  MemoryMeter meter_;
  // Nodes with something odd.
  std::size_t degrees_ = 0;
  std::size_t syncs_ = 0;
  std::size_t small_ = 0;
  std::size_t faster_ = 0;
};

Workload read_text(TextStream text, const PlatformOverrides& overrides, const ReadOptions& options) {
  PiperBuilder builder(text.source(), overrides, options);
  return builder.finish(read_json(text, builder));
}

}  // namespace

bool looks_like_piper(std::string_view beginning) {
  return json_has_word(beginning, "TMPCs") || json_has_word(beginning, "maxMemoryPerDevice");
}

Workload read_piper(const std::string& path, const PlatformOverrides& overrides, const ReadOptions& options) {
  return read_text(TextStream(file_source(path), source_name(path)), overrides, options);
}

Workload parse_piper(std::string_view bytes, const std::string& source, const PlatformOverrides& overrides,
                     const ReadOptions& options) {
  return read_text(TextStream(memory_source(bytes), source), overrides, options);
}

}  // namespace partita::detail
