// SPDX-License-Identifier: Apache-2.0
#include "tests/schedule/run_checker.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

namespace partita::detail::test {
namespace {

constexpr double kTolerance = 1e-9;

class RunChecker {
 public:
  RunChecker(const Problem& problem, const CheckReport& report, const Simulation& run)
      : problem_(problem), report_(report), run_(run), slack_(kTolerance * (1 + run.makespan)) {
    for (DeviceId d : report.devices.all()) {
      if (report.devices[d].original.valid()) sharers_[report.devices[d].original].push_back(d);
    }
    for (const Interval& i : run.intervals) {
      auto& where = run.lanes[i.lane].device.valid() ? found_ : on_links_;
      where[{i.sample, i.piece.index(), i.phase}].push_back(&i);
    }
  }

  std::optional<std::string> check() {
    if (!lanes_do_one_thing_at_a_time()) return complaint_;
    for (std::size_t n = 0; n < run_.samples; ++n) {
      if (!sample_runs(n)) return complaint_;
    }
    if (!loads_add_up() || !links_add_up() || !uses_agree()) return complaint_;
    return std::nullopt;
  }

 private:
  using Key = std::tuple<std::size_t, std::size_t, Phase>;

  bool complain(std::string text) {
    complaint_ = std::move(text);
    return false;
  }
  bool near(double a, double b) const { return std::abs(a - b) <= slack_; }
  bool is_host(DeviceId d) const {
    const Platform& platform = problem_.workload->platform;
    return platform.classes[platform.class_of(d)].kind == DeviceKind::Host;
  }

  bool lanes_do_one_thing_at_a_time() {
    if (!std::is_sorted(run_.intervals.begin(), run_.intervals.end(),
                        [](const Interval& a, const Interval& b) { return a.start < b.start; }))
      return complain("the intervals are not by start");
    IdVector<LaneId, double> until(run_.lanes.size(), 0);
    for (const Interval& i : run_.intervals) {
      if (!(i.finish > i.start)) return complain("an interval takes no time");
      if (i.start < until[i.lane] - slack_)
        return complain(fmt::format("{} starts sample {} at {} and is busy until {}", run_.lanes[i.lane].name, i.sample,
                                    i.start, until[i.lane]));
      until[i.lane] = std::max(until[i.lane], i.finish);
    }
    return true;
  }

  // The interval, null where there is none; complains where it is not as long as it should be.
  bool find(std::size_t n, PieceId p, Phase phase, double length, const Interval** found) {
    *found = nullptr;
    const auto at = found_.find({n, p.index(), phase});
    const std::size_t count = at == found_.end() ? 0 : at->second.size();
    const std::string what = fmt::format("sample {} piece {} {}", n, p.index(), to_string(phase));
    if (count != (length > 0 ? 1u : 0u)) return complain(fmt::format("{} runs {} times", what, count));
    if (count == 0) return true;
    const Interval& i = *at->second.front();
    if (!near(i.finish - i.start, length))
      return complain(fmt::format("{} takes {}, not {}", what, i.finish - i.start, length));
    const std::vector<DeviceId>& sharers = sharers_[run_.pieces.pieces[p].device];
    if (run_.lanes[i.lane].device != sharers[n % sharers.size()])
      return complain(what + " is on " + run_.lanes[i.lane].name);
    *found = &i;
    return true;
  }

  // What the piece moves over shared links in a phase: not before `ready`, which becomes when all of it is through.
  bool moves_over_links(std::size_t n, PieceId p, Phase phase, double& ready) {
    double length = 0;
    for (const LinkUse& use : run_.pieces.pieces[p].links) length += phase == Phase::In ? use.in : use.out;
    double end = ready;
    for (const Interval* i : on_links_[{n, p.index(), phase}]) {
      if (i->start < ready - slack_)
        return complain(fmt::format("sample {} piece {} is on {} too early", n, p.index(), run_.lanes[i->lane].name));
      length -= i->finish - i->start;
      end = std::max(end, i->finish);
    }
    ready = end;
    return near(length, 0) || complain(fmt::format("sample {} piece {} is not long enough on links", n, p.index()));
  }

