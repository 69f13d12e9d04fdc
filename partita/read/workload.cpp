// SPDX-License-Identifier: Apache-2.0
// The paper's JSON to a Workload. Every field is checked where it is read, so that the error can name it; what holds of
// the graph as a whole comes last (model/graph_checks.h). Nodes and edges go straight into the graph while the text is
// read. Where the file names its devices after its nodes, the nodes' times wait as a few bytes each; where it has edges
// before nodes, these wait as ids. So reading takes at most about 8 bytes for a byte of text, the graph itself
// included, which takes nearly all of it. Near-linear: a hash table of ids, a sort of the edges.
#include "partita/read/workload.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <unordered_map>
#include <utility>

#include "partita/model/exact_memory.h"
#include "partita/model/graph_checks.h"
#include "partita/read/bytes.h"
#include "partita/read/fields.h"
#include "partita/read/json_document.h"
#include "partita/read/memory_meter.h"
#include "partita/read/node.h"
#include "partita/read/pipedream.h"
#include "partita/read/piper.h"
#include "partita/read/platform_object.h"
#include "partita/read/source_label.h"
#include "partita/read/time_unit.h"
#include "partita/read/unknown_fields.h"
#include "partita/util/error.h"
#include "partita/util/visible_text.h"

namespace partita {

using namespace detail;

namespace {

using nlohmann::json;
using NodesById = std::unordered_map<std::int64_t, NodeId>;

const FieldNames kFileFields{
    "a workload", {"edges", "maxCPUs", "maxFPGAs", "maxSizePerFPGA", "name", "nodes", "platform", "unit", "version"}};
// The size of what an edge moves is what its source says of its output.
const FieldNames kEdgeFields{"an edge", {"cost", "destId", "size", "sourceId"}};

constexpr std::int64_t kNewestWorkload = 1;
constexpr const char* kWorkloadExpected =
    "a workload: an object with maxFPGAs, maxCPUs, maxSizePerFPGA, nodes and edges";

// Files of other kinds are easily given where a workload belongs; "nodes is missing" would not help then.
void refuse_others(const json& document, const Place& place) {
  if (!document.is_object() || document.contains("nodes")) return;
  if (document.contains("classes")) {
    place.fail(
        ErrorKind::BadField,
        "is a platform (classes of devices), not a workload; give a workload (the file with nodes and edges), and "
        "this file with PlatformOverrides::platform");
  }
  const bool is_plan = document.contains("partita");
  if (is_plan || document.contains("fpgas") || document.contains("cpus")) {
    place.fail(ErrorKind::BadField,
               fmt::format("is a split ({}), not a workload; give the workload that it splits (the file with nodes and "
                           "edges)",
                           is_plan ? "a plan written by partita" : "fpgas and cpus"));
  }
}

int read_count(const ObjectView& file, const char* key, const std::optional<int>& override_value, const char* what) {
  if (override_value) return checked_count(*override_value, what);
  const std::string expected = fmt::format("the number of {}, an integer from 0 to {}", what, kMaxDevicesOfAKind);
  const std::int64_t count = file.integer(key, expected.c_str());
  if (count < 0 || count > kMaxDevicesOfAKind) {
    file.place().member(key).fail(ErrorKind::BadPlatform, fmt::format("found {}; expected {}", count, expected));
  }
  return static_cast<int>(count);
}

double read_memory(const ObjectView& file, const std::optional<double>& override_value) {
  if (override_value) return checked_memory(*override_value);
  constexpr const char* kKey = "maxSizePerFPGA";
  constexpr const char* kExpected = "the memory of an accelerator, in bytes, 0 or more (null for no limit)";
  if (!file.has_key(kKey)) {
    file.place().member(kKey).fail(ErrorKind::BadField, fmt::format("is missing; expected {}", kExpected));
  }
  const double memory = file.number(kKey, kExpected).value_or(kUnlimited);
  if (memory < 0) {
    file.place().member(kKey).fail(ErrorKind::BadPlatform,
                                   fmt::format("{} is negative; expected {}", memory, kExpected));
  }
  return memory;
}

Platform paper_platform(const ObjectView& file, const PlatformOverrides& overrides) {
  const int accelerators = read_count(file, "maxFPGAs", overrides.accelerators, "accelerators");
  const int hosts = read_count(file, "maxCPUs", overrides.hosts, "hosts");
  const double memory = read_memory(file, overrides.memory);
  if (accelerators == 0 && hosts == 0) {
    file.place().fail(
        ErrorKind::BadPlatform,
        "there are no devices: 0 accelerators (maxFPGAs) and 0 hosts (maxCPUs); expected at least one device");
  }
  return make_platform(accelerators, memory, hosts);
}

// Which devices there are is said in one way.
void refuse_two_platforms(const ObjectView& file) {
  if (!file.find("platform")) return;
  for (const char* key : {"maxFPGAs", "maxCPUs", "maxSizePerFPGA"}) {
    if (file.find(key)) {
      file.place().member(key).fail(ErrorKind::BadField,
                                    "is given beside platform; expected one of the two to say what devices there are");
    }
  }
}

PlatformSpec read_devices(const ObjectView& file, const PlatformOverrides& overrides, UnknownFields& unknown) {
  PlatformSpec spec;
  if (overrides.platform || file.find("platform")) {
    if (!overrides.platform) refuse_two_platforms(file);
    const Place place = file.place().member("platform");
    spec = overrides.platform
               ? *overrides.platform
               : read_platform_object(ObjectView(*file.find("platform"), place, "a platform: an object"), unknown);
    override_devices(overrides, spec.platform);
  } else {
    spec.platform = paper_platform(file, overrides);
  }
  override_links(overrides, spec);
  return spec;
}

// The paper's files have no version.
void refuse_newer(const ObjectView& file) {
  if (!file.find("version")) return;
  check_version(file, "workload", kNewestWorkload);
}

// Has the file said all that it may say of its devices?
bool knows_devices(const ObjectView& file, const PlatformOverrides& overrides) {
  if (overrides.platform || file.find("platform")) return true;
  const bool paper = file.find("maxFPGAs") || file.find("maxCPUs") || file.find("maxSizePerFPGA");
  return paper && (overrides.accelerators || file.has_key("maxFPGAs")) &&
         (overrides.hosts || file.has_key("maxCPUs")) && (overrides.memory || file.has_key("maxSizePerFPGA"));
}

// The unit of time that the file says, in a field of its own or in what people keep beside the graph.
void read_unit(const json& document, const Place& place, Workload& workload) {
  const Place meta_place = place.member("meta");
  const auto read = [&workload](const json& object, const Place& object_place) {
    const auto field = object.find("unit");
    if (field == object.end() || field->is_null()) return;
    const std::optional<std::string> unit =
        field->is_string() ? time_unit(field->get_ref<const std::string&>()) : std::nullopt;
    const std::string where = object_place.member("unit").where();
    if (!unit) {
      const std::string found = one_line(field->dump(-1, ' ', false, json::error_handler_t::replace), 60);
      workload.notes.push_back(visible(
          fmt::format("{}: found {}, so times are shown without a unit; expected ns, us, ms or s", where, found)));
    } else if (!workload.time_unit.empty() && workload.time_unit != *unit) {
      workload.notes.push_back(visible(fmt::format("{}: found {}, but the file's own unit is {}, which is taken", where,
                                                   *unit, workload.time_unit)));
    } else {
      workload.time_unit = *unit;
    }
  };
  read(document, place);
  if (const auto meta = document.find("meta"); meta != document.end() && meta->is_object()) read(*meta, meta_place);
}

std::size_t text_bytes(const Node& node) {
  return node.name.capacity() + node.op.capacity() + node.facts.family.capacity() + node.facts.output.capacity();
}

// An edge as the file has it.
struct ListedEdge {
  std::int64_t from;
  std::int64_t to;
  double cost;
};

class WorkloadBuilder final : public DocumentListener {
 public:
  WorkloadBuilder(const std::string& source, const PlatformOverrides& overrides, const ReadOptions& options)
      : source_(source), overrides_(overrides), unknown_(options.strict), meter_(options.memory) {}

