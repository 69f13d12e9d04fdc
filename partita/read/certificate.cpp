// SPDX-License-Identifier: Apache-2.0
#include "partita/read/certificate.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "partita/read/bytes.h"
#include "partita/read/fields.h"
#include "partita/read/json_document.h"

namespace partita {
namespace {

using nlohmann::json;

constexpr std::int64_t kNewest = 1;

// A pair [a, b] of a list.
const json& pair_at(const json& list, std::size_t index, const Place& place, const char* expected) {
  const json& pair = list[index];
  if (!pair.is_array() || pair.size() != 2) fail_type(pair, place, expected);
  return pair;
}

void check_header(const ObjectView& document) {
  const json* header = document.find("partita");
  if (!header)
    document.place().fail(ErrorKind::BadField,
                          "is no certificate; expected the file that `partita plan --certificate` wrote");
  const Place place = document.place().member("partita");
  const ObjectView view(*header, place, "the header of a certificate");
  if (view.text("format", "certificate") != "certificate") {
    place.fail(ErrorKind::BadField, "says that this is another kind of file; expected format certificate");
  }
  if (view.integer("version", "the version of the format") > kNewest) {
    place.fail(ErrorKind::BadField, "is of a newer version than this program reads; use a newer partita");
  }
}

}  // namespace

Certificate parse_certificate(std::string_view bytes, const std::string& source) {
  const json document = parse_json(bytes, source);
  const Place root(source);
  const ObjectView view(document, root, "a certificate");
  check_header(view);
  Certificate certificate;
  certificate.limit = view.amount("limit", "the value that no split is at or below");
  certificate.memory_toll = view.integer("memory_toll", "an integer");
  certificate.theta = view.integer("theta", "an integer");
  certificate.buckets = static_cast<int>(std::clamp<std::int64_t>(view.integer("buckets", "an integer"), -1, 1 << 30));
  const json& classes = view.array("classes", "the list of [node id, price] of each class");
  const Place classes_place = root.member("classes");
  for (std::size_t i = 0; i < classes.size(); ++i) {
    const Place place = classes_place.element(i);
    const json& pair = pair_at(classes, i, place, "a pair [node id, price]");
    certificate.classes.push_back(
        {integer_at(pair[0], place, "the id of a node"), integer_at(pair[1], place, "an integer price")});
  }
  const json& ignored =
      view.array("ignored", "the list of [producer id, consumer id or null] of each transfer left out");
  const Place ignored_place = root.member("ignored");
  for (std::size_t i = 0; i < ignored.size(); ++i) {
    const Place place = ignored_place.element(i);
    const json& pair = pair_at(ignored, i, place, "a pair [producer id, consumer id or null]");
    Certificate::Transfer transfer{integer_at(pair[0], place, "the id of a node"), std::nullopt};
    if (!pair[1].is_null()) transfer.consumer = integer_at(pair[1], place, "the id of a node, or null");
    certificate.ignored.push_back(transfer);
  }
  return certificate;
}

Certificate read_certificate(const std::string& path) { return parse_certificate(read_bytes(path), source_name(path)); }

}  // namespace partita
