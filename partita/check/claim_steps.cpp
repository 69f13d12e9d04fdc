// SPDX-License-Identifier: Apache-2.0
#include "partita/check/claim_steps.h"

#include <fmt/format.h>

#include <algorithm>

#include "partita/check/names.h"
#include "partita/check/shrinking_claim.h"
#include "partita/check/stage_windows.h"
#include "partita/util/max_flow.h"
#include "partita/util/strong_components.h"

namespace partita::detail {
namespace {

using Int = std::int64_t;

class StepTaker {
 public:
  StepTaker(const Problem& problem, const Certificate& certificate, ClaimInstance& instance, Budget& budget)
      : platform_(problem.workload->platform),
        certificate_(certificate),
        instance_(instance),
        budget_(budget),
        claim_(instance, hosts_of(platform_, instance)) {
    for (std::size_t c = 0; c < instance.devices.size(); ++c) {
      if (is_host(c)) hosts_ += platform_.classes[instance.devices[c]].count;
    }
  }

  CertificateVerdict run() {
    join_cycles();
    bool joined = false;
    for (std::size_t i = 0; i < certificate_.steps.size(); ++i) {
      if (out_of_limits()) return budget_.exhausted() ? no_time() : no_memory();
      const Certificate::Step& step = certificate_.steps[i];
      if (!step.join && joined) join_cycles();
      joined = step.join.has_value();
      if (step.windows) {
        if (CertificateVerdict verdict = join_by_windows(*step.windows); !verdict.holds) return verdict;
        if (instance_.refuted) return {true, "", false};
        continue;
      }
      if (std::string reason = joined ? join(step) : remove(step); !reason.empty())
        return {false, fmt::format("step {} of {}: {}", i + 1, certificate_.steps.size(), reason), false};
    }
    if (out_of_limits()) return budget_.exhausted() ? no_time() : no_memory();
    if (joined) join_cycles();
    return finish();
  }

 private:
  bool out_of_limits() const { return budget_.exhausted() || claim_.bytes() > budget_.limits().memory_bytes / 2; }
  static CertificateVerdict no_time() {
    return {false, "the limit of time was reached before its steps were checked", true};
  }
  CertificateVerdict no_memory() const {
    return {false,
            fmt::format("its steps take more than {} of memory",
                        human_bytes(static_cast<double>(budget_.limits().memory_bytes))),
            true};
  }

  static std::vector<char> hosts_of(const Platform& platform, const ClaimInstance& instance) {
    std::vector<char> result;
    for (ClassId id : instance.devices) result.push_back(platform.classes[id].kind == DeviceKind::Host);
    return result;
  }
  bool is_host(std::size_t c) const { return platform_.classes[instance_.devices[c]].kind == DeviceKind::Host; }

  // The group of a node, or nothing where there is none, or it was removed.
  std::optional<std::size_t> find(Int id) const {
    const std::optional<std::size_t> first = instance_.group_of_id(id);
    if (!first || claim_.gone(claim_.group(*first))) return std::nullopt;
    return claim_.group(*first);
  }
  static std::string no_group(Int id) {
    return fmt::format("it names node {}, which the workload lacks or a step removed", id);
  }

  // Empty if all is well.
  std::string join(const Certificate::Step& step) {
    const auto a = find(step.node), b = find(*step.join);
    if (!a || !b) return no_group(a ? *step.join : step.node);
    if (*a == *b) return "";
    if (!never_apart(*a, *b)) {
      // Groups on a cycle that the joins so far made may be the reason.
      join_cycles();
      const std::size_t now_a = claim_.group(*a), now_b = claim_.group(*b);
      if (now_a != now_b && !never_apart(now_a, now_b))
        return fmt::format("nodes {} and {} may be on different devices", step.node, *step.join);
    }
    if (claim_.group(*a) != claim_.group(*b)) claim_.join(claim_.group(*a), claim_.group(*b));
    return "";
  }

