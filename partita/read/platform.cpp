// SPDX-License-Identifier: Apache-2.0
// Clusters are counted while they are read, with all the repetitions around them, before any is repeated: so a short
// file cannot ask for more memory than kMaxClusters clusters take.
#include "partita/read/platform.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "partita/model/graph_checks.h"
#include "partita/read/bytes.h"
#include "partita/read/fields.h"
#include "partita/read/json_document.h"
#include "partita/read/links.h"
#include "partita/read/physical_class.h"
#include "partita/read/physical_fields.h"
#include "partita/read/platform_object.h"
#include "partita/read/unknown_fields.h"
#include "partita/util/error.h"

namespace partita {

using namespace detail;

namespace {

using nlohmann::json;

constexpr std::int64_t kNewestPlatform = 1;
const FieldNames kPlatformFields{"a platform", {"classes", "clusters", "sharedLinks", "syncBandwidth", "version"}};
const FieldNames kClassFields{"a class of devices",
                              {"contention", "count", "device", "flops", "kind", "launch", "link", "linkFactor",
                               "linkLatency", "memory", "memoryBandwidth", "name", "timeFactor"}};
const FieldNames kClusterFields{"a cluster", {"clusters", "count", "devices", "factor", "link"}};
const FieldNames kLinkFields{"a link", {"bandwidth", "factor", "latency"}};

constexpr const char* kPlatformExpected = "a platform: an object with version and classes";
constexpr const char* kClusterExpected = "a cluster: an object with factor, devices and clusters";

std::string required_text(const ObjectView& fields, const char* key, const char* expected) {
  const std::optional<std::string> text = fields.text(key, expected);
  if (!text) fields.place().member(key).fail(ErrorKind::BadField, fmt::format("is missing; expected {}", expected));
  return *text;
}

std::string class_name(const ObjectView& fields) {
  constexpr const char* kExpected = "the class's name, a text of one line that is not empty";
  std::string name = required_text(fields, "name", kExpected);
  const bool one_line = std::ranges::none_of(name, [](char c) { return static_cast<unsigned char>(c) < 0x20; });
  if (name.empty() || !one_line) {
    fields.place().member("name").fail(
        ErrorKind::BadField, fmt::format("found \"{}\"; expected {}", partita::one_line(name, 60), kExpected));
  }
  return name;
}

DeviceKind class_kind(const ObjectView& fields) {
  constexpr const char* kExpected = "\"accelerator\" or \"host\"";
  const std::string kind = required_text(fields, "kind", kExpected);
  if (kind == "accelerator") return DeviceKind::Accelerator;
  if (kind == "host") return DeviceKind::Host;
  fields.place().member("kind").fail(ErrorKind::BadField,
                                     fmt::format("found \"{}\"; expected {}", one_line(kind, 60), kExpected));
}

int device_number(const ObjectView& fields, const char* key) {
  const std::string expected = fmt::format("a number of devices, an integer from 0 to {}", kMaxDevicesOfAKind);
  const std::int64_t count = fields.integer(key, expected.c_str());
  if (count < 0 || count > kMaxDevicesOfAKind) {
    fields.place().member(key).fail(ErrorKind::BadPlatform, fmt::format("found {}; expected {}", count, expected));
  }
  return static_cast<int>(count);
}

double class_memory(const ObjectView& fields) {
  constexpr const char* kExpected = "the memory of each device of the class, in bytes, 0 or more (null for no limit)";
  const double memory = fields.number("memory", kExpected).value_or(kUnlimited);
  if (memory < 0) {
    fields.place().member("memory").fail(ErrorKind::BadPlatform,
                                         fmt::format("{} is negative; expected {}", memory, kExpected));
  }
  return memory + 0.0;  // -0 becomes 0
}

double class_contention(const ObjectView& fields) {
  constexpr const char* kExpected =
      "how many times as long nodes take where other devices work too, a number from 1 on";
  const double contention = fields.amount_or("contention", 1, kExpected);
  if (contention < 1) {
    fields.place()
        .member("contention")
        .fail(ErrorKind::BadPlatform, fmt::format("found {}; expected {}", contention, kExpected));
  }
  return contention;
}

// Everything but the count, which may have to wait for the clusters. `rates`: where to put what a physical class can do.
DeviceClass read_class(const ObjectView& fields, IdVector<ClassId, DeviceRates>& rates) {
  DeviceClass result;
  result.name = class_name(fields);
  if (!fields.find("device") || fields.find("kind")) result.kind = class_kind(fields);
  result.contention = class_contention(fields);
  if (is_physical_class(fields)) {
    rates.push_back(read_physical_class(fields, result));
    return result;
  }
  result.memory = class_memory(fields);
  result.link_factor =
      fields.amount_or("linkFactor", 1, "how many times the edge's cost a transfer costs, a number, 0 or more");
  if (result.kind == DeviceKind::Host && result.link_factor != 1) {
    fields.place()
        .member("linkFactor")
        .fail(ErrorKind::BadPlatform,
              fmt::format("found {}; expected none, as hosts pay for no transfer", result.link_factor));
  }
  result.link_latency = fields.amount_or(
      "linkLatency", 0, "what each transfer takes beside that, in the workload's unit of time, a number, 0 or more");
  if (result.kind == DeviceKind::Host && result.link_latency != 0) {
    fields.place()
        .member("linkLatency")
        .fail(ErrorKind::BadPlatform,
              fmt::format("found {}; expected none, as hosts pay for no transfer", result.link_latency));
  }
  return result;
}

class ClusterReader {
 public:
  ClusterReader(const PlatformSpec& spec, UnknownFields& unknown)
      : platform_(&spec.platform),
        physical_(is_physical(spec)),
        unknown_(&unknown),
        devices_(spec.platform.classes.size(), 0) {
    for (ClassId c : platform_->classes.all()) class_of_name_[platform_->classes[c].name] = c;
  }