  const char* expected() const override { return kWorkloadExpected; }

  Keep keep(const std::string& key) override {
    if (key == "nodes" || key == "edges") return Keep::Elements;
    if (key == "meta") return Keep::Scalars;
    if (kFileFields.has(key)) return Keep::All;
    others_.push_back(key);
    return Keep::Nothing;
  }

  void element(const std::string& key, std::size_t index, const json& value, const json& document) override {
    const Place list = root_.member(key);
    if (key == "nodes") {
      Place place = list.element(index);
      add_node(value, place, document);
    } else {
      add_edge(value, list.element(index), document);
    }
  }

  Workload finish(const json& document) {
    refuse_others(document, root_);
    const ObjectView file(document, root_, kWorkloadExpected, &kFileFields);
    refuse_newer(file);
    for (const std::string& key : others_) unknown_.look_at_field(key, root_, kFileFields);
    workload_.name = file.text("name", "the workload's name, a text").value_or(label_of(source_));
    file.array("nodes", "the list of nodes");
    if (workload_.graph.nodes.empty()) {
      root_.member("nodes").fail(ErrorKind::BadGraph, "is an empty list; expected at least one node");
    }
    if (!overrides_.platform) refuse_two_platforms(file);
    if (!times_) find_devices(file);
    read_waiting_times();
    file.array("edges", "the list of edges (it may be empty)");
    add_waiting_edges();
    drop_repeated_edges(workload_.graph);
    make_memory_sums_exact(workload_);
    check_graph();
    if (overrides_.platform) workload_.notes = overrides_.platform->notes;
    for (const std::string& line : unknown_.notes()) workload_.notes.push_back(line);
    read_unit(document, root_, workload_);
    return std::move(workload_);
  }

