// SPDX-License-Identifier: Apache-2.0
#include "partita/read/split.h"

#include <variant>

#include "tests/read/inputs.h"
#include "tests/support/graph_text.h"

namespace partita::detail {
namespace {

using Ids = std::vector<std::int64_t>;

InputError error_in_split(const std::string& text) {
  return error_of([&] { parse_split(text, "f.json"); });
}

TEST(ReadSplit, APlanListsEachDeviceAtItsIndex) {
  const SplitListing listing = parse_split(kSmallPlan, "f.json");
  ASSERT_EQ(listing.devices.size(), 4u);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(listing.devices[i].kind, DeviceKind::Accelerator);
    EXPECT_EQ(listing.devices[i].name, "accelerator " + std::to_string(i));
  }
  EXPECT_EQ(listing.devices[0].node_ids, Ids{});
  EXPECT_EQ(listing.devices[1].node_ids, Ids{});  // not in the file
  EXPECT_EQ(listing.devices[2].node_ids, (Ids{7, 2}));
  EXPECT_EQ(listing.devices[3].kind, DeviceKind::Host);
  EXPECT_EQ(listing.devices[3].name, "host 0");
  EXPECT_EQ(listing.devices[3].node_ids, Ids{40});
  EXPECT_EQ(listing.devices[1].claimed_load, std::nullopt);
  EXPECT_EQ(listing.devices[2].claimed_load, 1.5);
  EXPECT_EQ(listing.order, (std::vector<std::size_t>{3, 2}));
  EXPECT_EQ(listing.claimed_value, 12.5);
}

TEST(ReadSplit, APlanMaySayLittle) {
  const SplitListing listing = parse_split(R"({"partita": {"format": "plan", "version": 1},
      "devices": [{"kind": "accelerator", "index": 1, "nodes": [5]}]})",
                                           "f");
  ASSERT_EQ(listing.devices.size(), 2u);
  EXPECT_EQ(listing.devices[1].name, "accelerator 1");
  EXPECT_EQ(listing.devices[1].node_ids, Ids{5});
  EXPECT_TRUE(listing.order.empty());
  EXPECT_EQ(listing.claimed_value, std::nullopt);
}

TEST(ReadSplit, SubgraphsInRunningOrder) {
  const SplitListing listing = parse_split(R"({"partita": {"format": "plan", "version": 1}, "devices": [
      {"kind": "accelerator", "index": 0, "nodes": [5, 6, 7], "subgraphs": [[6], [], [5.0]],
       "backward_subgraphs": [[7]]},
      {"kind": "accelerator", "index": 1, "nodes": [8], "subgraphs": null}]})",
                                           "f");
  EXPECT_EQ(listing.devices[0].node_ids, (Ids{5, 6, 7}));
  EXPECT_EQ(listing.devices[0].subgraphs, (std::vector<Ids>{{6}, {}, {5}}));
  EXPECT_EQ(listing.devices[0].backward_subgraphs, (std::vector<Ids>{{7}}));
  EXPECT_TRUE(listing.devices[1].subgraphs.empty());
  EXPECT_TRUE(listing.devices[1].backward_subgraphs.empty());
}

TEST(ReadSplit, TheSeedFormat) {
  const SplitListing listing = parse_split(gzipped(kSmallSeed), "f");
  ASSERT_EQ(listing.devices.size(), 3u);
  EXPECT_EQ(listing.devices[0].node_ids, (Ids{7, 2}));
  EXPECT_EQ(listing.devices[1].name, "accelerator 1");
  EXPECT_EQ(listing.devices[2].kind, DeviceKind::Host);
  EXPECT_EQ(listing.devices[2].node_ids, Ids{40});
  EXPECT_EQ(listing.devices[2].claimed_load, 10);
  EXPECT_EQ(listing.claimed_value, 10);
  EXPECT_TRUE(listing.order.empty());
}

