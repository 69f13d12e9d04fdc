// SPDX-License-Identifier: Apache-2.0
#include "partita/read/certificate.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "partita/read/bytes.h"
#include "partita/read/fields.h"
#include "partita/read/json_document.h"
#include "partita/read/memory_meter.h"

namespace partita {
namespace {

using nlohmann::json;

constexpr std::int64_t kNewest = 1;

void check_pair(const json& pair, const Place& place, const char* expected) {
  if (!pair.is_array() || pair.size() != 2) fail_type(pair, place, expected);
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

// Certificates come from anybody: their lists go pair by pair into the result, and no tree of them is built.
class CertificateBuilder final : public DocumentListener {
 public:
  CertificateBuilder(const std::string& source, const ReadOptions& options) : source_(source), meter_(options.memory) {}

  const char* expected() const override { return "a certificate"; }

  Keep keep(const std::string& key) override {
    return key == "classes" || key == "ignored" ? Keep::Elements : Keep::All;
  }

  void element(const std::string& key, std::size_t index, const json& pair, const json& document) override {
    if (index == 0 && document.contains("partita")) check_header(ObjectView(document, root_, expected()));
    const Place list = root_.member(key);
    const Place place = list.element(index);
    if (key == "classes") {
      add_class(pair, place);
    } else {
      add_ignored(pair, place);
    }
  }

  Certificate finish(const json& document) {
    const ObjectView view(document, root_, expected());
    check_header(view);
    certificate_.limit = view.amount("limit", "the value that no split is at or below");
    certificate_.memory_toll = view.integer("memory_toll", "an integer");
    certificate_.theta = view.integer("theta", "an integer");
    certificate_.buckets =
        static_cast<int>(std::clamp<std::int64_t>(view.integer("buckets", "an integer"), -1, 1 << 30));
    view.array("classes", "the list of [node id, price] of each class");
    view.array("ignored", "the list of [producer id, consumer id or null] of each transfer left out");
    return std::move(certificate_);
  }

 private:
  void add_class(const json& pair, const Place& place) {
    check_pair(pair, place, "a pair [node id, price]");
    meter_.add(2 * sizeof(Certificate::Class), place);
    certificate_.classes.push_back(
        {integer_at(pair[0], place, "the id of a node"), integer_at(pair[1], place, "an integer price")});
  }

  void add_ignored(const json& pair, const Place& place) {
    check_pair(pair, place, "a pair [producer id, consumer id or null]");
    meter_.add(2 * sizeof(Certificate::Transfer), place);
    Certificate::Transfer transfer{integer_at(pair[0], place, "the id of a node"), std::nullopt};
    if (!pair[1].is_null()) transfer.consumer = integer_at(pair[1], place, "the id of a node, or null");
    certificate_.ignored.push_back(transfer);
  }

  const std::string source_;
  const Place root_{source_};
  MemoryMeter meter_;
  Certificate certificate_;
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

}  // namespace partita