  // What the nodes' times were made of; once finished.
  const PlatformSpec& devices() const { return devices_; }

 private:
  void find_devices(const ObjectView& file) {
    devices_ = read_devices(file, overrides_, unknown_);
    workload_.platform = devices_.platform;
    const bool own_platform = !overrides_.platform && file.find("platform");
    times_.emplace(devices_, !own_platform);
  }

  void add_node(const json& value, Place& place, const json& document) {
    if (!times_) {
      const ObjectView file(document, root_, kWorkloadExpected, &kFileFields);
      refuse_newer(file);  // before a node of that version is taken for a bad one of this
      if (knows_devices(file, overrides_)) find_devices(file);
    }
    const ObjectView fields(value, place, "a node: an object with id, cpuLatency and fpgaLatency", &kNodeFields);
    Node node = read_node(fields, place);
    unknown_.look_at(value, place, kNodeFields);
    if (times_) {
      node.time = times_->read(fields);
    } else {
      waiting_times_.push_back(json::to_cbor(time_fields(value)));
      meter_.add(kWaitingBytes + waiting_times_.back().capacity(), place);
    }
    const auto [entry, is_new] = by_id_.emplace(node.original_id, NodeId(workload_.graph.nodes.size()));
    if (!is_new) {
      place.fail(ErrorKind::BadGraph, fmt::format("has the same id as nodes[{}]; expected ids that are all different",
                                                  entry->second.index()));
    }
    meter_.add(kNodeBytes + text_bytes(node) + node.time.capacity() * sizeof(double), place);
    workload_.graph.nodes.push_back(std::move(node));
  }

  void read_waiting_times() {
    const Place list = root_.member("nodes");
    for (std::size_t i = 0; i < waiting_times_.size(); ++i) {
      Node& node = workload_.graph.nodes[NodeId(i)];
      Place place = list.element(i);
      place.set_node_id(node.original_id);
      const json value = json::from_cbor(waiting_times_[i]);
      node.time = times_->read(ObjectView(value, place, "a node", &kNodeFields));
      meter_.add(node.time.capacity() * sizeof(double), place);
    }
    waiting_times_.clear();
  }