  bool sample_runs(std::size_t n) {
    IdVector<PieceId, double> computed(run_.pieces.pieces.size(), 0);
    IdVector<PieceId, double> written(run_.pieces.pieces.size(), 0);
    std::map<DeviceId, double> over;      // when all of the sample is done there
    std::map<DeviceId, PieceId> last_of;  // with which the exchange of weights goes
    for (PieceId p : run_.pieces.pieces.all()) {
      const Piece& piece = run_.pieces.pieces[p];
      const Interval *in, *compute, *out;
      if (!find(n, p, Phase::In, piece.load.in, &in) || !find(n, p, Phase::Compute, piece.load.compute, &compute) ||
          !find(n, p, Phase::Out, piece.load.out, &out))
        return false;
      double ready = 0;
      for (PieceId q : piece.after) {
        const DeviceId maker = run_.pieces.pieces[q].device;
        ready = std::max(ready, maker == piece.device || is_host(maker) ? computed[q] : written[q]);
      }
      if (!moves_over_links(n, p, Phase::In, ready)) return false;
      double free = ready;
      for (const Interval* i : {in, compute, out}) {
        if (i && i->start < free - slack_)
          return complain(fmt::format("sample {} piece {} {} starts at {}, its inputs are there at {}", n, p.index(),
                                      to_string(i->phase), i->start, free));
        const bool apart = problem_.transfers != TransferMode::Sum || i == in || !i;
        if (!apart && ((i == compute && in) || (i == out && (in || compute))) && !near(i->start, free))
          return complain(fmt::format("sample {} piece {} has a break", n, p.index()));
        if (i) free = std::max(free, i->finish);
        if (i == compute) computed[p] = free;
      }
      if (!compute) computed[p] = in ? in->finish : ready;
      written[p] = free;
      if (!moves_over_links(n, p, Phase::Out, written[p])) return false;
      over[piece.device] = std::max(over[piece.device], free);
      last_of[piece.device] = p;
    }
    for (const auto& [device, time] : over) {
      const DeviceReport& cost = report_.devices[device];
      const double sync = cost.sharing > 1 ? cost.sync * static_cast<double>(cost.sharing) : 0;
      const Interval* i;
      if (!find(n, last_of[device], Phase::Sync, sync, &i)) return false;
      if (i && i->start < time - slack_) return complain("an exchange of weights before the sample is over");
    }
    return true;
  }

  // By name, as lanes have it.
  bool links_add_up() {
    std::map<std::string, double> sums, loads;
    for (const Interval& i : run_.intervals) {
      const Lane& lane = run_.lanes[i.lane];
      if (!lane.device.valid()) sums[lane.name.substr(0, lane.name.find(": "))] += i.finish - i.start;
    }
    for (const SharedLinkReport& link : report_.shared_links) {
      const double all = link.forward.in + link.forward.out + link.backward.in + link.backward.out;
      loads[link.name] = all * static_cast<double>(run_.samples);
    }
    for (const auto& [name, load] : loads) {
      if (!near(sums[name], load)) return complain("what moves over " + name + " does not add up to its load");
    }
    return sums.size() <= loads.size() || complain("there are lanes of links that nobody knows");
  }

  bool loads_add_up() {
    std::map<std::pair<DeviceId, bool>, PassLoad> sums;
    for (const Interval& i : run_.intervals) {
      PassLoad& sum = sums[{run_.lanes[i.lane].device, run_.pieces.pieces[i.piece].backward}];
      if (i.phase == Phase::In) sum.in += i.finish - i.start;
      if (i.phase == Phase::Compute) sum.compute += i.finish - i.start;
      if (i.phase == Phase::Out) sum.out += i.finish - i.start;
    }
    for (const auto& [original, sharers] : sharers_) {
      for (std::size_t place = 0; place < sharers.size(); ++place) {
        const double count = std::floor(static_cast<double>(run_.samples + sharers.size() - 1 - place) /
                                        static_cast<double>(sharers.size()));
        for (const bool backward : {false, true}) {
          const DeviceReport& cost = report_.devices[original];
          const PassLoad& one = backward ? cost.backward : cost.forward;
          const PassLoad& sum = sums[{sharers[place], backward}];
          if (!near(sum.in, one.in * count) || !near(sum.compute, one.compute * count) ||
              !near(sum.out, one.out * count))
            return complain("the phases of a device do not add up to its loads");
        }
        if (static_cast<double>(run_.devices[sharers[place]].samples) != count)
          return complain("a device took another number of samples");
      }
    }
    return true;
  }

  bool uses_agree() {
    for (DeviceId d : report_.devices.all()) {
      const DeviceUse& use = run_.devices[d];
      std::array<double, 4> spent = {};
      double busy = 0;
      double until = 0;
      for (const Interval& i : run_.intervals) {
        if (run_.lanes[i.lane].device != d) continue;
        spent[static_cast<std::size_t>(i.phase)] += i.finish - i.start;
        busy += std::max(0.0, i.finish - std::max(i.start, until));
        until = std::max(until, i.finish);
      }
      if (!near(spent[0], use.in) || !near(spent[1], use.compute) || !near(spent[2], use.out) ||
          !near(spent[3], use.sync) || !near(busy, use.busy))
        return complain(fmt::format("the use of device {} is not that of its intervals", d.index()));
      if (until > run_.makespan + slack_) return complain("something ends after the end");
    }
    return true;
  }

  const Problem& problem_;
  const CheckReport& report_;
  const Simulation& run_;
  const double slack_;
  std::map<DeviceId, std::vector<DeviceId>> sharers_;
  std::map<Key, std::vector<const Interval*>> found_, on_links_;
  std::string complaint_;
};

}  // namespace

std::optional<std::string> complaint_about(const Problem& problem, const CheckReport& report,
                                           const Simulation& simulation) {
  return RunChecker(problem, report, simulation).check();
}

}  // namespace partita::detail::test