TEST(ReadSplit, ANegativeOrAbsentLoadClaimsNothing) {
  const SplitListing negative = parse_split(with(kSmallSeed, R"("load": 1.5)", R"("load": -1)"), "f");
  EXPECT_EQ(negative.devices[0].claimed_load, std::nullopt);
  EXPECT_EQ(parse_split(R"({"fpgas": [{"nodes": [1]}]})", "f").devices[0].claimed_load, std::nullopt);
  EXPECT_EQ(parse_split(with(kSmallSeed, R"("maxLoad": 10.0)", R"("maxLoad": -1)"), "f").claimed_value, std::nullopt);
  EXPECT_EQ(parse_split(R"({"fpgas": [{"nodes": [1]}]})", "f").claimed_value, std::nullopt);
  EXPECT_EQ(parse_split(R"({"cpus": [{"nodes": [1]}]})", "f").devices.size(), 1u);
}

TEST(ReadSplit, NodesMayBeWrongInEveryWayThatCheckCanName) {
  const SplitListing listing = parse_split(with(kSmallSeed, "[40]", "[7, 7, -3]"), "f");
  EXPECT_EQ(listing.devices[2].node_ids, (Ids{7, 7, -3}));
}

TEST(SplitErrors, OtherFilesAreRecognised) {
  EXPECT_SAYS(error_in_split(kSmallWorkload), ErrorKind::BadField, "f.json", "is a workload", "not a split");
  EXPECT_SAYS(error_in_split("{}"), ErrorKind::BadField, "f.json", "not a split", "fpgas and cpus");
  EXPECT_SAYS(error_in_split("[]"), ErrorKind::BadField, "a list", "a split");
  EXPECT_SAYS(error_in_split("{"), ErrorKind::NotJson, "line 1");
  EXPECT_SAYS(error_of([] { read_split("no/such/plan.json"); }), ErrorKind::Unreadable, "no/such/plan.json");
}

TEST(SplitErrors, PlansThatCannotBeRead) {
  EXPECT_SAYS(error_in_split(with(kSmallPlan, R"("version": 1)", R"("version": 3)")), ErrorKind::BadField,
              "f.json: partita.version", "version 3", "newer than this program");
  EXPECT_SAYS(error_in_split(with(kSmallPlan, R"("version": 1)", R"("version": 0)")), ErrorKind::BadField,
              "partita.version", "found 0");
  EXPECT_SAYS(error_in_split(with(kSmallPlan, R"("version": 1)", R"("version": "1")")), ErrorKind::BadField,
              "partita.version", "found \"1\"");
  EXPECT_SAYS(error_in_split(with(kSmallPlan, R"("format": "plan")", R"("format": "trace")")), ErrorKind::BadField,
              "partita.format", "\"trace\"");
  EXPECT_SAYS(error_in_split(R"({"partita": 1})"), ErrorKind::BadField, "f.json: partita", "found 1");
  EXPECT_SAYS(error_in_split(R"({"partita": {"format": "plan", "version": 1}, "status": "infeasible"})"),
              ErrorKind::BadField, "f.json", "without devices", "infeasible");
  EXPECT_SAYS(error_in_split(R"({"partita": {"format": "plan", "version": 1}, "status": "unknown", "devices": []})"),
              ErrorKind::BadField, "without devices", "unknown");
}

TEST(SplitErrors, WrongTypesInAPlan) {
  EXPECT_SAYS(error_in_split(with(kSmallPlan, R"("kind": "host", )", "")), ErrorKind::BadField, "devices[0].kind",
              "missing");
  EXPECT_SAYS(error_in_split(with(kSmallPlan, R"("kind": "host")", R"("kind": "gpu")")), ErrorKind::BadField,
              "devices[0].kind", "\"gpu\"");
  EXPECT_SAYS(error_in_split(with(kSmallPlan, R"("index": 2)", R"("index": -1)")), ErrorKind::BadField,
              "devices[1].index", "found -1");
  EXPECT_SAYS(error_in_split(with(kSmallPlan, R"("index": 2)", R"("index": 1000000000)")), ErrorKind::BadField,
              "devices[1].index", "999999");
  EXPECT_SAYS(error_in_split(with(kSmallPlan, R"("index": 2)", R"("index": 0)")), ErrorKind::BadField,
              "devices[2].index", "accelerator 0", "twice");
  EXPECT_SAYS(error_in_split(with(kSmallPlan, R"("stage": 1)", R"("stage": 0)")), ErrorKind::BadField,
              "devices[1].stage", "stage 0", "twice");
  EXPECT_SAYS(error_in_split(with(kSmallPlan, R"("stage": 1)", R"("stage": "x")")), ErrorKind::BadField,
              "devices[1].stage", "\"x\"");
  EXPECT_SAYS(error_in_split(with(kSmallPlan, "[7, 2.0]", "[7, 2.5]")), ErrorKind::BadField, "devices[1].nodes[1]",
              "2.5", "integer");
  EXPECT_SAYS(error_in_split(with(kSmallPlan, "[7, 2.0]", "7")), ErrorKind::BadField, "devices[1].nodes", "found 7");
  EXPECT_SAYS(error_in_split(with(kSmallPlan, R"("value": 12.5)", R"("value": "12.5")")), ErrorKind::BadField,
              "f.json: value", "\"12.5\"");
  EXPECT_SAYS(error_in_split(with(kSmallPlan, R"("value": 12.5)", R"("value": NaN)")), ErrorKind::BadNumber, "value",
              "NaN");
}