  // A cluster of which there will be `times`.
  Cluster read(const ObjectView& fields, std::int64_t times) {
    clusters_ += times;
    if (clusters_ > kMaxClusters) {
      fields.place().fail(
          ErrorKind::BadPlatform,
          fmt::format("with this there are {} clusters; expected at most {} in all", clusters_, kMaxClusters));
    }
    unknown_->look_at(fields.object(), fields.place(), kClusterFields);
    Cluster cluster;
    cluster.factor = fields.amount_or(
        "factor", 1, "how many times the edge's cost a transfer inside the cluster costs, a number, 0 or more");
    if (const json* link = fields.find("link")) {
      const Place place = fields.place().member("link");
      if (fields.find("factor")) {
        place.fail(ErrorKind::BadPlatform,
                   "found a link and a factor; expected one of them, as a link has a factor of its own");
      }
      if (link->is_object()) unknown_->look_at(*link, place, kLinkFields);
      cluster.link = physical_ ? read_physical_link(*link, place)
                               : read_link(ObjectView(*link, place, "a link: an object with factor and latency"));
    }
    cluster.devices.assign(platform_->classes.size(), 0);
    if (const json* devices = fields.find("devices")) {
      const Place place = fields.place().member("devices");
      read_devices(ObjectView(*devices, place, "an object: a class's name and how many of its devices there are"),
                   *devices, times, cluster);
    }
    if (fields.find("clusters")) read_inside(fields, times, cluster);
    return cluster;
  }

  // How many devices of each class all the clusters hold together.
  const IdVector<ClassId, std::int64_t>& devices() const { return devices_; }

 private:
  void read_devices(const ObjectView& fields, const json& object, std::int64_t times, Cluster& cluster) {
    for (const auto& [name, value] : object.items()) {
      const auto found = class_of_name_.find(name);
      if (found == class_of_name_.end()) {
        fields.place().fail(ErrorKind::BadPlatform, fmt::format("no class is called \"{}\"; expected the name of one "
                                                                "of the classes",
                                                                one_line(name, 60)));
      }
      if (value.is_null()) continue;
      cluster.devices[found->second] = device_number(fields, name.c_str());
      devices_[found->second] += times * cluster.devices[found->second];
    }
  }

  void read_inside(const ObjectView& fields, std::int64_t times, Cluster& cluster) {
    const json& list = fields.array("clusters", "a list of clusters");
    const Place list_place = fields.place().member("clusters");
    for (std::size_t i = 0; i < list.size(); ++i) {
      const Place place = list_place.element(i);
      const ObjectView inner(list[i], place, kClusterExpected);
      const std::string expected =
          fmt::format("how many such clusters there are, an integer from 1 to {}", kMaxClusters);
      const std::int64_t count = inner.optional_integer("count", expected.c_str()).value_or(1);
      if (count < 1 || count > kMaxClusters) {
        place.member("count").fail(ErrorKind::BadPlatform, fmt::format("found {}; expected {}", count, expected));
      }
      const Cluster one = read(inner, times * count);
      cluster.clusters.insert(cluster.clusters.end(), static_cast<std::size_t>(count), one);
    }
  }

