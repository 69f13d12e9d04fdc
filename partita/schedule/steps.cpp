// SPDX-License-Identifier: Apache-2.0
#include "partita/schedule/steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "partita/check/shared_links.h"
#include "partita/util/error.h"
#include "partita/util/visible_text.h"

namespace partita::detail {
namespace {

struct DeviceLanes {
  LaneId compute, in, out, sync;
};

struct LinkLanes {
  LaneId in, out;
};

class StepMaker {
 public:
  StepMaker(const Problem& problem, const CheckReport& report, const Pieces& pieces, EmptySteps empty)
      : problem_(problem),
        report_(report),
        pieces_(pieces),
        keep_(empty == EmptySteps::KeptAsCompute),
        lanes_(report.devices.size()),
        computed_(pieces.pieces.size()),
        written_(pieces.pieces.size()) {
    made_.of.resize(pieces.pieces.size());
    made_.sync.resize(report.devices.size());
    made_.sharers.resize(report.devices.size());
  }

  Steps make() {
    for (DeviceId d : report_.devices.all()) add_lanes(d);
    add_link_lanes();
    for (PieceId p : pieces_.pieces.all()) add_piece(p);
    for (DeviceId d : report_.devices.all()) add_sync(d);
    return std::move(made_);
  }

 private:
  bool is_host(DeviceId d) const {
    const Platform& platform = problem_.workload->platform;
    return platform.classes[platform.class_of(d)].kind == DeviceKind::Host;
  }
  bool syncs(DeviceId d) const { return report_.devices[d].sharing > 1 && report_.devices[d].sync > 0; }

  void add_lanes(DeviceId d) {
    const DeviceReport& device = report_.devices[d];
    if (!device.original.valid()) return;
    made_.sharers[device.original].push_back(d);
    const std::string name = problem_.workload->platform.device_name(d);
    const auto lane = [&](const char* engine) { return made_.lanes.push_back({d, name + engine}); };
    DeviceLanes& lanes = lanes_[d];
    if (problem_.transfers == TransferMode::Sum || is_host(d)) {
      lanes.compute = lanes.in = lanes.out = lane("");
    } else {
      lanes.compute = lane(": compute");
      const bool duplex = problem_.transfers == TransferMode::Duplex;
      lanes.in = lane(duplex ? ": in" : ": transfers");
      lanes.out = duplex ? lane(": out") : lanes.in;
    }
    lanes.sync = problem_.transfers == TransferMode::Sum || !syncs(d) ? lanes.compute : lane(": sync");
  }

  void add_link_lanes() {
    const bool duplex = problem_.transfers == TransferMode::Duplex;
    for (const SharedLinkReport& link : report_.shared_links) {
      LinkLanes lanes;
      if (link.load > 0) lanes.in = lanes.out = made_.lanes.push_back({DeviceId(), link.name + (duplex ? ": in" : "")});
      if (link.load > 0 && duplex) lanes.out = made_.lanes.push_back({DeviceId(), link.name + ": out"});
      links_.push_back(lanes);
    }
    if (report_.shared_links.empty()) return;
    const Platform& platform = problem_.workload->platform;
    const ClusterTree clusters(platform);
    for (const SharedLink& link : platform.shared_links) {
      const SharedLinkPlaces places(platform, link, clusters);
      for (DeviceId d : report_.devices.all()) {
        const DeviceId original = report_.devices[d].original;
        if (!original.valid() || places.place_of(d) == places.place_of(original)) continue;
        throw InputError(
            ErrorKind::Unsupported, "platform.shared_links",
            fmt::format("copies of a stage that are behind different links ({}) are not simulated; ask for a "
                        "split without such copies",
                        visible(link.name, kLongestShownName)));
      }
    }
  }

  // In or out over the shared links: a step for each, side by side. Nothing where nothing moves.
  std::vector<StepId> move(PieceId p, double LinkUse::*amount, LaneId LinkLanes::*which, Phase phase,
                           const std::vector<StepId>& after) {
    std::vector<StepId> moved;
    for (const LinkUse& use : pieces_.pieces[p].links) {
      if (!(use.*amount > 0)) continue;
      Step step;
      step.piece = p;
      step.backward = pieces_.pieces[p].backward;
      step.spent[static_cast<std::size_t>(phase)] = step.duration = use.*amount;
      step.after = after;
      step.lanes = {links_[use.link].*which};
      moved.push_back(made_.steps.push_back(std::move(step)));
    }
    return moved;
  }