  void add_edge(const json& value, const Place& place, const json& document) {
    const ObjectView fields(value, place, "an edge: an object with sourceId, destId and cost", &kEdgeFields);
    constexpr const char* kEnd = "the id of a node, an integer";
    const ListedEdge edge{fields.integer("sourceId", kEnd), fields.integer("destId", kEnd),
                          fields.amount("cost", "the time to move the source's output, a number, 0 or more")};
    unknown_.look_at(value, place, kEdgeFields);
    meter_.add(kEdgeBytes, place);
    if (const auto nodes = document.find("nodes"); nodes != document.end() && nodes->is_array()) {
      connect(edge, place);
    } else {
      waiting_edges_.push_back(edge);
    }
  }

  void add_waiting_edges() {
    const Place list = root_.member("edges");
    for (std::size_t i = 0; i < waiting_edges_.size(); ++i) connect(waiting_edges_[i], list.element(i));
    waiting_edges_.clear();
  }

  NodeId node_with(std::int64_t id, const char* key, const Place& place) const {
    const auto entry = by_id_.find(id);
    if (entry == by_id_.end()) {
      place.member(key).fail(ErrorKind::BadGraph,
                             fmt::format("no node has id {}; expected the id of one of the nodes", id));
    }
    return entry->second;
  }

  void connect(const ListedEdge& listed, const Place& place) {
    const Edge edge{node_with(listed.from, "sourceId", place), node_with(listed.to, "destId", place), listed.cost};
    if (const std::string fault = edge_fault(workload_.graph, edge); !fault.empty())
      place.fail(ErrorKind::BadGraph, fault);
    workload_.graph.edges.push_back(edge);
  }

  void check_graph() const {
    if (const std::string fault = cycle_fault(workload_.graph); !fault.empty())
      root_.member("edges").fail(ErrorKind::BadGraph, fault);
    if (const std::string fault = number_fault(workload_); !fault.empty()) root_.fail(ErrorKind::BadNumber, fault);
  }

  // What each takes beside its own parts: places in tables that grow by doubling, what the allocator adds.
  static constexpr std::size_t kNodeBytes = 2 * sizeof(Node) + 64;
  static constexpr std::size_t kWaitingBytes = 64;
  static constexpr std::size_t kEdgeBytes = 2 * (sizeof(ListedEdge) + sizeof(Edge)) + 32;

  const std::string source_;
  const Place root_{source_};
  const PlatformOverrides& overrides_;
  UnknownFields unknown_;
  std::vector<std::string> others_;  // fields of the file that are not known
  Workload workload_;
  NodesById by_id_;
  PlatformSpec devices_;
  std::optional<TimesReader> times_;  // nothing: the devices are not known yet
  std::vector<std::vector<std::uint8_t>> waiting_times_;
  std::vector<ListedEdge> waiting_edges_;
  MemoryMeter meter_;
};

Workload read_workload_text(TextStream text, const PlatformOverrides& overrides, const ReadOptions& options,
                            PlatformSpec* devices) {
  WorkloadBuilder builder(text.source(), overrides, options);
  Workload workload = builder.finish(read_json(text, builder));
  if (devices) *devices = builder.devices();
  return workload;
}

// Other planners' files know one kind of device, whose times need no more telling.
Workload on_its_platform(Workload workload, PlatformSpec* devices) {
  if (devices) *devices = {.platform = workload.platform};
  return workload;
}

}  // namespace

Workload parse_workload(std::string_view bytes, const std::string& source, const PlatformOverrides& overrides,
                        const ReadOptions& options, PlatformSpec* devices) {
  if (looks_like_pipedream(bytes)) return on_its_platform(parse_pipedream(bytes, source, overrides), devices);
  if (looks_like_piper(bytes)) return on_its_platform(parse_piper(bytes, source, overrides, options), devices);
  return read_workload_text(TextStream(memory_source(bytes), source), overrides, options, devices);
}

Workload read_workload(const std::string& path, const PlatformOverrides& overrides, const ReadOptions& options,
                       PlatformSpec* devices) {
  OpenFile file = open_file(path);
  if (looks_like_pipedream(file.beginning)) return on_its_platform(read_pipedream(path, overrides), devices);
  if (looks_like_piper(file.beginning)) return on_its_platform(read_piper(path, overrides, options), devices);
  return read_workload_text(TextStream(std::move(file.bytes), source_name(path)), overrides, options, devices);
}

}  // namespace partita
