// SPDX-License-Identifier: Apache-2.0
#include "partita/read/certificate.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "partita/read/bytes.h"
#include "partita/read/fields.h"
#include "partita/read/json_document.h"
#include "partita/read/memory_meter.h"

namespace partita::detail {
namespace {

using nlohmann::json;

constexpr std::int64_t kNewest = 6;
constexpr std::int64_t kOneClass = 1;    // the version that knew one class of accelerators, and loads that are sums
constexpr std::int64_t kFreeSplits = 2;  // the version that knew free splits alone
constexpr std::int64_t kIgnoring = 5;    // the last version that left transfers out, and did not narrow them

void check_pair(const json& pair, const Place& place, const char* expected) {
  if (!pair.is_array() || pair.size() != 2) fail_type(pair, place, expected);
}

// The version.
std::int64_t check_header(const ObjectView& document) {
  const json* header = document.find("partita");
  if (!header)
    document.place().fail(ErrorKind::BadField,
                          "is no certificate; expected the file that `partita plan --certificate` wrote");
  const Place place = document.place().member("partita");
  const ObjectView view(*header, place, "the header of a certificate");
  if (view.text("format", "certificate") != "certificate") {
    place.fail(ErrorKind::BadField, "says that this is another kind of file; expected format certificate");
  }
  const std::int64_t version = view.integer("version", "the version of the format");
  if (version > kNewest)
    place.fail(ErrorKind::BadField, "is of a newer version than this program reads; use a newer partita");
  return version;
}

int buckets_of(const ObjectView& view) {
  return static_cast<int>(std::clamp<std::int64_t>(view.integer("buckets", "an integer"), -1, 1 << 30));
}

// Of windows.
int places_of(const ObjectView& view, const char* key) {
  return static_cast<int>(std::clamp<std::int64_t>(view.integer(key, "a number of places"), 1, 1 << 30));
}

std::array<std::int64_t, 2> read_weights(const ObjectView& view, const char* key) {
  const char* const expected = "two integers, of the forward and the backward pass";
  const json& pair = view.array(key, expected);
  const Place place = view.place().member(key);
  check_pair(pair, place, expected);
  return {integer_at(pair[0], place, expected), integer_at(pair[1], place, expected)};
}

std::vector<std::int64_t> read_nodes(const json& list, const Place& place, MemoryMeter& meter) {
  if (!list.is_array()) fail_type(list, place, "a list of ids of nodes");
  meter.add(sizeof(std::vector<std::int64_t>) + 2 * list.size() * sizeof(std::int64_t), place);
  std::vector<std::int64_t> nodes;
  for (const json& id : list) nodes.push_back(integer_at(id, place, "the id of a node"));
  return nodes;
}

// Prices and what is said of devices: of a leaf, or of a certificate without leaves.
class PricesReader {
 public:
  explicit PricesReader(MemoryMeter& meter) : meter_(meter) {}

  static bool knows(const std::string& list) {
    return list == "classes" || list == "devices" || list == "ignored" || list == "narrowed" || list == "forgotten";
  }

  // Precondition: knows(list).
  void add(const std::string& list, const json& element, const Place& place) {
    if (list == "classes") {
      add_class(element, place);
    } else if (list == "devices") {
      add_devices(element, place);
    } else if (list == "ignored") {
      add_ignored(element, place);
    } else if (list == "narrowed") {
      add_narrowed(element, place);
    } else {
      add_forgotten(element, place);
    }
  }

  // Hands over what was read.
  void finish(const Place& place, std::vector<Certificate::Class>& classes,
              std::vector<Certificate::Devices>& devices) {
    for (auto& [at, transfer] : ignored_) entry(at, place, "ignored").ignored.push_back(transfer);
    for (auto& [at, transfer] : narrowed_) entry(at, place, "narrowed").narrowed.push_back(std::move(transfer));
    for (const auto& [at, node] : forgotten_) entry(at, place, "forgotten").forgotten.push_back(node);
    classes = std::move(classes_);
    devices = std::move(devices_);
  }

  // The one entry of a version that had no list of devices.
  void say_of_all(Certificate::Devices devices) { devices_.assign(1, std::move(devices)); }

