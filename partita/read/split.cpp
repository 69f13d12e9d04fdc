// SPDX-License-Identifier: Apache-2.0
// Plans and the paper code's output to a SplitListing. In a plan, `devices[].nodes` is the split, and `subgraphs` and
// `backward_subgraphs` beside it say what of it runs together, `copy_of` whose nodes a device without nodes runs too;
// `assignment` repeats it for other programs and is not read.
#include "partita/read/split.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "partita/read/bytes.h"
#include "partita/read/fields.h"
#include "partita/read/json_document.h"
#include "partita/read/memory_meter.h"
#include "partita/read/platform_object.h"
#include "partita/read/unknown_fields.h"
#include "partita/util/error.h"

namespace partita {

using namespace detail;

namespace {

using nlohmann::json;

constexpr std::int64_t kNewestPlan = 2;
constexpr std::int64_t kMaxIndex = 999'999;  // as many devices as a workload may have

std::vector<std::int64_t> ids_in(const json& list, const Place& place) {
  std::vector<std::int64_t> node_ids;
  node_ids.reserve(list.size());
  for (std::size_t i = 0; i < list.size(); ++i) {
    node_ids.push_back(integer_at(list[i], place.element(i), "the id of a node, an integer"));
  }
  return node_ids;
}

std::vector<std::int64_t> read_node_ids(const ObjectView& device) {
  const json& list = device.array("nodes", "the list of the ids of the device's nodes");
  return ids_in(list, device.place().member("nodes"));
}

// None where the field is not there. `one` and `all` say what was expected, as an item and as the whole.
std::vector<std::vector<std::int64_t>> read_id_lists(const ObjectView& object, const char* key, const char* one,
                                                     const char* all) {
  std::vector<std::vector<std::int64_t>> lists;
  if (!object.find(key)) return lists;
  const json& list = object.array(key, all);
  const Place list_place = object.place().member(key);
  for (std::size_t i = 0; i < list.size(); ++i) {
    const Place place = list_place.element(i);
    if (!list[i].is_array()) fail_type(list[i], place, one);
    lists.push_back(ids_in(list[i], place));
  }
  return lists;
}

std::vector<std::vector<std::int64_t>> read_subgraphs(const ObjectView& device, const char* key) {
  return read_id_lists(device, key, "a subgraph: a list of ids of nodes",
                       "a list of subgraphs, each a list of ids of nodes");
}

std::string device_name(DeviceKind kind, std::size_t index) { return fmt::format("{} {}", to_string(kind), index); }

// Refuses what is a file of ours, but not a plan that this program can read.
void check_plan_header(const json& document, const Place& place) {
  const Place header_place = place.member("partita");
  const ObjectView header(document.at("partita"), header_place, "an object with format and version");
  const std::string format = header.text("format", "the text \"plan\"").value_or("");
  if (format != "plan") {
    header_place.member("format").fail(ErrorKind::BadField,
                                       fmt::format("found \"{}\"; expected \"plan\"", one_line(format, 60)));
  }
  const std::int64_t version = header.integer("version", "the version of the plan format, an integer");
  if (version > kNewestPlan) {
    header_place.member("version").fail(
        ErrorKind::BadField, fmt::format("the plan has version {}, newer than this program, which reads up to {}; "
                                         "use a newer partita",
                                         version, kNewestPlan));
  }
  if (version < 1) {
    header_place.member("version").fail(ErrorKind::BadField, fmt::format("found {}; expected 1 or more", version));
  }
}

struct PlanDevice {
  SplitListing::Device device;
  std::int64_t index = 0;
  std::optional<std::int64_t> stage;
  std::size_t entry = 0;  // its position in the file
};

// Which entry of the file a device is a copy of; there may not be one.
std::optional<std::size_t> read_original(const ObjectView& fields, bool has_nodes) {
  constexpr const char* kOriginal = "the position of the original in the list of devices, an integer, 0 or more";
  const std::optional<std::int64_t> original = fields.optional_integer("copy_of", kOriginal);
  if (!original) return std::nullopt;
  const Place place = fields.place().member("copy_of");
  if (*original < 0) place.fail(ErrorKind::BadField, fmt::format("found {}; expected {}", *original, kOriginal));
  if (has_nodes) {
    place.fail(ErrorKind::BadField,
               "is given for a device that lists nodes; expected a copy to list none, as it runs "
               "those of its original");
  }
  return static_cast<std::size_t>(*original);
}

PlanDevice read_plan_device(const json& value, const Place& place) {
  const ObjectView fields(value, place, "a device: an object with kind, index and nodes");
  constexpr const char* kKinds = "\"accelerator\" or \"host\"";
  const std::optional<std::string> kind = fields.text("kind", kKinds);
  if (!kind || (*kind != "accelerator" && *kind != "host")) {
    place.member("kind").fail(ErrorKind::BadField,
                              kind ? fmt::format("found \"{}\"; expected {}", one_line(*kind, 60), kKinds)
                                   : fmt::format("is missing; expected {}", kKinds));
  }
  PlanDevice result;
  result.device.kind = *kind == "host" ? DeviceKind::Host : DeviceKind::Accelerator;
  const std::string expected_index =
      fmt::format("the device's place among its kind, an integer from 0 to {}", kMaxIndex);
  result.index = fields.integer("index", expected_index.c_str());
  if (result.index < 0 || result.index > kMaxIndex) {
    place.member("index").fail(ErrorKind::BadField, fmt::format("found {}; expected {}", result.index, expected_index));
  }
  result.stage = fields.optional_integer("stage", "a place in the pipeline, an integer, or null");
  result.device.name = fields.text("name", "the device's name, a text")
                           .value_or(device_name(result.device.kind, static_cast<std::size_t>(result.index)));
  result.device.node_ids = read_node_ids(fields);
  result.device.claimed_load = fields.number("load", "the device's load, a number");
  result.device.subgraphs = read_subgraphs(fields, "subgraphs");
  result.device.backward_subgraphs = read_subgraphs(fields, "backward_subgraphs");
  result.device.copy_of = read_original(fields, !result.device.node_ids.empty());
  result.device.recomputes = fields.flag("recompute", false);
  return result;
}

// What is asked, by the fields of a plan itself or of its `question`; a word that we do not know counts as not said.
Problem read_asked(const ObjectView& fields) {
  const auto word = [](const ObjectView& object, const char* key) {
    const json* value = object.find(key);
    return value && value->is_string() ? value->get<std::string>() : std::string();
  };
  const auto count = [&fields](const char* key, int least, int most, int otherwise) {
    const json* value = fields.find(key);
    if (!value || !value->is_number_integer()) return otherwise;
    const auto number = value->get<std::int64_t>();
    return number >= least && number <= most ? static_cast<int>(number) : otherwise;
  };
  const auto flag = [&fields](const char* key) {
    const json* value = fields.find(key);
    return value && value->is_boolean() && value->get<bool>();
  };
  Problem question;
  question.objective = parse_objective(word(fields, "objective")).value_or(question.objective);
  question.shape = parse_shape(word(fields, "shape")).value_or(question.shape);
  question.transfers = parse_transfer_mode(word(fields, "transfers")).value_or(question.transfers);
  question.backward_shape = flag("backward_shape");
  question.subgraphs = count("subgraphs", 1, kMostSubgraphs, question.subgraphs);
  question.strict_host_cores = word(fields, "host_cores") == "strict";
  if (const json* cores = fields.find("host_cores"); cores && cores->is_object()) {
    const Place place = fields.place().member("host_cores");
    question.strict_host_cores = word(ObjectView(*cores, place, "an object with policy"), "policy") == "strict";
  }
  question.replicas = count("replicas", 1, kMaxDevicesOfAKind, question.replicas);
  question.memory_model = parse_memory_model(word(fields, "memory_model")).value_or(question.memory_model);
  question.microbatches = count("microbatches", 1, kMostMicrobatches, question.microbatches);
  question.recompute = flag("recompute");
  return question;
}

ModelRecord read_model_record(const ObjectView& file) {
  ModelRecord record;
  const json* block = file.find("model");
  if (!block) return record;
  const Place own = file.place().member("model");
  const ObjectView fields(*block, own, "an object with file, fingerprint and options");
  record.file = fields.text("file", "the path of the model, a text").value_or("");
  record.fingerprint = fields.text("fingerprint", "the fingerprint of the graph, a text").value_or("");
  if (const json* options = fields.find("options")) {
    const Place place = fields.place().member("options");
    const ObjectView words(*options, place, "an object with the options that the model was read with");
    for (const auto& [name, value] : options->items()) {
      record.options.emplace_back(name, words.text(name.c_str(), "the value of the option, a text").value_or(""));
    }
  }
  return record;
}

WishListing read_wishes(const ObjectView& question) {
  WishListing wishes;
  const json* block = question.find("wishes");
  if (!block) return wishes;
  const Place own = question.place().member("wishes");
  const ObjectView fields(*block, own, "an object with pins, together and apart");
  if (fields.find("pins")) {
    const json& pins = fields.array("pins", "the list of pins");
    const Place place = fields.place().member("pins");
    for (std::size_t i = 0; i < pins.size(); ++i) {
      const Place one = place.element(i);
      const ObjectView pin(pins[i], one, "a pin: an object with node and class");
      const std::optional<std::string> device_class = pin.text("class", "the name of a class of devices, a text");
      if (!device_class)
        one.member("class").fail(ErrorKind::BadField, "is missing; expected the name of a class of devices");
      wishes.pins.push_back({pin.integer("node", "the id of a node, an integer"), *device_class,
                             pin.optional_integer("index", "the device's place in its class, an integer")});
    }
  }
  const auto lists = [&fields](const char* key) {
    return read_id_lists(fields, key, "a list of ids of nodes", "a list of lists of ids of nodes");
  };
  wishes.together = lists("together");
  wishes.apart = lists("apart");
  return wishes;
}

PlanQuestion read_question(const ObjectView& file) {
  const json* block = file.find("question");
  if (!block) return {read_asked(file), std::nullopt, read_model_record(file), {}};
  const Place place = file.place().member("question");
  const ObjectView fields(*block, place, "an object with objective, shape and platform");
  PlanQuestion question{read_asked(fields), std::nullopt, read_model_record(file), read_wishes(fields)};
  if (const json* platform = fields.find("platform")) {
    UnknownFields unknown(false);
    const Place devices = place.member("platform");
    question.devices =
        read_platform_object(ObjectView(*platform, devices, "an object with version and classes"), unknown);
    question.devices->notes = unknown.notes();
  }
  return question;
}

std::size_t bytes_of(const SplitListing::Device& device) {
  std::size_t bytes = sizeof(PlanDevice) + sizeof(SplitListing::Device) + device.name.capacity() +
                      device.node_ids.capacity() * sizeof(std::int64_t);
  for (const auto* subgraphs : {&device.subgraphs, &device.backward_subgraphs}) {
    for (const auto& ids : *subgraphs) bytes += sizeof(ids) + ids.capacity() * sizeof(std::int64_t);
  }
  return bytes;
}

// The devices of a plan, one by one as the file lists them.
class PlanDevices {
 public:
  void add(PlanDevice device, const Place& place) {
    device.entry = count_++;
    const std::pair key{device.device.kind, device.index};
    const auto [entry, is_new] = devices_.emplace(key, std::move(device));
    if (!is_new) {
      place.member("index").fail(ErrorKind::BadField, fmt::format("{} is listed twice; expected every device once",
                                                                  device_name(key.first, key.second)));
    }
    const PlanDevice& stored = entry->second;
    if (stored.stage && !by_stage_.emplace(*stored.stage, &stored).second) {
      place.member("stage").fail(
          ErrorKind::BadField,
          fmt::format("stage {} is given twice; expected a stage of its own for every device", *stored.stage));
    }
  }

