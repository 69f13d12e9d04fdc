// SPDX-License-Identifier: Apache-2.0
#include "partita/model/wishes.h"

#include <fmt/format.h>

#include <unordered_map>

#include "partita/model/workload.h"
#include "partita/util/error.h"
#include "partita/util/visible_text.h"

namespace partita {

using namespace detail;

namespace {

class WishMatch {
 public:
  WishMatch(const Workload& workload, const std::string& source) : workload_(workload), source_(source) {
    for (NodeId v : workload.graph.nodes.all()) node_of_.emplace(workload.graph.nodes[v].original_id, v);
  }

  NodeId node(std::int64_t id) const {
    const auto known = node_of_.find(id);
    if (known == node_of_.end()) fail(fmt::format("it wishes something of node {}, which the graph does not have", id));
    return known->second;
  }

  std::vector<std::vector<NodeId>> lists(const std::vector<std::vector<std::int64_t>>& listed) const {
    std::vector<std::vector<NodeId>> lists;
    for (const std::vector<std::int64_t>& ids : listed) {
      lists.emplace_back();
      for (const std::int64_t id : ids) lists.back().push_back(node(id));
    }
    return lists;
  }

  Pin pin(const WishListing::ListedPin& listed) const {
    const Platform& platform = workload_.platform;
    ClassId c;
    for (ClassId id : platform.classes.all()) {
      if (platform.classes[id].name == listed.device_class) c = id;
    }
    const bool known =
        c.valid() && (!listed.index || (*listed.index >= 0 && *listed.index < platform.classes[c].count));
    if (!known) {
      fail(fmt::format(
          "it pins node {} to {}{}, which is none of the devices here; give the devices that it was made for",
          listed.node, visible(listed.device_class, kLongestShownName),
          listed.index ? fmt::format(" {}", *listed.index) : ""));
    }
    if (!listed.index) return {node(listed.node), c};
    return {node(listed.node), DeviceId(platform.first_device(c).index() + static_cast<std::size_t>(*listed.index))};
  }

 private:
  [[noreturn]] void fail(const std::string& problem) const { throw InputError(ErrorKind::BadField, source_, problem); }

  const Workload& workload_;
  const std::string& source_;
  std::unordered_map<std::int64_t, NodeId> node_of_;
};

}  // namespace

Wishes match_wishes(const WishListing& listing, const Workload& workload, const std::string& source) {
  Wishes wishes;
  if (listing.empty()) return wishes;
  const WishMatch match(workload, source);
  for (const WishListing::ListedPin& pin : listing.pins) wishes.pins.push_back(match.pin(pin));
  wishes.together = match.lists(listing.together);
  wishes.apart = match.lists(listing.apart);
  return wishes;
}

}  // namespace partita