  bool never_apart(std::size_t a, std::size_t b) const {
    const bool a_pays = pays_too_much(a, b), b_pays = pays_too_much(b, a);
    return (a_pays && !fits_host(a)) || (b_pays && !fits_host(b)) || (a_pays && b_pays && hosts_ <= 1);
  }

  bool fits_host(std::size_t group) const {
    for (std::size_t c = 0; c < instance_.devices.size(); ++c) {
      const ClaimInstance::GroupOn& on = claim_.on(group)[c];
      if (is_host(c) && on.may_be_held && on.load <= kLoadLimit) return true;
    }
    return false;
  }

  // Can no accelerator hold u without v?
  bool pays_too_much(std::size_t u, std::size_t v) const {
    for (std::size_t c = 0; c < instance_.devices.size(); ++c) {
      if (is_host(c) || !claim_.on(u)[c].may_be_held) continue;
      if (cost_of_both(u, v, c) <= kLoadLimit && least_cut(u, v, c) <= kLoadLimit) return false;
    }
    return true;
  }

  Int cost_of_both(std::size_t u, std::size_t v, std::size_t c) const {
    Int sum = claim_.on(u)[c].load;
    for (const std::size_t e : claim_.nets_of(u)) {
      const ShrinkingClaim::Net& net = claim_.nets()[e];
      if (std::binary_search(net.members.begin(), net.members.end(), v)) sum += net.load[c];
      if (sum > kLoadLimit) break;
    }
    return sum;
  }

  // At most what the cheapest set with u and without v costs. Every capacity and every flow is a whole number below
  // 2^53, which doubles hold exactly: a group's load is at most 4 units, and the flow ends where it is above the limit.
  Int least_cut(std::size_t u, std::size_t v, std::size_t c) const {
    const std::size_t groups = instance_.groups.size(), nets = claim_.nets().size();
    const std::size_t sink = groups + 2 * nets;
    MaxFlow flow(sink + 1);
    for (std::size_t x = 0; x < groups; ++x) {
      const Int load = claim_.gone(x) || claim_.group(x) != x ? 0 : claim_.on(x)[c].load;
      if (x == v || load > 0) flow.add_arc(x, sink, x == v ? kInfiniteCapacity : static_cast<double>(load));
    }
    for (std::size_t e = 0; e < nets; ++e) {
      const ShrinkingClaim::Net& net = claim_.nets()[e];
      if (net.members.empty() || net.load[c] <= 0) continue;
      const std::size_t entry = groups + 2 * e, exit = entry + 1;
      flow.add_arc(entry, exit, static_cast<double>(net.load[c]));
      for (const std::size_t x : net.members) {
        flow.add_arc(x, entry, kInfiniteCapacity);
        flow.add_arc(exit, x, kInfiniteCapacity);
      }
    }
    return static_cast<Int>(std::min(flow.run(u, sink, static_cast<double>(kLoadLimit) + 1, 0), 4.0 * kLoadUnits));
  }

