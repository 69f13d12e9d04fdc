// SPDX-License-Identifier: Apache-2.0
// Whatever the bytes, a reader returns something that keeps its promises or throws one InputError of one line. Inputs
// are mutated at random from fixed seeds, by bytes and by JSON values, so that both the parser and the fields are
// reached.
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <random>
#include <set>
#include <vector>

#include "partita/model/graph_checks.h"
#include "partita/read/split.h"
#include "partita/read/workload.h"
#include "tests/read/inputs.h"
#include "tests/support/mutate_bytes.h"

namespace partita::detail {
namespace {

using nlohmann::json;
using Random = std::mt19937;

json random_value(Random& random) {
  switch (random() % 14) {
    case 0: return nullptr;
    case 1: return true;
    case 2: return false;
    case 3: return 0;
    case 4: return 1;
    case 5: return 2;
    case 6: return -1;
    case 7: return 7;
    case 8: return 40;
    case 9: return 1.7e308;
    case 10: return 18446744073709551615u;
    case 11: return random() % 2 ? "text" : "fast";
    case 12: return json::array({7, 2});
    default: return json::object({{"id", 2}, {"nodes", json::array()}});
  }
}

// Replaces, removes or repeats one value somewhere in the tree.
void mutate_value(json& tree, Random& random) {
  json* at = &tree;
  while (at->is_structured() && !at->empty() && random() % 5 != 0) {
    auto child = at->begin();
    std::advance(child, static_cast<std::ptrdiff_t>(random() % at->size()));
    if (random() % 12 == 0) {
      at->erase(child);
      return;
    }
    if (at->is_array() && random() % 12 == 0) {
      at->push_back(json(*child));
      return;
    }
    at = &*child;
  }
  *at = random_value(random);
}

IdVector<ClassId, int> devices_in(const Cluster& cluster) {
  EXPECT_TRUE(std::isfinite(cluster.factor) && cluster.factor >= 0);
  IdVector<ClassId, int> total = cluster.devices;
  for (const Cluster& inside : cluster.clusters) {
    const IdVector<ClassId, int> more = devices_in(inside);
    EXPECT_EQ(more.size(), total.size());
    for (ClassId c : more.all()) total[c] += more[c];
  }
  return total;
}

void expect_promises(const PlatformSpec& spec) {
  const Platform& platform = spec.platform;
  EXPECT_GT(platform.device_count(), 0u);
  EXPECT_GT(platform.sync_bandwidth, 0);
  std::set<std::string> names;
  for (const DeviceClass& one : platform.classes) {
    EXPECT_TRUE(!one.name.empty() && names.insert(one.name).second);
    EXPECT_TRUE(one.count >= 0 && one.memory >= 0 && one.link_factor >= 0);
  }
  for (double factor : spec.time_factor) EXPECT_TRUE(std::isfinite(factor) && factor >= 0);
  if (!platform.clusters) return;
  const IdVector<ClassId, int> total = devices_in(*platform.clusters);
  ASSERT_EQ(total.size(), platform.classes.size());
  for (ClassId c : total.all()) EXPECT_EQ(total[c], platform.classes[c].count);
}

void expect_promises(const Workload& workload) {
  const Graph& graph = workload.graph;
  EXPECT_FALSE(graph.nodes.empty());
  expect_promises(PlatformSpec{workload.platform});
  EXPECT_TRUE(find_cycle(graph).empty());
  for (const Node& node : graph.nodes) {
    ASSERT_EQ(node.time.size(), workload.platform.classes.size());
    EXPECT_TRUE(std::ranges::any_of(node.time, [](double time) { return time != kCannotRun; }));
    for (double time : node.time) EXPECT_TRUE(time >= 0);
    const MemoryParts& parts = node.parts;
    for (double amount : {node.memory, parts.weights, parts.gradients, parts.optimizer_state, parts.activation,
                          parts.recompute_activation, node.recompute_share}) {
      EXPECT_TRUE(std::isfinite(amount) && amount >= 0);
    }
  }
  for (const Edge& edge : graph.edges) {
    ASSERT_LT(edge.from.index(), graph.nodes.size());
    ASSERT_LT(edge.to.index(), graph.nodes.size());
    EXPECT_NE(edge.from, edge.to);
    EXPECT_TRUE(std::isfinite(edge.cost) && edge.cost >= 0);
    EXPECT_FALSE(graph.nodes[edge.from].backward && !graph.nodes[edge.to].backward);
  }
}

void expect_promises(const SplitListing& listing) {
  for (std::size_t position : listing.order) EXPECT_LT(position, listing.devices.size());
  EXPECT_TRUE(std::isfinite(listing.claimed_value.value_or(0)));
}

// How many inputs were read and how many refused: both must happen, or the test tests nothing.
struct Tally {
  std::size_t read = 0;
  std::size_t refused = 0;

  template <class Read>
  void count(Read read_bytes) {
    try {
      expect_promises(read_bytes());
      ++read;
    } catch (const InputError& error) {
      const std::string line = error.what();
      EXPECT_TRUE(line.find('\n') == std::string::npos && line.size() < 1'000) << line;
      EXPECT_FALSE(error.problem().empty());
      ++refused;
    }
  }
};

void expect_sturdy(const std::vector<std::string>& inputs, unsigned rounds,
                   std::string (*mutate)(const std::string&, Random&)) {
  Tally tally;
  for (unsigned seed = 0; seed < rounds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    const std::string bytes = mutate(inputs[seed % inputs.size()], random);
    try {
      tally.count([&] { return parse_workload(bytes, "f.json"); });
      tally.count([&] { return parse_split(bytes, "f.json"); });
      tally.count([&] { return parse_platform(bytes, "f.json"); });
    } catch (const std::exception& error) {
      ADD_FAILURE() << "not an InputError: " << error.what() << "\n" << bytes;
    }
    if (testing::Test::HasFailure()) return;
  }
  EXPECT_GT(tally.read, rounds / 100);
  EXPECT_GT(tally.refused, rounds / 10);
}

const std::vector<std::string> kInputs{kSmallWorkload, kSmallPlan, kSmallSeed, kSmallPlatform, kPlatformWorkload};

TEST(MutatedInputs, Bytes) {
  expect_sturdy(kInputs, 12'000, [](const std::string& text, Random& random) { return mutate_bytes(text, random); });
}

TEST(MutatedInputs, Values) {
  expect_sturdy(kInputs, 12'000, [](const std::string& text, Random& random) {
    json tree = json::parse(text);
    for (std::size_t changes = 1 + random() % 3; changes > 0; --changes) mutate_value(tree, random);
    return tree.dump();
  });
}

TEST(MutatedInputs, Gzip) {
  Tally tally;
  for (unsigned seed = 0; seed < 4'000; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    const std::string packed = gzipped(kInputs[seed % kInputs.size()]);
    const std::string bytes =
        random() % 50 == 0 ? packed + std::string(random() % 20, '\0') : mutate_bytes(packed, random);
    tally.count([&] { return parse_workload(bytes, "f.json.gz"); });
    tally.count([&] { return parse_split(bytes, "f.json.gz"); });
    if (testing::Test::HasFailure()) return;
  }
  EXPECT_GT(tally.read, 10u);
  EXPECT_GT(tally.refused, 2'000u);
}

}  // namespace
}  // namespace partita::detail