  bool empty() const { return devices_.empty(); }

  // Sorted by kind and index, gaps filled with empty ones, so that the i-th of a kind is that kind's device i.
  SplitListing listing(const Place& list_place, MemoryMeter& meter) {
    check_originals(list_place);
    SplitListing listing;
    std::map<const PlanDevice*, std::size_t> position;
    std::vector<std::size_t> position_of_entry(count_);
    for (const DeviceKind kind : {DeviceKind::Accelerator, DeviceKind::Host}) {
      std::int64_t next_index = 0;
      for (auto& [key, entry] : devices_) {
        if (key.first != kind) continue;
        for (; next_index < entry.index; ++next_index) {
          listing.devices.push_back({kind, device_name(kind, static_cast<std::size_t>(next_index)), {}});
          meter.add(bytes_of(listing.devices.back()), list_place);
        }
        position[&entry] = position_of_entry[entry.entry] = listing.devices.size();
        listing.devices.push_back(std::move(entry.device));
        ++next_index;
      }
    }
    for (SplitListing::Device& device : listing.devices) {
      if (device.copy_of) device.copy_of = position_of_entry[*device.copy_of];
    }
    for (const auto& [stage, device] : by_stage_) listing.order.push_back(position.at(device));
    return listing;
  }

 private:
  void check_originals(const Place& list_place) const {
    for (const auto& [key, one] : devices_) {
      if (!one.device.copy_of || *one.device.copy_of < count_) continue;
      const Place place = list_place.element(one.entry);
      place.member("copy_of").fail(
          ErrorKind::BadField,
          fmt::format("found {}; expected the position of the original in the list of devices, an integer from 0 to {}",
                      *one.device.copy_of, count_ - 1));
    }
  }