  StepId add(PieceId piece, LaneId DeviceLanes::*which, const std::array<double, 4>& spent, std::vector<StepId> after) {
    Step step;
    step.piece = piece;
    step.device = pieces_.pieces[piece].device;
    step.backward = pieces_.pieces[piece].backward;
    step.spent = spent;
    step.duration = std::accumulate(spent.begin(), spent.end(), 0.0);
    step.after = std::move(after);
    for (DeviceId d : made_.sharers[step.device]) step.lanes.push_back(lanes_[d].*which);
    return made_.steps.push_back(std::move(step));
  }

  std::vector<StepId> needed_by(PieceId p) const {
    const Piece& piece = pieces_.pieces[p];
    std::vector<StepId> needed;
    for (PieceId q : piece.after) {
      const DeviceId maker = pieces_.pieces[q].device;
      const auto& ready = maker == piece.device || is_host(maker) ? computed_[q] : written_[q];
      needed.insert(needed.end(), ready.begin(), ready.end());
    }
    std::sort(needed.begin(), needed.end());
    needed.erase(std::unique(needed.begin(), needed.end()), needed.end());
    return needed;
  }

  void add_piece(PieceId p) {
    const PassLoad& load = pieces_.pieces[p].load;
    PieceSteps& steps = made_.of[p];
    std::vector<StepId> ready = needed_by(p);
    if (auto moved = move(p, &LinkUse::in, &LinkLanes::in, Phase::In, ready); !moved.empty()) ready = std::move(moved);
    const bool apart = problem_.transfers != TransferMode::Sum;  // hosts move nothing in any mode
    const double in = apart ? load.in : 0;
    const double out = apart ? load.out : 0;
    if (in > 0) ready = {steps.in = add(p, &DeviceLanes::in, {in, 0, 0, 0}, std::move(ready))};
    const std::array<double, 4> spent = {load.in - in, load.compute, load.out - out, 0};
    if (keep_ || spent[0] + spent[1] + spent[2] > 0)
      ready = {steps.compute = add(p, &DeviceLanes::compute, spent, std::move(ready))};
    computed_[p] = ready;
    if (out > 0) ready = {steps.out = add(p, &DeviceLanes::out, {0, 0, out, 0}, std::move(ready))};
    if (auto moved = move(p, &LinkUse::out, &LinkLanes::out, Phase::Out, ready); !moved.empty())
      ready = std::move(moved);
    written_[p] = std::move(ready);
  }

  void add_sync(DeviceId d) {
    if (report_.devices[d].original != d || !syncs(d)) return;
    PieceId last;
    std::vector<StepId> after;
    for (PieceId p : pieces_.pieces.all()) {
      if (pieces_.pieces[p].device != d) continue;
      last = p;
      after.insert(after.end(), written_[p].begin(), written_[p].end());
    }
    if (!last.valid()) return;
    std::sort(after.begin(), after.end());
    after.erase(std::unique(after.begin(), after.end()), after.end());
    const double time = report_.devices[d].sync * static_cast<double>(report_.devices[d].sharing);
    made_.sync[d] = add(last, &DeviceLanes::sync, {0, 0, 0, time}, std::move(after));
    made_.steps[made_.sync[d]].backward = problem_.workload->graph.has_backward();
  }

  const Problem& problem_;
  const CheckReport& report_;
  const Pieces& pieces_;
  const bool keep_;
  IdVector<DeviceId, DeviceLanes> lanes_;
  std::vector<LinkLanes> links_;                               // by place in report_.shared_links
  IdVector<PieceId, std::vector<StepId>> computed_, written_;  // once these are done, the piece's results are there
  Steps made_;
};

}  // namespace

Steps make_steps(const Problem& problem, const CheckReport& report, const Pieces& pieces, EmptySteps empty) {
  return StepMaker(problem, report, pieces, empty).make();
}

void refuse_too_many_tasks(std::size_t steps, std::size_t samples) {
  if (steps == 0 || samples <= kMostTasks / steps) return;
  throw InputError(
      ErrorKind::Usage, "samples",
      fmt::format("{} samples of {} steps each are more than the {} steps that are kept in memory: ask for "
                  "at most {} samples",
                  samples, steps, kMostTasks, kMostTasks / steps));
}

std::vector<StepId> all_steps(const Steps& steps) {
  std::vector<StepId> all;
  for (StepId s : steps.steps.all()) all.push_back(s);
  return all;
}

double busiest_lane(const Steps& steps, const std::vector<StepId>& chosen) {
  IdVector<LaneId, double> work(steps.lanes.size(), 0);
  for (StepId s : chosen) {
    const Step& step = steps[s];
    work[step.lanes.front()] += step.duration / static_cast<double>(step.lanes.size());
  }
  return work.empty() ? 0 : *std::max_element(work.begin(), work.end());
}

}  // namespace partita::detail
