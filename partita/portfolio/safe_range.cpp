// SPDX-License-Identifier: Apache-2.0
#include "partita/portfolio/safe_range.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "partita/portfolio/settle.h"
#include "partita/util/error.h"

namespace partita::detail {
namespace {

constexpr int kReach = 460;      // binary exponents of times, either way: products of two are within 2^1000
constexpr int kWidest = 900;     // of the largest to the least: fits into the range, wherever it is moved
constexpr int kFarthest = 1000;  // for what is added to times but never multiplied by them

// Between which powers of two some numbers are that are not 0.
struct Span {
  int least = std::numeric_limits<int>::max();
  int most = std::numeric_limits<int>::min();

  bool empty() const { return least > most; }
  bool within(int reach) const { return empty() || (least >= -reach && most <= reach); }
  void take(double number) {
    if (!(number > 0) || std::isinf(number)) return;
    least = std::min(least, std::ilogb(number));
    most = std::max(most, std::ilogb(number) + 1);
  }
  void take(const Span& more) {
    least = std::min(least, more.least);
    most = std::max(most, more.most);
  }
};

Span product(const Span& a, const Span& b) {
  return a.empty() || b.empty() ? Span() : Span{a.least + b.least, a.most + b.most};
}

Span quotient(const Span& a, const Span& b) {
  return a.empty() || b.empty() ? Span() : Span{a.least - b.most, a.most - b.least};
}

// Of links that the clusters have of their own, too.
struct ClusterSpans {
  Span factors, latencies;

  void take(const Cluster& cluster) {
    factors.take(cluster.factor);
    if (cluster.link) {
      factors.take(cluster.link->factor);
      latencies.take(cluster.link->latency);
    }
    for (const Cluster& inside : cluster.clusters) take(inside);
  }
};

ClusterSpans spans_of_clusters(const Platform& platform) {
  ClusterSpans spans;
  spans.factors.take(1);
  if (platform.clusters) spans.take(*platform.clusters);
  return spans;
}

// Every time that loads are added up from, and what it is a product of on the way there.
Span all_times(const Problem& problem) {
  const Workload& workload = problem.workload;
  Span times, shares, costs, links;
  for (const Node& node : workload.graph.nodes) {
    for (const double time : node.time) times.take(time);
    shares.take(node.recompute_share);
  }
  if (problem.recompute) times.take(product(times, shares));
  for (const Edge& edge : workload.graph.edges) costs.take(edge.cost);
  links.take(1);
  const ClusterSpans clusters = spans_of_clusters(workload.platform);
  times.take(clusters.latencies);
  for (const DeviceClass& c : workload.platform.classes) {
    links.take(c.link_factor);
    times.take(c.link_latency);
  }
  times.take(product(product(costs, links), clusters.factors));
  return times;
}

[[noreturn]] void refuse(const char* problem) { throw InputError(ErrorKind::BadNumber, "workload", problem); }

// The exchange of weights among copies is a time too, but one that is often far from the others.
void check_exchange(const Problem& problem, int exponent) {
  const Platform& platform = problem.workload->platform;
  if (problem.replicas <= 1 || std::isinf(platform.sync_bandwidth)) return;
  Span weights, bandwidth, copies;
  double total = 0;
  for (const Node& node : problem.workload->graph.nodes) {
    weights.take(node.parts.weights);
    total += node.parts.weights;
  }
  weights.take(total);
  bandwidth.take(platform.sync_bandwidth);
  copies.take(1);
  copies.take(static_cast<double>(platform.device_count()));
  const Span moved = product(product(weights, spans_of_clusters(platform).factors), copies);
  const Span scale{exponent, exponent};
  if (moved.within(kFarthest) && product(quotient(moved, bandwidth), scale).within(kFarthest) &&
      quotient(product(bandwidth, copies), scale).within(kFarthest))
    return;
  refuse(
      "the time to exchange weights at syncBandwidth is too far from the other times to compute with both (more than "
      "about 1e150 times as long, or as short); use another bandwidth, or null for an exchange that costs nothing");
}

}  // namespace

int exponent_to_safe_range(const Problem& problem) {
  const Span times = all_times(problem);
  if (!times.empty() && times.most - times.least > kWidest) {
    refuse(
        "the largest latency or edge cost, with its factors, is more than about 1e270 times the least one, which is "
        "more than this program can compute with; say by supportedOnFpga, supportedOnCpu or a latency of null where a "
        "node cannot run, and write 0 for what takes no time");
  }
  const int exponent = times.within(kReach) ? 0 : -(times.least + times.most) / 2;
  check_exchange(problem, exponent);
  return exponent;
}

namespace {

void scale_latencies(Cluster& cluster, int exponent) {
  if (cluster.link) cluster.link->latency = std::ldexp(cluster.link->latency, exponent);
  for (Cluster& inside : cluster.clusters) scale_latencies(inside, exponent);
}

}  // namespace

Problem with_times_scaled(const Problem& problem, int exponent) {
  Problem scaled = problem;
  Workload& workload = scaled.workload.change();
  for (Node& node : workload.graph.nodes) {
    for (double& time : node.time) time = std::ldexp(time, exponent);
  }
  for (Edge& edge : workload.graph.edges) edge.cost = std::ldexp(edge.cost, exponent);
  for (DeviceClass& c : workload.platform.classes) c.link_latency = std::ldexp(c.link_latency, exponent);
  if (workload.platform.clusters) scale_latencies(*workload.platform.clusters, exponent);
  workload.platform.sync_bandwidth = std::ldexp(workload.platform.sync_bandwidth, -exponent);
  return scaled;
}

Sink scaled_back(const Sink& sink, int exponent) {
  if (!sink) return {};
  return [&sink, exponent](const Progress& progress) {
    Progress news = progress;
    news.value = std::ldexp(progress.value, -exponent);
    news.bound = std::ldexp(progress.bound, -exponent);
    sink(news);
  };
}

void scale_back(const Problem& original, int exponent, Plan& plan) {
  Result& result = plan.result;
  result.value = std::ldexp(result.value, -exponent);
  result.bound = std::ldexp(result.bound, -exponent);
  if (plan.certificate) plan.certificate->limit = std::ldexp(plan.certificate->limit, -exponent);
  if (result.split) settle_status(original, result.value, result.bound, plan);
}

}  // namespace partita::detail