 private:
  Certificate::Devices& entry(std::size_t at, const Place& place, const char* list) {
    if (at >= devices_.size()) place.member(list).fail(ErrorKind::BadField, "names an entry that `devices` lacks");
    return devices_[at];
  }

  void add_class(const json& pair, const Place& place) {
    check_pair(pair, place, "a pair [node id, price]");
    meter_.add(2 * sizeof(Certificate::Class), place);
    classes_.push_back(
        {integer_at(pair[0], place, "the id of a node"), integer_at(pair[1], place, "an integer price")});
  }

  void add_devices(const json& element, const Place& place) {
    const ObjectView view(element, place, "what is said of a class of devices");
    meter_.add(2 * sizeof(Certificate::Devices), place);
    Certificate::Devices devices{.name = view.text("class", "the name of a class of devices"),
                                 .memory_toll = view.integer("memory_toll", "an integer"),
                                 .most = std::nullopt};
    if (!devices.name) place.fail(ErrorKind::BadField, "lacks the name of a class of devices");
    if (view.find("theta")) {  // not where a knapsack takes the place of the program
      devices.theta = view.integer("theta", "an integer");
      devices.buckets = buckets_of(view);
      devices.most = view.integer("most", "an integer price");
    }
    devices_.push_back(std::move(devices));
  }

  // [entry of devices, producer id, consumer id or null]; the first is left out where there is one entry for all.
  void add_ignored(const json& triple, const Place& place) {
    const char* const expected = "[producer id, consumer id or null], after the entry of `devices` that it is for";
    if (!triple.is_array() || triple.size() < 2 || triple.size() > 3) fail_type(triple, place, expected);
    meter_.add(2 * sizeof(std::pair<std::size_t, Certificate::Transfer>), place);
    const std::size_t first = triple.size() - 2;
    const std::int64_t at = first == 0 ? 0 : integer_at(triple[0], place, "the place of an entry in `devices`");
    Certificate::Transfer transfer{integer_at(triple[first], place, "the id of a node"), std::nullopt};
    const json& consumer = triple[first + 1];
    if (!consumer.is_null()) transfer.consumer = integer_at(consumer, place, "the id of a node, or null");
    ignored_.emplace_back(static_cast<std::size_t>(at), transfer);  // below 0 is beyond all entries
  }

  void add_narrowed(const json& triple, const Place& place) {
    const char* const expected = "[entry of `devices`, ids of nodes, those of them that count]";
    if (!triple.is_array() || triple.size() != 3) fail_type(triple, place, expected);
    meter_.add(2 * sizeof(std::pair<std::size_t, Certificate::Narrowed>), place);
    narrowed_.emplace_back(
        static_cast<std::size_t>(integer_at(triple[0], place, "the place of an entry in `devices`")),
        Certificate::Narrowed{read_nodes(triple[1], place, meter_), read_nodes(triple[2], place, meter_)});
  }

  void add_forgotten(const json& pair, const Place& place) {
    check_pair(pair, place, "a pair [entry of `devices`, node id]");
    meter_.add(2 * sizeof(std::pair<std::size_t, std::int64_t>), place);
    forgotten_.emplace_back(static_cast<std::size_t>(integer_at(pair[0], place, "the place of an entry in `devices`")),
                            integer_at(pair[1], place, "the id of a node"));
  }

  MemoryMeter& meter_;
  std::vector<Certificate::Class> classes_;
  std::vector<Certificate::Devices> devices_;
  // With the place of their entry in devices.
  std::vector<std::pair<std::size_t, Certificate::Transfer>> ignored_;
  std::vector<std::pair<std::size_t, Certificate::Narrowed>> narrowed_;
  std::vector<std::pair<std::size_t, std::int64_t>> forgotten_;
};

// Certificates come from anybody: their lists go element by element into the result, and no tree of them is built, but
// of one leaf at a time.
class CertificateBuilder final : public DocumentListener {
 public:
  CertificateBuilder(const std::string& source, const ReadOptions& options) : source_(source), meter_(options.memory) {}

  const char* expected() const override { return "a certificate"; }

  Keep keep(const std::string& key) override {
    return PricesReader::knows(key) || key == "leaves" || key == "steps" || key == "sweeps" ? Keep::Elements
                                                                                            : Keep::All;
  }