  const Platform* platform_;
  bool physical_;
  UnknownFields* unknown_;
  std::map<std::string, ClassId> class_of_name_;
  std::int64_t clusters_ = 0;
  IdVector<ClassId, std::int64_t> devices_;
};

Cluster read_clusters(const ObjectView& object, ClusterReader& reader) {
  const Place place = object.place().member("clusters");
  const ObjectView fields(*object.find("clusters"), place, kClusterExpected);
  if (fields.optional_integer("count", "nothing, as there is one outermost cluster").value_or(1) != 1) {
    place.member("count").fail(ErrorKind::BadPlatform,
                               "there is one outermost cluster; expected a count only in the list of another cluster");
  }
  return reader.read(fields, 1);
}

// A physical platform's is in bytes per second, as all that it says.
double exchange_bandwidth(const ObjectView& platform, bool physical) {
  constexpr const char* kExpected = "bytes per unit of time, a number above 0 (null for unlimited)";
  const std::optional<double> given =
      physical ? quantity(platform, "syncBandwidth", Quantity::Bandwidth) : platform.number("syncBandwidth", kExpected);
  if (!given || *given > 0) return given.value_or(kUnlimited);
  platform.place()
      .member("syncBandwidth")
      .fail(ErrorKind::BadPlatform, fmt::format("found {}; expected {}", *given, kExpected));
}

PlatformSpec read_platform_file(TextStream text, const ReadOptions& options) {
  KeepAllBut listener(kPlatformExpected, {"nodes", "edges", "meta"});
  const json document = read_json(text, listener);
  const Place place(text.source());
  if (document.is_object() && document.contains("nodes") && !document.contains("classes")) {
    place.fail(ErrorKind::BadField,
               "is a workload (nodes and edges), not a platform; expected an object with version and classes");
  }
  UnknownFields unknown(options.strict);
  PlatformSpec spec = read_platform_object(ObjectView(document, place, kPlatformExpected), unknown);
  spec.notes = unknown.notes();
  return spec;
}

}  // namespace

PlatformSpec detail::read_platform_object(const ObjectView& given, UnknownFields& unknown) {
  const ObjectView object(given.object(), given.place(), kPlatformExpected, &kPlatformFields);
  unknown.look_at(object.object(), object.place(), kPlatformFields);
  check_version(object, "platform", kNewestPlatform);
  const json& list = object.array("classes", "the list of classes of devices");
  const Place list_place = object.place().member("classes");
  if (list.empty() || list.size() > kMaxClasses) {
    list_place.fail(ErrorKind::BadPlatform,
                    fmt::format("is a list of {}; expected from 1 to {} classes", list.size(), kMaxClasses));
  }
  const bool clustered = object.find("clusters") != nullptr;
  PlatformSpec spec;
  std::vector<std::optional<int>> stated(list.size());
  std::map<std::string, std::size_t> seen;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const Place place = list_place.element(i);
    const ObjectView fields(list[i], place, "a class of devices: an object with name, kind and count", &kClassFields);
    unknown.look_at(list[i], place, kClassFields);
    DeviceClass one = read_class(fields, spec.rates);
    if (is_physical(spec) && spec.rates.size() != i + 1) {
      place.fail(ErrorKind::BadPlatform,
                 "does not say what its devices can do (flops, or device), as other classes do; expected all or none");
    }
    const auto [entry, is_new] = seen.emplace(one.name, i);
    if (!is_new) {
      place.member("name").fail(ErrorKind::BadPlatform,
                                fmt::format("\"{}\" is also the name of classes[{}]; expected names that are all "
                                            "different",
                                            one_line(one.name, 60), entry->second));
    }
    if (!clustered || fields.find("count")) stated[i] = one.count = device_number(fields, "count");
    spec.platform.classes.push_back(std::move(one));
    spec.time_factor.push_back(
        fields.amount_or("timeFactor", 1, "how many times longer nodes take on the class, a number, 0 or more"));
  }
  if (clustered) {
    ClusterReader reader(spec, unknown);
    spec.platform.clusters = read_clusters(object, reader);
    for (ClassId c : spec.platform.classes.all()) {
      const std::int64_t count = reader.devices()[c];
      const std::optional<int> said = stated[c.index()];
      const Place place = list_place.element(c.index());
      if (said && *said != count) {
        place.member("count").fail(ErrorKind::BadPlatform,
                                   fmt::format("found {}, but the clusters hold {} devices of the class; expected the "
                                               "same, or no count",
                                               *said, count));
      }
      if (count > kMaxDevicesOfAKind) {
        place.fail(ErrorKind::BadPlatform, fmt::format("the clusters hold {} devices of the class; expected at most {}",
                                                       count, kMaxDevicesOfAKind));
      }
      spec.platform.classes[c].count = static_cast<int>(count);
    }
  }
  if (const std::string fault = device_fault(spec.platform); !fault.empty())
    object.place().fail(ErrorKind::BadPlatform, fault);
  read_shared_links(object, unknown, spec);
  spec.platform.sync_bandwidth = exchange_bandwidth(object, is_physical(spec));
  return spec;
}

PlatformSpec parse_platform(std::string_view bytes, const std::string& source, const ReadOptions& options) {
  return read_platform_file(TextStream(memory_source(bytes), source), options);
}

PlatformSpec read_platform(const std::string& path, const ReadOptions& options) {
  return read_platform_file(TextStream(file_source(path), source_name(path)), options);
}

}  // namespace partita
