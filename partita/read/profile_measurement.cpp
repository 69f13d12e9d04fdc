// SPDX-License-Identifier: Apache-2.0
// What Partita's Python package writes of what it measured (docs/measuring.md):
//
//   {"partita": {"format": "measurement", "version": 1}, "operators": [{"name": "conv1", "seconds": 1.2e-3, "spread": 3e-5}, ...]}
//
// A time is the median of many runs, and its spread how far half of the runs lie from it. What the model had measured as a whole
// is for people and for the package itself: `whole`, `link` and all other members are passed over.
#include "partita/read/profile_measurement.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "partita/read/bytes.h"
#include "partita/read/fields.h"
#include "partita/read/json_document.h"
#include "partita/read/text_stream.h"
#include "partita/util/error.h"

namespace partita::detail {

namespace {

using nlohmann::json;

constexpr std::int64_t kNewestMeasurement = 1;
constexpr double kLargeSpread = 0.1;  // as a part of the time: the best split may be another on the next day

class MeasurementReader final : public DocumentListener {
 public:
  MeasurementReader(const std::string& source, const ProfileNames& names)
      : root_(source), times_(names, source), names_(names) {}

  const char* expected() const override { return "a measurement by partita"; }

  Keep keep(const std::string& key) override {
    if (key == "operators") return Keep::Elements;
    return key == "partita" ? Keep::All : Keep::Nothing;
  }

  void element(const std::string& key, std::size_t index, const json& value, const json& document) override {
    if (index == 0) check_format(document);
    const Place list = root_.member(key);
    const Place place = list.element(index);
    const ObjectView entry(value, place, "an operator with a name and its time in seconds");
    const std::optional<std::string> name = entry.text("name", "the name of an operator");
    if (!name) place.fail(ErrorKind::BadField, "name is missing; expected the name of an operator");
    const double seconds = entry.amount("seconds", "a time in seconds");
    const double spread = entry.amount_or("spread", 0, "how far the runs lie from it, in seconds");
    if (const std::optional<OperatorId> found = names_.find(*name)) {
      times_.add({*found}, seconds);
      total_ += seconds;
      spread_ += spread;
    } else {
      times_.add_unknown(*name);
    }
  }

  // `operators` may also come before the head, or be missing.
  void check_format(const json& document) const {
    constexpr const char* kExpected =
        "a measurement, as the Python package of Partita writes it, a list of events, or CSV";
    const ObjectView fields(document, root_, kExpected);
    const json* head = fields.find("partita");
    if (!head)
      root_.fail(ErrorKind::BadField,
                 fmt::format("has no member partita before its operators; expected {}", kExpected));
    const Place place = root_.member("partita");
    const ObjectView about(*head, place, kExpected);
    const std::string format = about.text("format", "a format").value_or("");
    if (format != "measurement")
      place.fail(ErrorKind::BadField,
                 fmt::format("found the format '{}'; expected {}", one_line(format, 40), kExpected));
    check_version(about, "measurement", kNewestMeasurement);
  }

  Profile finish() {
    std::vector<std::string> notes;
    if (total_ > 0 && spread_ > kLargeSpread * total_) {
      notes.push_back(fmt::format("measured times vary by {:.0f} % from run to run: gains below that are noise",
                                  100 * spread_ / total_));
    }
    times_.absorb_unnamed();
    return times_.finish(std::move(notes));
  }

 private:
  Place root_;
  ProfileTimes times_;
  const ProfileNames& names_;
  double total_ = 0;   // seconds
  double spread_ = 0;  // seconds
};

}  // namespace

Profile parse_measurement(std::string_view text, const std::string& source, const ProfileNames& names) {
  TextStream stream(memory_source(text), source);
  MeasurementReader reader(source, names);
  const json document = read_json(stream, reader);
  reader.check_format(document);
  return reader.finish();
}

}  // namespace partita::detail