  std::map<std::pair<DeviceKind, std::int64_t>, PlanDevice> devices_;  // accelerators before hosts
  std::map<std::int64_t, const PlanDevice*> by_stage_;
  std::size_t count_ = 0;
};

// Either of the two formats; which one it is may come out at the end only.
class SplitBuilder final : public DocumentListener {
 public:
  SplitBuilder(const std::string& source, const ReadOptions& options) : source_(source), meter_(options.memory) {}

  const char* expected() const override {
    return "a split: a plan written by partita, or an object with fpgas and cpus";
  }

  Keep keep(const std::string& key) override {
    if (key == "devices" || key == "fpgas" || key == "cpus") return Keep::Elements;
    const bool is_read = key == "partita" || key == "status" || key == "value" || key == "maxLoad";
    return is_read ? Keep::All : Keep::Nothing;
  }

  void element(const std::string& key, std::size_t index, const json& value, const json& document) override {
    const bool is_plan = document.contains("partita");
    if (is_plan && index == 0) check_plan_header(document, root_);
    const Place list = root_.member(key);
    const Place place = list.element(index);
    if (key == "devices") {
      PlanDevice device = read_plan_device(value, place);
      meter_.add(bytes_of(device.device), place);
      plan_devices_.add(std::move(device), place);
    } else if (!is_plan) {
      add_seed_device(value, place, index, key == "fpgas" ? DeviceKind::Accelerator : DeviceKind::Host);
    }
  }

