// SPDX-License-Identifier: Apache-2.0
#include "fuzz/target.h"
#include "partita/check/certificate.h"
#include "partita/read/certificate.h"

namespace {

// A small workload with the node ids of the corpus, so that mutated certificates get as far as the check.
partita::Problem small_problem(partita::Shape shape) {
  using namespace partita;
  Problem problem;
  problem.shape = shape;
  Workload& workload = problem.workload.change();
  workload.platform = make_platform(2, 100, 1);
  for (const std::int64_t id : {7, 2, 3, 4}) {
    Node node;
    node.original_id = id;
    node.time = {static_cast<double>(id), 20};
    node.memory = 10;
    node.backward = id == 4;
    workload.graph.nodes.push_back(node);
  }
  workload.graph.edges = {
      {NodeId(0), NodeId(1), 1}, {NodeId(0), NodeId(2), 2}, {NodeId(1), NodeId(2), 1}, {NodeId(2), NodeId(3), 1}};
  return problem;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace partita;
  using namespace partita::detail;
  const std::string_view text = fuzz::text_of(data, size);
  fuzz::must_answer([&] {
    const Certificate certificate = parse_certificate(text, "f", fuzz::kLimits);
    for (const Shape shape : {Shape::Free, Shape::Contiguous, Shape::Staged}) {
      Budget budget(Budget::Limits{.ticks = 10'000, .memory_bytes = std::size_t{1} << 24});
      verify(small_problem(shape), certificate, &budget);
    }
    Problem latency = small_problem(Shape::Free);
    latency.objective = Objective::Latency;
    Budget budget(Budget::Limits{.memory_bytes = std::size_t{1} << 24});
    verify(latency, certificate, &budget);
  });
  return 0;
}