  void element(const std::string& key, std::size_t index, const json& element, const json& document) override {
    if (index == 0 && document.contains("partita")) check_header(ObjectView(document, root_, expected()));
    const Place list = root_.member(key);
    const Place place = list.element(index);
    if (key == "leaves") {
      add_leaf(element, place);
    } else if (key == "steps") {
      add_step(element, place);
    } else if (key == "sweeps") {
      add_sweep(element, place);
    } else {
      prices_.add(key, element, place);
    }
  }

  Certificate finish(const json& document) {
    const ObjectView view(document, root_, expected());
    const std::int64_t version = check_header(view);
    certificate_.limit = view.amount("limit", "the value that no split is at or below");
    certificate_.objective = read_objective(view);
    if (certificate_.objective == Objective::Latency) {
      view.array("sweeps", "the list of sweeps of labels");
      prices_.finish(root_, certificate_.classes, certificate_.devices);
      return std::move(certificate_);
    }
    if (view.find("ideals")) certificate_.ideals = places_of(view, "ideals");
    const bool only_leaf = certificate_.leaves.empty() && !certificate_.ideals;
    if (only_leaf) {
      view.array("classes", "the list of [node id, price] of each class");
      if (version <= kIgnoring) {
        view.array("ignored", "the list of transfers left out");
      } else {
        view.array("narrowed", "the list of transfers of which some groups count alone");
      }
    }
    if (version <= kOneClass) {
      prices_.say_of_all({.name = std::nullopt,
                          .memory_toll = view.integer("memory_toll", "an integer"),
                          .theta = view.integer("theta", "an integer"),
                          .buckets = buckets_of(view),
                          .most = std::nullopt});
    } else {
      if (only_leaf) view.array("devices", "the list of what is said of each class of devices");
      const Place place = root_.member("weights");
      const json* given = view.find("weights");
      if (!given) place.fail(ErrorKind::BadField, "is missing; expected the weights of compute and transfers");
      const ObjectView weights(*given, place, "the weights of compute and transfers");
      certificate_.weights = {read_weights(weights, "compute"), read_weights(weights, "transfers")};
    }
    if (version > kFreeSplits) certificate_.shape = read_shape(view);
    prices_.finish(root_, certificate_.classes, certificate_.devices);
    return std::move(certificate_);
  }

 private:
  static Shape read_shape(const ObjectView& view) {
    const char* const expected = "free, contiguous or staged";
    const std::optional<Shape> shape = parse_shape(view.text("shape", expected).value_or(""));
    if (!shape)
      view.place().member("shape").fail(ErrorKind::BadField,
                                        "is no shape of splits; expected " + std::string(expected));
    return *shape;
  }

  // Missing where it is about loads.
  static Objective read_objective(const ObjectView& view) {
    const char* const expected = "latency, or nothing for loads";
    const std::optional<std::string> text = view.text("objective", expected);
    const std::optional<Objective> objective = parse_objective(text.value_or(to_string(Objective::MaxLoad)));
    if (objective != Objective::Latency && objective != Objective::MaxLoad)
      view.place()
          .member("objective")
          .fail(ErrorKind::BadField, "is nothing that certificates are about; expected " + std::string(expected));
    return *objective;
  }

  void add_sweep(const json& element, const Place& place) {
    const ObjectView view(element, place, "a sweep of labels");
    meter_.add(2 * sizeof(Certificate::Sweep), place);
    Certificate::Sweep& sweep = certificate_.sweeps.emplace_back();
    sweep.toll = view.integer("toll", "an integer");
    const json* reversed = view.find("reversed");
    if (!reversed || !reversed->is_boolean())
      place.member("reversed").fail(ErrorKind::BadField, "is missing, or is neither true nor false");
    sweep.reversed = reversed->get<bool>();
    const json& list = view.array("labels", "the list of [node id, node id or null, time]");
    const Place labels = place.member("labels");
    for (std::size_t i = 0; i < list.size(); ++i) {
      const Place at = labels.element(i);
      const json& triple = list[i];
      if (!triple.is_array() || triple.size() != 3) fail_type(triple, at, "[node id, node id or null, time]");
      meter_.add(2 * sizeof(Certificate::Sweep::Label), at);
      Certificate::Sweep::Label label{integer_at(triple[0], at, "the id of a node"), std::nullopt,
                                      integer_at(triple[2], at, "an integer time")};
      if (!triple[1].is_null()) label.other = integer_at(triple[1], at, "the id of a node, or null");
      sweep.labels.push_back(label);
    }
  }

