// SPDX-License-Identifier: Apache-2.0
#include "partita/model/shared_links.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "partita/util/visible_text.h"

namespace partita::detail {
namespace {

int deepest_level(const Cluster& cluster) {
  int deepest = 0;
  for (const Cluster& inside : cluster.clusters) deepest = std::max(deepest, 1 + deepest_level(inside));
  return deepest;
}

bool no_amount(double number) { return !std::isfinite(number) || number < 0; }

std::string fault_of_classes(const Platform& platform, const SharedLink& link) {
  for (std::size_t i = 0; i < link.classes.size(); ++i) {
    const ClassId c = link.classes[i];
    if (!c.valid() || c.index() >= platform.classes.size()) return "names a class that the platform does not have";
    const std::string name = visible(platform.classes[c].name, kLongestShownName);
    if (platform.classes[c].kind == DeviceKind::Host)
      return fmt::format("found \"{}\", a class of hosts, which pay for no transfer; expected accelerators", name);
    if (std::find(link.classes.begin(), link.classes.begin() + static_cast<std::ptrdiff_t>(i), c) !=
        link.classes.begin() + static_cast<std::ptrdiff_t>(i))
      return fmt::format("found \"{}\" twice; expected each class once", name);
  }
  return "";
}

}  // namespace

SharedLinkFault shared_link_fault(const Platform& platform, std::size_t place) {
  const SharedLink& link = platform.shared_links[place];
  if (link.name.empty() || std::ranges::any_of(link.name, [](char c) { return static_cast<unsigned char>(c) < 0x20; }))
    return {"name", fmt::format("found \"{}\"; expected a text of one line that is not empty", visible(link.name, 60))};
  for (std::size_t other = 0; other < place; ++other) {
    if (platform.shared_links[other].name != link.name) continue;
    return {"name", fmt::format("\"{}\" is also the name of another shared link; expected names that are all different",
                                visible(link.name, 60))};
  }
  if (no_amount(link.link.factor) || no_amount(link.link.latency)) {
    return {"link", fmt::format("found factor {} and latency {}; expected 0 or more for both", link.link.factor,
                                link.link.latency)};
  }
  if (const std::string text = fault_of_classes(platform, link); !text.empty()) return {"classes", text};
  const int deepest = platform.clusters ? deepest_level(*platform.clusters) : 0;
  if (link.level < 0 || link.level > deepest) {
    return {"level",
            deepest == 0
                ? fmt::format("found {}; expected none, as the platform has no clusters within others", link.level)
                : fmt::format("found {}; expected a level of clusters from 1 (right inside the "
                              "outermost one) to {}, or 0 for none",
                              link.level, deepest)};
  }
  return {};
}

bool goes_over(const Platform& platform, const SharedLink& link, ClassId its_class) {
  return platform.classes[its_class].kind == DeviceKind::Accelerator &&
         (link.classes.empty() || std::ranges::find(link.classes, its_class) != link.classes.end());
}

bool has_shared_links(const Problem& problem) {
  return problem.objective != Objective::Latency && !problem.workload->platform.shared_links.empty();
}

Problem without_shared_links(const Problem& problem) {
  if (problem.workload->platform.shared_links.empty()) return problem;
  Problem result = problem;
  result.workload.change().platform.shared_links.clear();
  return result;
}

}  // namespace partita::detail
