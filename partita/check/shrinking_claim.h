// SPDX-License-Identifier: Apache-2.0
// Groups and transfers while the steps of a certificate make them fewer (claim_steps.h).
#pragma once

#include <optional>
#include <vector>

#include "partita/check/claim_instance.h"
#include "partita/util/union_find.h"

namespace partita::detail {

class ShrinkingClaim {
 public:
  // By class of devices: which are hosts.
  ShrinkingClaim(const ClaimInstance& instance, std::vector<char> is_host);

  struct Net {
    std::vector<std::int64_t> load;    // by class of devices
    std::vector<std::size_t> members;  // groups, sorted; none: it is gone
    std::vector<ClaimInstance::TransferName> names;
  };

  // The number of a group is that of its first member.
  std::size_t group(std::size_t part) const { return parts_.find(GroupId(part)).index(); }
  bool gone(std::size_t group) const { return gone_[group] != 0; }
  const std::vector<ClaimInstance::GroupOn>& on(std::size_t group) const { return on_[group]; }
  const std::vector<Net>& nets() const { return nets_; }
  std::vector<std::size_t> nets_of(std::size_t group) const;

  // What was made so far takes at most this: extended transfers may have many members.
  std::size_t bytes() const { return bytes_; }

  void join(std::size_t a, std::size_t b);
  // No host may hold the group. False if none could before.
  bool keep_off_hosts(std::size_t group);

  // Of the transfers of a group: the one with these members besides. Nothing where there is none.
  std::optional<std::size_t> find_net(std::size_t group, std::vector<std::size_t> others) const;
  void shift(std::size_t from, std::size_t net, std::size_t to);
  // Of two transfers of the group, with their other members but for some. It costs so much on each class, or what the
  // cheaper of them does.
  void link(std::size_t group, std::size_t a, std::size_t b, std::int64_t cost, const std::vector<std::size_t>& but);
  // Afterwards the group is gone. `bridge` and `into` are transfers of the group, each but once.
  void remove(std::size_t group, std::optional<std::size_t> bridge, const std::vector<std::size_t>& into);

 private:
  void put(Net net);
  Net take(std::size_t net);

  std::vector<char> is_host_;
  UnionFind<GroupId> parts_;
  std::vector<char> gone_;
  std::vector<std::vector<ClaimInstance::GroupOn>> on_;
  std::size_t bytes_ = 0;
  std::vector<Net> nets_;
  std::vector<std::vector<std::size_t>> nets_of_;  // and some that they were in before
};

}  // namespace partita::detail