  void add_step(const json& element, const Place& place) {
    const ObjectView view(element, place, "a step");
    meter_.add(2 * sizeof(Certificate::Step), place);
    Certificate::Step& step = certificate_.steps.emplace_back();
    if (const json* pair = view.find("join")) {
      check_pair(*pair, place.member("join"), "the ids of two nodes");
      step.node = integer_at((*pair)[0], place, "the id of a node");
      step.join = integer_at((*pair)[1], place, "the id of a node");
      return;
    }
    if (view.find("windows")) {
      step.windows = places_of(view, "windows");
      return;
    }
    step.node = view.integer("remove", "the id of a node, or `join` or `windows`");
    const Place shifts = place.member("shifts"), into = place.member("into");
    for (const json& one : view.array("shifts", "a list")) {
      const ObjectView shift(one, shifts, "a shift");
      step.shifts.push_back({read_nodes(shift.array("transfer", "a list of ids of nodes"), shifts, meter_),
                             shift.integer("to", "the id of a node")});
    }
    if (view.find("links")) {
      const Place links = place.member("links");
      for (const json& one : view.array("links", "a list")) {
        const ObjectView link(one, links, "a link");
        meter_.add(2 * sizeof(Certificate::Step::Link), links);
        step.links.push_back({read_nodes(link.array("a", "a list of ids of nodes"), links, meter_),
                              read_nodes(link.array("b", "a list of ids of nodes"), links, meter_),
                              link.integer("cost", "an integer"),
                              {}});
        if (link.find("without"))
          step.links.back().without = read_nodes(link.array("without", "a list of ids of nodes"), links, meter_);
      }
    }
    step.bridge = read_nodes(view.array("bridge", "a list of ids of nodes"), place, meter_);
    for (const json& one : view.array("into", "a list")) step.into.push_back(read_nodes(one, into, meter_));
  }

  void add_leaf(const json& element, const Place& place) {
    const ObjectView view(element, place, "a leaf");
    meter_.add(2 * sizeof(Certificate::Leaf), place);
    PricesReader prices(meter_);
    Certificate::Leaf leaf;
    const auto each = [&](const char* key, const char* expected, const auto& add) {
      const json& list = view.array(key, expected);
      const Place list_place = place.member(key);
      for (std::size_t i = 0; i < list.size(); ++i) add(list[i], list_place.element(i));
    };
    each("decisions", "the list of [node id, node id, together?]", [&](const json& triple, const Place& at) {
      if (!triple.is_array() || triple.size() != 3 || !triple[2].is_boolean())
        fail_type(triple, at, "[node id, node id, true if they are together]");
      meter_.add(2 * sizeof(Certificate::Decision), at);
      leaf.decisions.push_back({integer_at(triple[0], at, "the id of a node"),
                                integer_at(triple[1], at, "the id of a node"), triple[2].get<bool>()});
    });
    const char* const transfers = view.find("narrowed") ? "narrowed" : "ignored";
    for (const char* list : {"classes", "devices", transfers, "forgotten"})
      each(list, "a list", [&](const json& one, const Place& at) { prices.add(list, one, at); });
    prices.finish(place, leaf.classes, leaf.devices);
    certificate_.leaves.push_back(std::move(leaf));
  }

  const std::string source_;
  const Place root_{source_};
  MemoryMeter meter_;
  Certificate certificate_;
  PricesReader prices_{meter_};
};

Certificate read_certificate_text(TextStream text, const ReadOptions& options) {
  CertificateBuilder builder(text.source(), options);
  return builder.finish(read_json(text, builder));
}

}  // namespace

Certificate parse_certificate(std::string_view bytes, const std::string& source, const ReadOptions& options) {
  return read_certificate_text(TextStream(memory_source(bytes), source), options);
}

Certificate read_certificate(const std::string& path, const ReadOptions& options) {
  return read_certificate_text(TextStream(file_source(path), source_name(path)), options);
}

}  // namespace partita::detail