TEST(SplitErrors, WrongTypesInSubgraphs) {
  const auto with_subgraphs = [](const std::string& list) {
    return with(kSmallPlan, R"("kind": "host")", R"("subgraphs": )" + list + R"(, "kind": "host")");
  };
  EXPECT_SAYS(error_in_split(with_subgraphs("3")), ErrorKind::BadField, "devices[0].subgraphs", "found 3");
  EXPECT_SAYS(error_in_split(with_subgraphs("[40]")), ErrorKind::BadField, "devices[0].subgraphs[0]", "found 40",
              "a list of ids");
  EXPECT_SAYS(error_in_split(with_subgraphs("[[40], [\"a\"]]")), ErrorKind::BadField, "devices[0].subgraphs[1][0]",
              "found \"a\"");
}

TEST(SplitErrors, WrongTypesInASeed) {
  EXPECT_SAYS(error_in_split(with(kSmallSeed, R"([{"load": 10.0, "nodes": [40]}])", "3")), ErrorKind::BadField,
              "f.json: cpus", "found 3");
  EXPECT_SAYS(error_in_split(with(kSmallSeed, R"({"load": 10.0, "nodes": [40]})", "[40]")), ErrorKind::BadField,
              "cpus[0]", "a list of 1");
  EXPECT_SAYS(error_in_split(with(kSmallSeed, R"("nodes": [40])", R"("node": [40])")), ErrorKind::BadField,
              "cpus[0].nodes", "missing");
  EXPECT_SAYS(error_in_split(with(kSmallSeed, "[40]", R"(["40"])")), ErrorKind::BadField, "cpus[0].nodes[0]",
              "found \"40\"");
  EXPECT_SAYS(error_in_split(with(kSmallSeed, R"("maxLoad": 10.0)", R"("maxLoad": true)")), ErrorKind::BadField,
              "f.json: maxLoad", "found true");
}

TEST(ReadPlan, CopiesNameTheirOriginalByPlaceInTheFile) {
  // The file's order is not the listing's: its hosts come last, and accelerator 1, which is left out, is filled in.
  const std::string text = R"({"partita": {"format": "plan", "version": 2}, "devices": [
    {"kind": "host", "index": 0, "nodes": [1]},
    {"kind": "accelerator", "index": 2, "nodes": [], "copy_of": 3, "recompute": true},
    {"kind": "host", "index": 1, "nodes": [], "copy_of": 0},
    {"kind": "accelerator", "index": 0, "nodes": [2], "copy_of": null, "recompute": true}]})";
  const SplitListing listing = parse_split(text, "plan.json");
  ASSERT_EQ(listing.devices.size(), 5u);
  EXPECT_EQ(listing.devices[0].copy_of, std::nullopt);
  EXPECT_EQ(listing.devices[2].copy_of, 0u);
  EXPECT_EQ(listing.devices[4].copy_of, 3u);
  EXPECT_TRUE(listing.devices[0].recomputes && listing.devices[2].recomputes);
  EXPECT_FALSE(listing.devices[1].recomputes || listing.devices[3].recomputes);
  EXPECT_SAYS(error_of([&] { parse_split(with(text, R"("copy_of": 3)", R"("copy_of": 4)"), "plan.json"); }),
              ErrorKind::BadField, "devices[1].copy_of", "found 4", "from 0 to 3");
  EXPECT_SAYS(error_of([&] { parse_split(with(text, R"("copy_of": 3)", R"("copy_of": -1)"), "plan.json"); }),
              ErrorKind::BadField, "devices[1].copy_of", "found -1");
  EXPECT_SAYS(error_of([&] { parse_split(with(text, R"("copy_of": null)", R"("copy_of": 0)"), "plan.json"); }),
              ErrorKind::BadField, "devices[3].copy_of", "lists nodes");
}