  std::string remove(const Certificate::Step& step) {
    const auto group = find(step.node);
    if (!group) return no_group(step.node);
    std::string reason;
    const auto groups_of = [&](const std::vector<Int>& ids) {
      std::vector<std::size_t> groups;
      for (const Int id : ids) {
        const auto other = find(id);
        if (other) {
          groups.push_back(*other);
        } else {
          reason = no_group(id);
        }
      }
      return groups;
    };
    const auto net_of = [&](const std::vector<Int>& ids) -> std::optional<std::size_t> {
      std::vector<std::size_t> others = groups_of(ids);
      if (!reason.empty()) return std::nullopt;
      return claim_.find_net(*group, std::move(others));
    };
    for (const auto& [transfer, to] : step.shifts) {
      const std::optional<std::size_t> net = net_of(transfer);
      const std::optional<std::size_t> heir = find(to);
      if (!heir) reason = no_group(to);
      if (!reason.empty()) return reason;
      if (!net) continue;
      const std::vector<std::size_t>& members = claim_.nets()[*net].members;
      if (*heir == *group || !std::binary_search(members.begin(), members.end(), *heir))
        return fmt::format("node {} is no other member of the transfer that time is shifted along", to);
      claim_.shift(*group, *net, *heir);
    }
    for (const Certificate::Step::Link& link : step.links) {
      if (out_of_limits()) break;  // a step may have many, each with all names of a transfer; then nothing is accepted
      const std::optional<std::size_t> a = net_of(link.a), b = net_of(link.b);
      const std::vector<std::size_t> without = groups_of(link.without);
      if (!reason.empty()) return reason;
      if (a && b && *a != *b) claim_.link(*group, *a, *b, link.cost, without);
    }
    std::optional<std::size_t> bridge;
    if (!step.bridge.empty()) bridge = net_of(step.bridge);
    std::vector<std::size_t> into;
    for (const std::vector<Int>& transfer : step.into) {
      const std::optional<std::size_t> net = net_of(transfer);
      if (net && net != bridge && std::find(into.begin(), into.end(), *net) == into.end()) into.push_back(*net);
    }
    if (!reason.empty()) return reason;
    claim_.remove(*group, bridge, into);
    return "";
  }

  // What is joined may make other windows narrower, so they are made again until nothing comes of them.
  CertificateVerdict join_by_windows(int places) {
    if (certificate_.shape != Shape::Staged) return {false, "it looks at windows of splits that are not staged", false};
    for (bool changed = true; changed;) {
      if (CertificateVerdict verdict = finish(); !verdict.holds) return verdict;
      const std::optional<StageClaim> stages = stage_claim(platform_, instance_, budget_.limits().memory_bytes / 4);
      if (!stages || StageWindows::bytes_for(*stages, places) > static_cast<double>(budget_.limits().memory_bytes / 4))
        return no_memory();
      claim_ = ShrinkingClaim(instance_, hosts_of(platform_, instance_));
      changed = false;
      for (const auto measure : {StageWindows::Measure::Work, StageWindows::Measure::Memory}) {
        if (measure == StageWindows::Measure::Memory && stages->total_memory() <= kLoadLimit) continue;
        const StageWindows windows(*stages, measure, places, budget_);
        if (budget_.exhausted()) return no_time();
        instance_.refuted = !windows.feasible();
        if (instance_.refuted) return {true, "", false};
        changed |= take_off_hosts(*stages, windows);
        for (const auto& [a, b] : windows.never_separated()) {
          const std::size_t one = claim_.group(stages->group[a]), other = claim_.group(stages->group[b]);
          changed |= one != other;
          if (one != other) claim_.join(one, other);
        }
      }
      join_cycles();
    }
    return {true, "", false};
  }

  // Whether there is one that was not yet.
  bool take_off_hosts(const StageClaim& stages, const StageWindows& windows) {
    bool any = false;
    for (std::size_t v = 0; v < stages.size(); ++v) {
      if (!windows.can_be_on_host(v)) any |= claim_.keep_off_hosts(claim_.group(stages.group[v]));
    }
    return any;
  }

  // Staged splits: the groups on a cycle of the order are one. What was removed may be on it too.
  void join_cycles() {
    if (certificate_.shape != Shape::Staged) return;
    std::vector<std::pair<GroupId, GroupId>> pairs;
    for (const auto& [from, to] : instance_.arcs) {
      const std::size_t a = claim_.group(from), b = claim_.group(to);  // a point is a group, as the instance has them
      if (a != b) pairs.emplace_back(GroupId(a), GroupId(b));
    }
    const std::size_t n = instance_.groups.size();
    const Components found = strong_components(Csr<GroupId, GroupId>(n, pairs));
    std::vector<std::size_t> first(found.count, ClaimInstance::kNone);
    for (std::size_t g = 0; g < n; ++g) {
      if (claim_.group(g) != g || claim_.gone(g)) continue;
      std::size_t& one = first[found.component_of[g]];
      if (one == ClaimInstance::kNone) {
        one = g;
      } else {
        claim_.join(one, g);
      }
    }
  }