  SplitListing finish(const json& document) {
    const ObjectView file(document, root_, expected());
    if (file.has_key("partita")) {
      check_plan_header(document, root_);
      return plan(file);
    }
    if (file.has_key("fpgas") || file.has_key("cpus")) return seed(file);
    if (file.has_key("nodes") && file.has_key("edges")) {
      root_.fail(ErrorKind::BadField,
                 "is a workload (nodes and edges), not a split; give a plan written by partita, or a file with fpgas "
                 "and cpus");
    }
    root_.fail(ErrorKind::BadField,
               "is not a split; expected a plan written by partita, or an object with fpgas and cpus");
  }

 private:
  SplitListing plan(const ObjectView& file) {
    if (file.find("devices")) file.array("devices", "the list of devices");
    if (plan_devices_.empty()) {
      root_.fail(ErrorKind::BadField,
                 fmt::format("is a plan without devices (status \"{}\"), so there is no split to read; expected a plan "
                             "that found one",
                             one_line(file.text("status", "a text").value_or("unknown"), 60)));
    }
    SplitListing listing = plan_devices_.listing(root_.member("devices"), meter_);
    listing.claimed_value = file.number("value", "the value of the split, a number");
    return listing;
  }

  void add_seed_device(const json& value, const Place& place, std::size_t index, DeviceKind kind) {
    const ObjectView fields(value, place, "a device: an object with nodes");
    const std::optional<double> load = fields.number("load", "the device's load, a number (negative: not given)");
    auto& devices = kind == DeviceKind::Accelerator ? accelerators_ : hosts_;
    devices.push_back(
        {kind, device_name(kind, index), read_node_ids(fields), load && *load >= 0 ? load : std::nullopt, {}, {}});
    meter_.add(bytes_of(devices.back()), place);
  }

  SplitListing seed(const ObjectView& file) {
    for (const char* key : {"fpgas", "cpus"}) {
      if (file.find(key)) file.array(key, "a list of devices");
    }
    SplitListing listing;
    listing.devices = std::move(accelerators_);
    listing.devices.insert(listing.devices.end(), hosts_.begin(), hosts_.end());
    const std::optional<double> value = file.number("maxLoad", "the largest load, a number (negative: not given)");
    if (value && *value >= 0) listing.claimed_value = value;
    return listing;
  }

  const std::string source_;
  const Place root_{source_};
  MemoryMeter meter_;
  PlanDevices plan_devices_;
  std::vector<SplitListing::Device> accelerators_;  // of the paper code's format
  std::vector<SplitListing::Device> hosts_;
};

SplitListing read_split_text(TextStream text, const ReadOptions& options) {
  SplitBuilder builder(text.source(), options);
  return builder.finish(read_json(text, builder));
}

}  // namespace

SplitListing parse_split(std::string_view bytes, const std::string& source, const ReadOptions& options) {
  return read_split_text(TextStream(memory_source(bytes), source), options);
}

SplitListing read_split(const std::string& path, const ReadOptions& options) {
  return read_split_text(TextStream(file_source(path), source_name(path)), options);
}

std::optional<PlanQuestion> parse_question(std::string_view bytes, const std::string& source) {
  TextStream text(memory_source(bytes), source);
  KeepAllBut listener("a split", {"devices", "assignment", "cuts", "node_names", "schedule", "fpgas", "cpus"});
  const json document = read_json(text, listener);
  if (!document.is_object() || !document.contains("partita")) return std::nullopt;
  if (!document.contains("question") && !document.contains("objective")) return std::nullopt;
  const Place place(source);
  return read_question(ObjectView(document, place, "a plan written by partita"));
}

}  // namespace partita
