// SPDX-License-Identifier: Apache-2.0
#include "partita/read/links.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "partita/model/shared_links.h"
#include "partita/read/physical_class.h"
#include "partita/read/physical_fields.h"
#include "partita/util/error.h"

namespace partita::detail {
namespace {

const FieldNames kSharedLinkFields{"a shared link",
                                   {"bandwidth", "classes", "factor", "latency", "level", "link", "name"}};

constexpr const char* kSharedLinkExpected = "a shared link: an object with name, classes, bandwidth and latency";
constexpr const char* kClassNames = "a list of names of classes of accelerators";

std::vector<ClassId> classes_behind(const ObjectView& fields, const Platform& platform) {
  std::vector<ClassId> classes;
  if (!fields.find("classes")) return classes;
  const nlohmann::json& list = fields.array("classes", kClassNames);
  const Place place = fields.place().member("classes");
  if (list.empty())
    place.fail(ErrorKind::BadPlatform,
               "is empty; expected the classes behind the link, or no list for all accelerators");
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (!list[i].is_string()) fail_type(list[i], place.element(i), "the name of a class");
    const std::string& name = list[i].get_ref<const std::string&>();
    const auto found = std::ranges::find(platform.classes, name, &DeviceClass::name);
    if (found == platform.classes.end()) {
      place.element(i).fail(
          ErrorKind::BadPlatform,
          fmt::format("no class is called \"{}\"; expected the name of one of the classes", one_line(name, 60)));
    }
    classes.push_back(ClassId(static_cast<std::size_t>(found - platform.classes.begin())));
  }
  return classes;
}

Link tariff_of(const ObjectView& fields, bool physical) {
  const auto refuse = [&](const char* key, const char* problem) {
    if (fields.find(key)) fields.place().member(key).fail(ErrorKind::BadPlatform, problem);
  };
  if (!physical) {
    constexpr const char* kOthersPriced =
        "is for platforms whose classes say what they can do; expected factor and latency, as costs are given";
    refuse("bandwidth", kOthersPriced);
    refuse("link", kOthersPriced);
    return read_link(fields);
  }
  refuse("factor", "is for platforms whose costs are given; expected bandwidth and latency");
  if (const nlohmann::json* link = fields.find("link")) {
    refuse("bandwidth", "is given beside link; expected one of the two");
    refuse("latency", "is given beside link; expected one of the two");
    return read_physical_link(*link, fields.place().member("link"));
  }
  return physical_link(fields);
}

SharedLink read_shared_link(const ObjectView& fields, const PlatformSpec& spec) {
  SharedLink link;
  constexpr const char* kName = "the link's name, a text of one line that is not empty";
  const std::optional<std::string> name = fields.text("name", kName);
  if (!name) fields.place().member("name").fail(ErrorKind::BadField, fmt::format("is missing; expected {}", kName));
  link.name = *name;
  link.link = tariff_of(fields, is_physical(spec));
  link.classes = classes_behind(fields, spec.platform);
  const std::int64_t level =
      fields.optional_integer("level", "a level of clusters, 1 for those right inside the outermost one").value_or(0);
  // What is no level is refused with all else that is wrong.
  link.level = level < 0 || level > std::numeric_limits<int>::max() ? -1 : static_cast<int>(level);
  return link;
}

}  // namespace

Link read_link(const ObjectView& fields) {
  Link link;
  link.factor = fields.amount_or("factor", 1, "how many times the edge's cost a transfer costs, a number, 0 or more");
  link.latency = fields.amount_or(
      "latency", 0, "what each transfer takes beside that, in the workload's unit of time, a number, 0 or more");
  return link;
}

void read_shared_links(const ObjectView& platform, UnknownFields& unknown, PlatformSpec& spec) {
  if (!platform.find("sharedLinks")) return;
  const nlohmann::json& list = platform.array("sharedLinks", "a list of links that several devices are behind");
  const Place list_place = platform.place().member("sharedLinks");
  if (list.size() > kMaxSharedLinks) {
    list_place.fail(ErrorKind::BadPlatform,
                    fmt::format("is a list of {}; expected at most {}", list.size(), kMaxSharedLinks));
  }
  for (std::size_t i = 0; i < list.size(); ++i) {
    const Place place = list_place.element(i);
    const ObjectView fields(list[i], place, kSharedLinkExpected, &kSharedLinkFields);
    unknown.look_at(list[i], place, kSharedLinkFields);
    spec.platform.shared_links.push_back(read_shared_link(fields, spec));
    const SharedLinkFault fault = shared_link_fault(spec.platform, i);
    if (!fault.text.empty()) place.member(fault.field).fail(ErrorKind::BadPlatform, fault.text);
  }
}

}  // namespace partita::detail
