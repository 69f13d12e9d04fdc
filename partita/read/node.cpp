// SPDX-License-Identifier: Apache-2.0
#include "partita/read/node.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "partita/util/error.h"

namespace partita::detail {
namespace {

using nlohmann::json;

// The time that a node gives for a kind of devices; read where some class goes by it, and only then.
class TimeOfKind {
 public:
  TimeOfKind(const ObjectView& fields, const char* flag, const char* key, const char* expected)
      : fields_(&fields), key_(key), expected_(expected), supported_(fields.flag(flag, true)) {}

  bool supported() const { return supported_; }

  double times(double factor) {
    if (!supported_) return kCannotRun;
    if (!time_) time_ = fields_->amount(key_, expected_);
    const double product = *time_ * factor;
    const bool vanishes = product == 0 && *time_ > 0 && factor > 0;
    if (!std::isfinite(product) || vanishes) {
      fields_->place().member(key_).fail(ErrorKind::BadNumber,
                                         fmt::format("{} times the class's timeFactor {} is {}", *time_, factor,
                                                     vanishes ? "less than the least number (about 4.9e-324), but not 0"
                                                              : "more than the largest number (about 1.8e308)"));
    }
    return product;
  }

 private:
  const ObjectView* fields_;
  const char* key_;
  const char* expected_;
  bool supported_;
  std::optional<double> time_;
};

void read_memory(const ObjectView& fields, Node& node) {
  const auto amount = [&fields](const char* key, const char* expected) {
    return fields.find(key) ? std::optional(fields.amount(key, expected)) : std::nullopt;
  };
  const auto weights = amount("weights", "the node's weights in bytes, a number, 0 or more");
  const auto gradients = amount("gradients", "the gradients of the node's weights in bytes, a number, 0 or more");
  const auto optimizer_state = amount("optimizerState", "the node's optimizer state in bytes, a number, 0 or more");
  const auto activation =
      amount("activation", "what the node keeps of each sample in flight, in bytes, a number, 0 or more");
  const auto kept = amount("recomputeActivation",
                           "what the node keeps of each sample in flight where activations are recomputed, in bytes, a "
                           "number, 0 or more");
  std::optional<MemoryParts> apart;
  if (weights || gradients || optimizer_state || activation) {
    apart =
        MemoryParts{weights.value_or(0), optimizer_state.value_or(0), activation.value_or(0), 0, gradients.value_or(0)};
  }
  node.set_memory(amount("size", "the node's memory in bytes, a number, 0 or more"), apart,
                  amount("recomputeShare", "the share of the node's time that recomputing takes, a number, 0 or more"));
  node.parts.recompute_activation = kept.value_or(0);
}

// What is shown and never computed with: where it makes no sense, there is nothing to show.
std::optional<double> amount_remark(const ObjectView& fields, const char* key) {
  const json* value = fields.find(key);
  return value && value->is_number() && value->get<double>() >= 0 ? std::optional(value->get<double>()) : std::nullopt;
}

std::string text_remark(const ObjectView& fields, const char* key) {
  const json* value = fields.find(key);
  return value && value->is_string() ? value->get<std::string>() : std::string();
}

CostSource source_called(const std::string& word) {
  for (const CostSource source : kCostSources) {
    if (word == to_string(source)) return source;
  }
  return CostSource::Given;
}

void read_remarks(const ObjectView& fields, Node& node) {
  node.op = text_remark(fields, "op");
  node.output_bytes = amount_remark(fields, "outputBytes");
  node.facts.source = source_called(text_remark(fields, "source"));
  node.facts.family = text_remark(fields, "family");
  node.facts.flops = amount_remark(fields, "flops");
  node.facts.moved_bytes = amount_remark(fields, "movedBytes");
  node.facts.output = text_remark(fields, "output");
  node.facts.tensor = text_remark(fields, "tensor");
}

}  // namespace

const FieldNames kNodeFields{
    "a node",
    {"activation",     "colorClass", "cpuLatency",     "family",         "flops",           "fpgaLatency",
     "gradients",      "id",         "isBackwardNode", "latency",        "layerId",         "movedBytes",
     "name",           "op",         "optimizerState", "output",         "outputBytes",     "recomputeActivation",
     "recomputeShare", "size",       "source",         "supportedOnCpu", "supportedOnFpga", "tensor",
     "weights"}};

TimesReader::TimesReader(const PlatformSpec& spec, bool other_classes) : spec_(&spec), other_classes_(other_classes) {
  for (const DeviceClass& one : spec.platform.classes) {
    class_names_ += (class_names_.empty() ? "" : ", ") + one.name;
  }
  class_names_ = one_line(class_names_);
}

void TimesReader::check_names(const json& by_class, const Place& place) const {
  if (other_classes_) return;
  for (const auto& [name, value] : by_class.items()) {
    const auto& classes = spec_->platform.classes;
    if (std::ranges::none_of(classes, [&name = name](const DeviceClass& one) { return one.name == name; })) {
      place.fail(ErrorKind::BadField, fmt::format("no class is called \"{}\"; expected classes of the platform: {}",
                                                  one_line(name, 60), class_names_));
    }
  }
}

std::vector<double> TimesReader::read(const ObjectView& fields) const {
  TimeOfKind on_accelerator(fields, "supportedOnFpga", "fpgaLatency", "the node's time on an accelerator, 0 or more");
  TimeOfKind on_host(fields, "supportedOnCpu", "cpuLatency", "the node's time on a host, 0 or more");
  const json* latency = fields.find("latency");
  const Place latency_place = fields.place().member("latency");
  std::optional<ObjectView> by_class;
  if (latency) {
    by_class.emplace(*latency, latency_place, "an object: a class's name and the node's time on it");
    check_names(*latency, latency_place);
  }
  const Platform& platform = spec_->platform;
  std::vector<double> times;
  times.reserve(platform.classes.size());
  for (ClassId c : platform.classes.all()) {
    const DeviceClass& one = platform.classes[c];
    if (by_class && by_class->has_key(one.name.c_str())) {
      const bool runs = by_class->find(one.name.c_str()) != nullptr;
      times.push_back(runs ? by_class->amount(one.name.c_str(),
                                              "the node's time on devices of the class, 0 or more (null: it cannot run "
                                              "there)")
                           : kCannotRun);
    } else {
      const double factor = spec_->time_factor.empty() ? 1 : spec_->time_factor[c];
      times.push_back((one.kind == DeviceKind::Accelerator ? on_accelerator : on_host).times(factor));
    }
  }
  if (std::ranges::any_of(times, [](double time) { return time != kCannotRun; })) return times;
  if (!on_accelerator.supported() && !on_host.supported() && !latency) {
    fields.place().fail(ErrorKind::Infeasible,
                        "runs on no kind of device: supportedOnFpga and supportedOnCpu are both false; allow one of "
                        "them");
  }
  fields.place().fail(
      ErrorKind::Infeasible,
      fmt::format("runs on no class of the platform ({}); give it a latency on one of them", class_names_));
}

json time_fields(const json& node) {
  json kept = json::object();
  for (const char* key : {"supportedOnFpga", "supportedOnCpu", "fpgaLatency", "cpuLatency", "latency"}) {
    if (const auto field = node.find(key); field != node.end()) kept[key] = *field;
  }
  return kept;
}

Node read_node(const ObjectView& fields, Place& place) {
  Node node;
  node.original_id = fields.integer("id", "the node's id, an integer");
  place.set_node_id(node.original_id);
  node.name = fields.text("name", "the node's name, a text").value_or("");
  node.backward = fields.flag("isBackwardNode", false);
  node.colour = fields.optional_integer("colorClass", "a colour class, an integer");
  node.layer = fields.optional_integer("layerId", "a layer, an integer");
  read_memory(fields, node);
  read_remarks(fields, node);
  return node;
}

}  // namespace partita::detail
