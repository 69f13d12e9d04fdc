// SPDX-License-Identifier: Apache-2.0
// A simulation as columns. A long one is cut after as many samples as fit on a page;
// its numbers are those of the whole.
#include <algorithm>
#include <limits>

#include "partita/report/page/sections.h"
#include "partita/report/run_comparison.h"
#include "partita/schedule/operators.h"

namespace partita::detail {
namespace {

// What is shown: the intervals of the first few samples, and memory until the last of those is through.
struct Extract {
  std::size_t samples = 0;
  std::vector<Interval> intervals;
  double end = std::numeric_limits<double>::infinity();
};

Extract first_samples(const Simulation& simulation) {
  std::vector<std::size_t> intervals_of;  // by sample
  for (const Interval& interval : simulation.intervals) {
    if (interval.sample >= intervals_of.size()) intervals_of.resize(interval.sample + 1);
    ++intervals_of[interval.sample];
  }
  Extract extract;
  for (std::size_t total = 0; extract.samples < intervals_of.size(); ++extract.samples) {
    total += intervals_of[extract.samples];
    if (total > kMostIntervals && extract.samples > 0) break;
  }
  for (const Interval& interval : simulation.intervals) {
    const bool on_device = simulation.lanes[interval.lane].device.valid();  // the page knows no lanes of links
    if (on_device && interval.sample < extract.samples) extract.intervals.push_back(interval);
  }
  if (extract.samples < intervals_of.size()) {
    extract.end = 0;
    for (const Interval& interval : extract.intervals) extract.end = std::max(extract.end, interval.finish);
  }
  return extract;
}

void write_intervals(const std::vector<Interval>& intervals, JsonWriter& json) {
  json.column("lane", intervals, [](const Interval& interval) { return interval.lane; });
  json.column("piece", intervals, [](const Interval& interval) { return interval.piece; });
  std::string phases;
  for (const Interval& interval : intervals) phases += *to_string(interval.phase);
  json.field("phase", phases);
  json.column("sample", intervals, [](const Interval& interval) { return interval.sample; });
  json.column("start", intervals, [](const Interval& interval) { return interval.start; });
  json.column("finish", intervals, [](const Interval& interval) { return interval.finish; });
}

void write_use(const Simulation& simulation, DeviceId device, JsonWriter& json) {
  const DeviceUse& use = simulation.devices[device];
  const auto share = [&](double time) { return simulation.makespan > 0 ? time / simulation.makespan : 0; };
  json.object([&] {
    json.field("device", device);
    json.field("compute", share(use.compute));
    json.field("in", share(use.in));
    json.field("out", share(use.out));
    json.field("sync", share(use.sync));
    json.field("busy", share(use.busy));
    json.field("samples", use.samples);
    json.field("mostInFlight", use.most_in_flight);
    json.field("peakMemory", use.peak_memory);
  });
}

void write_memory(DeviceId device, std::vector<MemoryPoint> points, double end, JsonWriter& json) {
  std::erase_if(points, [end](const MemoryPoint& point) { return point.time > end; });
  json.object([&] {
    json.field("device", device);
    json.column("time", points, [](const MemoryPoint& point) { return point.time; });
    json.column("inFlight", points, [](const MemoryPoint& point) { return point.in_flight; });
    json.column("bytes", points, [](const MemoryPoint& point) { return point.bytes; });
  });
}

// The nodes that pieces run, one piece after the other. Their times are in the graph.
void write_operators(const IdVector<PieceId, std::vector<Operator>>& of_piece, JsonWriter& json) {
  std::vector<Operator> all;
  std::vector<std::size_t> begin = {0};
  for (const auto& operators : of_piece) {
    all.insert(all.end(), operators.begin(), operators.end());
    begin.push_back(all.size());
  }
  json.object([&] {
    json.column("begin", begin);
    json.column("node", all, [](const Operator& one) { return one.node; });
    if (std::ranges::any_of(all, [](const Operator& one) { return one.share != 1; }))
      json.column("share", all, [](const Operator& one) { return one.share; });
    if (std::ranges::any_of(all, &Operator::again))
      json.column("again", all, [](const Operator& one) { return one.again ? 1 : 0; });
  });
}

std::vector<DeviceId> devices_at_work(const Simulation& simulation) {
  std::vector<DeviceId> devices;
  for (DeviceId d : simulation.devices.all()) {
    if (simulation.devices[d].samples > 0) devices.push_back(d);
  }
  return devices;
}

}  // namespace

void write_timeline(const Problem& problem, const CheckReport* report, const Simulation& simulation, JsonWriter& json) {
  const Extract extract = first_samples(simulation);
  const std::vector<DeviceId> devices = devices_at_work(simulation);
  std::vector<DeviceId> with_memory = devices;
  std::erase_if(with_memory, [&](DeviceId device) { return simulation.memory[device].empty(); });
  json.object([&] {
    json.field("schedule", to_string(simulation.kind));
    json.field("samples", simulation.samples);
    json.field("recorded", extract.samples);
    json.field("microbatches", simulation.microbatches);
    json.field("timePerSample", simulation.time_per_sample);
    json.field("steady", simulation.steady);
    json.field("formula", simulation.formula);
    json.field("remark", simulation.remark);
    json.field("makespan", simulation.makespan);
    json.field("latency", simulation.latency);
    json.field("warmUpEnd", simulation.warm_up_end);
    json.field("drainBegin", simulation.drain_begin);
    std::vector<Lane> lanes;
    for (const Lane& lane : simulation.lanes) {
      if (lane.device.valid()) lanes.push_back(lane);
    }
    json.key("lanes").array(lanes, [&](const Lane& lane) {
      json.object([&] {
        json.field("device", lane.device);
        json.field("name", lane.name);
      });
    });
    write_intervals(extract.intervals, json);
    json.key("pieces").array(simulation.pieces.pieces, [&](const Piece& piece) {
      json.object([&] {
        json.field("device", piece.device);
        json.field("backward", piece.backward);
        json.field("nodes", piece.nodes.size());
      });
    });
    if (report) write_operators(operators_of(problem, *report, simulation.pieces), json.key("operators"));
    json.key("use").array(devices, [&](DeviceId device) { write_use(simulation, device, json); });
    json.key("memory").array(
        with_memory, [&](DeviceId device) { write_memory(device, simulation.memory[device], extract.end, json); });
  });
}

// Of a run nobody knows when its operators began and what memory it held.
void write_measured(const PageContent& content, JsonWriter& json) {
  json.object([&] {
    write_timeline(*content.problem, nullptr, *content.measured, json.key("timeline"));
    add_run_comparison(compare_run(*content.report, *content.simulation, *content.measured), json);
  });
}

}  // namespace partita::detail
