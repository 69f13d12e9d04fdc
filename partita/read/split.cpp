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
#include "partita/util/error.h"

namespace partita {
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

std::vector<std::vector<std::int64_t>> read_subgraphs(const ObjectView& device, const char* key) {
  std::vector<std::vector<std::int64_t>> subgraphs;
  if (!device.find(key)) return subgraphs;
  const json& list = device.array(key, "a list of subgraphs, each a list of ids of nodes");
  const Place list_place = device.place().member(key);
  for (std::size_t i = 0; i < list.size(); ++i) {
    const Place place = list_place.element(i);
    if (!list[i].is_array()) fail_type(list[i], place, "a subgraph: a list of ids of nodes");
    subgraphs.push_back(ids_in(list[i], place));
  }
  return subgraphs;
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

// Which entry of the file a device is a copy of.
std::optional<std::size_t> read_original(const ObjectView& fields, std::size_t entries, bool has_nodes) {
  const std::string expected =
      fmt::format("the position of the original in the list of devices, an integer from 0 to {}", entries - 1);
  const std::optional<std::int64_t> original = fields.optional_integer("copy_of", expected.c_str());
  if (!original) return std::nullopt;
  const Place place = fields.place().member("copy_of");
  if (*original < 0 || static_cast<std::size_t>(*original) >= entries) {
    place.fail(ErrorKind::BadField, fmt::format("found {}; expected {}", *original, expected));
  }
  if (has_nodes) {
    place.fail(ErrorKind::BadField,
               "is given for a device that lists nodes; expected a copy to list none, as it runs "
               "those of its original");
  }
  return static_cast<std::size_t>(*original);
}

PlanDevice read_plan_device(const json& value, const Place& place, std::size_t entries) {
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
  result.device.copy_of = read_original(fields, entries, !result.device.node_ids.empty());
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

PlanQuestion read_question(const ObjectView& file) {
  const json* block = file.find("question");
  if (!block) return {read_asked(file), std::nullopt};
  const Place place = file.place().member("question");
  const ObjectView fields(*block, place, "an object with objective, shape and platform");
  PlanQuestion question{read_asked(fields), std::nullopt};
  if (const json* platform = fields.find("platform")) {
    const Place devices = place.member("platform");
    question.devices = read_platform_object(ObjectView(*platform, devices, "an object with version and classes"));
  }
  return question;
}

// Devices sorted by kind and index, gaps filled with empty ones, so that the i-th of a kind is that kind's device i.
SplitListing read_plan(const ObjectView& file) {
  const json* devices_field = file.find("devices");
  if (!devices_field || (devices_field->is_array() && devices_field->empty())) {
    file.place().fail(
        ErrorKind::BadField,
        fmt::format("is a plan without devices (status \"{}\"), so there is no split to read; expected a plan "
                    "that found one",
                    one_line(file.text("status", "a text").value_or("unknown"), 60)));
  }
  const json& list = file.array("devices", "the list of devices");
  const Place devices_place = file.place().member("devices");
  std::map<std::pair<DeviceKind, std::int64_t>, PlanDevice> devices;  // accelerators before hosts
  std::map<std::int64_t, const PlanDevice*> by_stage;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const Place place = devices_place.element(i);
    PlanDevice device = read_plan_device(list[i], place, list.size());
    device.entry = i;
    const std::pair key{device.device.kind, device.index};
    const auto [entry, is_new] = devices.emplace(key, std::move(device));
    if (!is_new) {
      place.member("index").fail(ErrorKind::BadField, fmt::format("{} is listed twice; expected every device once",
                                                                  device_name(key.first, key.second)));
    }
    const PlanDevice& stored = entry->second;
    if (stored.stage && !by_stage.emplace(*stored.stage, &stored).second) {
      place.member("stage").fail(
          ErrorKind::BadField,
          fmt::format("stage {} is given twice; expected a stage of its own for every device", *stored.stage));
    }
  }

  SplitListing listing;
  std::map<const PlanDevice*, std::size_t> position;
  std::vector<std::size_t> position_of_entry(list.size());
  for (const DeviceKind kind : {DeviceKind::Accelerator, DeviceKind::Host}) {
    std::int64_t next_index = 0;
    for (auto& [key, entry] : devices) {
      if (key.first != kind) continue;
      for (; next_index < entry.index; ++next_index) {
        listing.devices.push_back({kind, device_name(kind, static_cast<std::size_t>(next_index)), {}});
      }
      position[&entry] = position_of_entry[entry.entry] = listing.devices.size();
      listing.devices.push_back(std::move(entry.device));
      ++next_index;
    }
  }
  for (SplitListing::Device& device : listing.devices) {
    if (device.copy_of) device.copy_of = position_of_entry[*device.copy_of];
  }
  for (const auto& [stage, device] : by_stage) listing.order.push_back(position.at(device));
  listing.claimed_value = file.number("value", "the value of the split, a number");
  return listing;
}

void read_seed_devices(const ObjectView& file, const char* key, DeviceKind kind, SplitListing& listing) {
  if (!file.find(key)) return;
  const json& list = file.array(key, "a list of devices");
  const Place devices_place = file.place().member(key);
  for (std::size_t i = 0; i < list.size(); ++i) {
    const Place place = devices_place.element(i);
    const ObjectView fields(list[i], place, "a device: an object with nodes");
    const std::optional<double> load = fields.number("load", "the device's load, a number (negative: not given)");
    listing.devices.push_back(
        {kind, device_name(kind, i), read_node_ids(fields), load && *load >= 0 ? load : std::nullopt, {}, {}});
  }
}

SplitListing read_seed(const ObjectView& file) {
  SplitListing listing;
  read_seed_devices(file, "fpgas", DeviceKind::Accelerator, listing);
  read_seed_devices(file, "cpus", DeviceKind::Host, listing);
  const std::optional<double> value = file.number("maxLoad", "the largest load, a number (negative: not given)");
  if (value && *value >= 0) listing.claimed_value = value;
  return listing;
}

}  // namespace

SplitListing parse_split(std::string_view bytes, const std::string& source) {
  const json document = parse_json(bytes, source);
  const Place place(source);
  const ObjectView file(document, place, "a split: a plan written by partita, or an object with fpgas and cpus");
  if (file.has_key("partita")) {
    check_plan_header(document, place);
    return read_plan(file);
  }
  if (file.has_key("fpgas") || file.has_key("cpus")) return read_seed(file);
  if (file.has_key("nodes") && file.has_key("edges")) {
    place.fail(
        ErrorKind::BadField,
        "is a workload (nodes and edges), not a split; give a plan written by partita, or a file with fpgas and cpus");
  }
  place.fail(ErrorKind::BadField,
             "is not a split; expected a plan written by partita, or an object with fpgas and cpus");
}

std::optional<PlanQuestion> parse_question(std::string_view bytes, const std::string& source) {
  const json document = parse_json(bytes, source);
  if (!document.is_object() || !document.contains("partita")) return std::nullopt;
  if (!document.contains("question") && !document.contains("objective")) return std::nullopt;
  const Place place(source);
  return read_question(ObjectView(document, place, "a plan written by partita"));
}

SplitListing read_split(const std::string& path) { return parse_split(read_bytes(path), source_name(path)); }

}  // namespace partita
