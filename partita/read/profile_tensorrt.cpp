// SPDX-License-Identifier: Apache-2.0
// What `trtexec --exportProfile` writes: [{"count": runs}, {"name": ..., "timeMs": of all runs, "averageMs": ..., ...}, ...]
// A layer has the names of its operators, with " + " or "," between them. What Myelin has compiled is called
// {ForeignNode[first...last]}: nobody says what is between the two, so its time belongs to no operator.
#include "partita/read/profile_tensorrt.h"

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

// In seconds.
double time_of(const ObjectView& layer, double runs) {
  for (const char* key : {"medianMs", "averageMs"}) {
    if (layer.find(key)) return 1e-3 * layer.amount(key, "a time in ms");
  }
  return 1e-3 * layer.amount("timeMs", "a time in ms, of all runs") / runs;
}

}  // namespace

Profile parse_tensorrt_profile(std::string_view text, const std::string& source, const ProfileNames& names) {
  TextStream stream(memory_source(text), source);
  const json document = read_json(stream);
  const Place root(source);
  ProfileTimes times(names, source);
  double runs = 1, foreign_seconds = 0;
  std::size_t foreign = 0;
  if (!document.is_array()) fail_type(document, root, "a list of layers, as TensorRT's trtexec exports it");
  for (std::size_t i = 0; i < document.size(); ++i) {
    const Place place = root.element(i);
    const ObjectView layer(document[i], place, "a layer with a name and a time, as TensorRT's trtexec exports it");
    if (i == 0 && layer.has_key("count")) {
      runs = std::max(1.0, layer.amount("count", "a number of runs"));
      continue;
    }
    const std::optional<std::string> name = layer.text("name", "the name of a layer");
    if (!name) place.fail(ErrorKind::BadField, "name is missing; expected the name of a layer");
    const double seconds = time_of(layer, runs);
    if (name->find("ForeignNode[") != std::string::npos) {
      ++foreign;
      foreign_seconds += seconds;
      continue;
    }
    const std::vector<OperatorId> operators = names.find_all(*name);
    if (operators.empty()) {
      times.add_unknown(*name);
    } else {
      times.add(operators, seconds);
    }
  }
  std::vector<std::string> notes;
  if (foreign > 0) {
    notes.push_back(
        fmt::format("{} layers of {:.4g} ms were compiled as a whole (ForeignNode), and TensorRT does not say "
                    "of which operators: these keep their estimates",
                    foreign, foreign_seconds * 1e3));
  }
  return times.finish(std::move(notes));
}

}  // namespace partita::detail