TEST(ReadPlan, TheQuestionIsReadAsFarAsItIsSaid) {
  const std::string text = R"({"partita": {"format": "plan", "version": 2}, "objective": "latency", "shape": "free",
    "transfers": "overlap", "backward_shape": true, "subgraphs": 3, "host_cores": {"policy": "strict"}, "replicas": 2,
    "memory_model": "gpipe", "microbatches": 8, "recompute": true})";
  const std::optional<PlanQuestion> plan = parse_question(text, "plan.json");
  ASSERT_TRUE(plan);
  const Problem* question = &plan->asked;
  EXPECT_FALSE(plan->devices) << "older plans do not say";
  EXPECT_EQ(question->objective, Objective::Latency);
  EXPECT_EQ(question->shape, Shape::Free);
  EXPECT_EQ(question->transfers, TransferMode::Overlap);
  EXPECT_TRUE(question->backward_shape && question->strict_host_cores && question->recompute);
  EXPECT_EQ(question->subgraphs, 3);
  EXPECT_EQ(question->replicas, 2);
  EXPECT_EQ(question->memory_model, MemoryModel::GPipe);
  EXPECT_EQ(question->microbatches, 8);
  // What we do not understand is passed over: what is used instead is always shown.
  const std::optional<PlanQuestion> unknown =
      parse_question(R"({"partita": 1, "objective": 5, "shape": "round", "host_cores": "x", "replicas": []})", "f");
  ASSERT_TRUE(unknown);
  const Problem* other = &unknown->asked;
  EXPECT_EQ(other->objective, Objective::MaxLoad);
  EXPECT_EQ(other->shape, Shape::Staged);
  EXPECT_EQ(other->replicas, 1);
  EXPECT_FALSE(parse_question(kSmallSeed, "seed.json"));
  EXPECT_FALSE(parse_question(R"({"partita": {"format": "plan", "version": 1}, "devices": []})", "silent.json"));
}

TEST(ReadSplit, FaultsInTheModelOfAPlanAreNamedByTheirPlace) {
  const auto fault = [](const std::string& model) {
    return error_of([&] {
             parse_question(R"({"partita": {"format": "plan", "version": 2}, "question": {}, "model": )" + model + "}",
                            "f");
           })
        .where();
  };
  EXPECT_EQ(fault(R"({"file": 3})"), "f: model.file");
  EXPECT_EQ(fault(R"({"options": {"batch": 2}})"), "f: model.options.batch");
}

TEST(ReadSplit, WishesOfAPlanAreMatchedWithItsWorkload) {
  const auto wishes = [](const std::string& text) {
    return parse_question(R"({"partita": {"format": "plan", "version": 2}, "question": {"wishes": )" + text + "}}",
                          "plan.json")
        ->wishes;
  };
  const WishListing listing = wishes(
      R"({"pins": [{"node": 1, "class": "host"}, {"node": 2, "class": "accelerator", "index": 1}],
          "together": [[1, 2], []], "apart": [[2, 3, 1]]})");
  const Workload workload = graph_from_text("a 1 1; b 1 1; c 1 1", 2, kUnlimited, 1);
  const Wishes matched = match_wishes(listing, workload, "plan.json");
  ASSERT_EQ(matched.pins.size(), 2u);
  EXPECT_EQ(matched.pins[0].node, NodeId(0));
  EXPECT_EQ(std::get<ClassId>(matched.pins[0].to), ClassId(1));
  EXPECT_EQ(std::get<DeviceId>(matched.pins[1].to), DeviceId(1));
  EXPECT_EQ(matched.together, (std::vector<std::vector<NodeId>>{{NodeId(0), NodeId(1)}, {}}));
  EXPECT_EQ(matched.apart, (std::vector<std::vector<NodeId>>{{NodeId(1), NodeId(2), NodeId(0)}}));
  EXPECT_TRUE(wishes("{}").empty());
  for (const char* bad :
       {"[]", R"({"pins": {}})", R"({"pins": [3]})", R"({"pins": [{"node": 1}]})", R"({"pins": [{"class": "host"}]})",
        R"({"pins": [{"node": 1, "class": "host", "index": "x"}]})", R"({"together": [1]})", R"({"apart": [["a"]]})",
        R"({"apart": 1})"}) {
    EXPECT_THROW(wishes(bad), InputError) << bad;
  }
  for (const char* other : {R"({"pins": [{"node": 9, "class": "host"}]})", R"({"pins": [{"node": 1, "class": "tpu"}]})",
                            R"({"pins": [{"node": 1, "class": "host", "index": 1}]})",
                            R"({"pins": [{"node": 1, "class": "host", "index": -1}]})", R"({"apart": [[4]]})"}) {
    EXPECT_THROW(match_wishes(wishes(other), workload, "plan.json"), InputError) << other;
  }
}

