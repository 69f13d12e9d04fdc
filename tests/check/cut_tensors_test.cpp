// SPDX-License-Identifier: Apache-2.0
#include "partita/check/cut_tensors.h"

#include <gtest/gtest.h>

#include "tests/check/check_fixture.h"

namespace partita::detail {
namespace {

// Each as "producer: from -> to", devices by number.
std::vector<std::string> texts(const Workload& workload, std::string_view split) {
  std::vector<std::string> found;
  for (const CutTensor& cut : cut_tensors(workload.graph, split_from_text(workload, split))) {
    std::string text = workload.graph.nodes[cut.producer].name + ": " + std::to_string(cut.from.index()) + " ->";
    for (DeviceId d : cut.to) text += " " + std::to_string(d.index());
    found.push_back(text);
  }
  return found;
}

TEST(CutTensors, EachOutputOnceWithAllItsReaders) {
  const Workload workload = graph_from_text("a 1 1; b 1 1; c 1 1; d 1 1; e 1 1; a -> b c d; b c d -> e", 3);
  EXPECT_EQ(texts(workload, "a b | c | d e"), (Messages{"a: 0 -> 1 2", "b: 0 -> 2", "c: 1 -> 2"}));
  EXPECT_EQ(texts(workload, "a b c d e"), Messages{});
}

TEST(CutTensors, ProducersComeAfterWhatTheyRead) {
  const Workload workload = graph_from_text("c 1 1; b 1 1; a 1 1; a -> b; b -> c", 2);
  EXPECT_EQ(texts(workload, "a c | b"), (Messages{"a: 0 -> 1", "b: 1 -> 0"}));
}

}  // namespace
}  // namespace partita::detail