  CertificateVerdict finish() {
    std::vector<std::size_t> number(instance_.groups.size(), ClaimInstance::kNone);  // new ones, by group
    std::vector<ClaimInstance::Group> groups;
    for (std::size_t g = 0; g < number.size(); ++g) {
      if (claim_.group(g) != g || claim_.gone(g)) continue;
      number[g] = groups.size();
      groups.push_back({instance_.groups[g].node, claim_.on(g)});
    }
    for (std::size_t g = 0; g < number.size(); ++g) number[g] = number[claim_.group(g)];
    instance_.transfers.clear();
    for (const ShrinkingClaim::Net& net : claim_.nets()) {
      if (net.members.empty()) continue;
      auto& members = instance_.transfers.emplace_back(ClaimInstance::Transfer{net.load, {}, net.names}).members;
      for (const std::size_t g : net.members) members.push_back(number[g]);
    }
    if (CertificateVerdict verdict = renumber_points(number, groups.size()); !verdict.holds) return verdict;
    for (std::size_t& g : instance_.group_of) {
      if (g != ClaimInstance::kNone) g = number[g];
    }
    instance_.groups = std::move(groups);
    return {true, "", false};
  }

  // Points of what was removed vanish, and what they lead to follows what leads to them. Staged: a point for each
  // group. Where much was removed that leads from many to many, there may be too many pairs.
  CertificateVerdict renumber_points(const std::vector<std::size_t>& number, std::size_t groups) {
    const bool staged = certificate_.shape == Shape::Staged;
    std::vector<std::size_t> point(instance_.points, ClaimInstance::kNone);  // new ones
    std::size_t kept = staged ? groups : 0;
    for (NodeId v : instance_.point_of.all()) {
      std::size_t& p = instance_.point_of[v];
      if (p == ClaimInstance::kNone) continue;
      if (staged) {
        point[p] = number[p];
      } else if (number[instance_.group_of[v]] != ClaimInstance::kNone) {
        point[p] = kept++;
      }
      p = point[p];
    }
    std::vector<std::vector<std::size_t>> after(instance_.points);
    for (const auto& [from, to] : instance_.arcs) after[from].push_back(to);
    std::vector<PointOrder::Arc> arcs;
    std::vector<std::size_t> seen_from(instance_.points, ClaimInstance::kNone), stack;
    for (std::size_t p = 0; p < instance_.points; ++p) {
      if (point[p] == ClaimInstance::kNone) continue;
      if (budget_.exhausted()) return no_time();
      if (arcs.size() > budget_.limits().memory_bytes / 4 / sizeof(PointOrder::Arc)) return no_memory();
      stack.assign(1, p);
      while (!stack.empty()) {
        const std::size_t q = stack.back();
        stack.pop_back();
        for (const std::size_t r : after[q]) {
          if (seen_from[r] == p) continue;
          seen_from[r] = p;
          if (point[r] == ClaimInstance::kNone) {
            stack.push_back(r);
          } else if (point[r] != point[p]) {
            arcs.emplace_back(point[p], point[r]);
          }
        }
      }
    }
    std::sort(arcs.begin(), arcs.end());
    arcs.erase(std::unique(arcs.begin(), arcs.end()), arcs.end());
    instance_.arcs = std::move(arcs);
    instance_.points = kept;
    return {true, "", false};
  }

  const Platform& platform_;
  const Certificate& certificate_;
  ClaimInstance& instance_;
  Budget& budget_;
  ShrinkingClaim claim_;
  int hosts_ = 0;
};

}  // namespace

CertificateVerdict take_steps(const Problem& problem, const Certificate& certificate, ClaimInstance& instance,
                              Budget& budget) {
  return StepTaker(problem, certificate, instance, budget).run();
}

}  // namespace partita::detail