TEST(ReadPlan, TheQuestionBlockComesFirstAndNamesTheDevices) {
  const std::string text = R"({"partita": {"format": "plan", "version": 1}, "objective": "max-load", "shape": "staged",
    "question": {"objective": "latency", "subgraphs": 2, "host_cores": "strict",
      "platform": {"version": 1, "syncBandwidth": 5, "classes": [{"name": "gpu", "kind": "accelerator", "count": 3,
        "memory": 100, "timeFactor": 2}, {"name": "host", "kind": "host", "count": 0}]}}})";
  const std::optional<PlanQuestion> plan = parse_question(text, "plan.json");
  ASSERT_TRUE(plan && plan->devices);
  EXPECT_EQ(plan->asked.objective, Objective::Latency);
  EXPECT_EQ(plan->asked.subgraphs, 2);
  EXPECT_TRUE(plan->asked.strict_host_cores);
  EXPECT_EQ(plan->devices->platform.device_count(), 3u);
  EXPECT_EQ(plan->devices->platform.classes[ClassId(0)].memory, 100);
  EXPECT_EQ(plan->devices->time_factor[ClassId(0)], 2);
  EXPECT_EQ(plan->devices->platform.sync_bandwidth, 5);
}

TEST(ReadPlan, NumbersBeyondAllReasonAreNotTaken) {
  const std::optional<PlanQuestion> plan = parse_question(
      R"({"partita": {}, "question": {"objective": "latency", "subgraphs": 99999999999, "replicas": -3,
          "microbatches": 1e99}})",
      "plan.json");
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->asked.subgraphs, 1);
  EXPECT_EQ(plan->asked.replicas, 1);
  EXPECT_EQ(plan->asked.microbatches, 0);
  EXPECT_SAYS(error_of([] {
                parse_question(R"({"partita": {}, "question": {"platform": {"version": 1, "classes": []}}})", "p.json");
              }),
              ErrorKind::BadPlatform, "question.platform.classes");
  EXPECT_SAYS(error_of([] { parse_question(R"({"partita": {}, "question": 5})", "p.json"); }), ErrorKind::BadField,
              "question");
}

TEST(ReadQuestion, APlanNamesItsModel) {
  const auto question = parse_question(R"({"partita": {"format": "plan", "version": 1}, "objective": "max-load",
      "model": {"file": "m.onnx", "fingerprint": "00ff", "options": {"dtype": "bf16", "batch": "8"}}})",
                                       "f");
  ASSERT_TRUE(question);
  EXPECT_EQ(question->model.file, "m.onnx");
  EXPECT_EQ(question->model.fingerprint, "00ff");
  using Options = std::vector<std::pair<std::string, std::string>>;
  EXPECT_EQ(question->model.options, (Options{{"batch", "8"}, {"dtype", "bf16"}}));
}

TEST(ReadQuestion, AModelIsRefusedThatIsNone) {
  const auto error = [](const std::string& model) {
    return error_of([&] {
      parse_question(
          R"({"partita": {"format": "plan", "version": 1}, "objective": "max-load", "model": )" + model + "}", "f");
    });
  };
  EXPECT_EQ(error("7").where(), "f: model");
  EXPECT_EQ(error(R"({"options": {"batch": 8}})").where(), "f: model.options.batch");
}

}  // namespace
}  // namespace partita::detail
