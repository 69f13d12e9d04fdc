// SPDX-License-Identifier: Apache-2.0
// Inputs that would take more memory or time than they are worth: refused early, in one line. What they take is
// measured from outside, in tests/cli/test_hostile_inputs.py.
#include <fmt/format.h>

#include "partita/read/certificate.h"
#include "partita/read/json_document.h"
#include "partita/read/platform.h"
#include "partita/read/split.h"
#include "partita/read/workload.h"
#include "tests/read/inputs.h"

namespace partita::detail {
namespace {

std::string repeated(std::string_view part, std::size_t times) {
  std::string text;
  text.reserve(part.size() * times);
  for (std::size_t i = 0; i < times; ++i) text += part;
  return text;
}

std::string list_of(std::string_view element, std::size_t times) {
  std::string text = "[";
  text += repeated(element, times);
  text.back() = ']';
  return text;
}

constexpr std::size_t kMany = 2'000'000;

TEST(LargeInputs, ABombIsRefusedAtItsFirstElement) {
  const std::string objects = repeated("{},", kMany) + "{}]";
  const std::string packed = gzipped("{\"nodes\": [" + objects + "}");
  ASSERT_LT(packed.size(), 10'000u);
  EXPECT_SAYS(error_of([&] { parse_workload(packed, "f.gz"); }), ErrorKind::BadField, "nodes[0].id", "missing");
  EXPECT_SAYS(error_of([&] { parse_workload("[" + objects, "f"); }), ErrorKind::BadField, "found a list", "a workload");
  EXPECT_SAYS(error_of([&] { parse_workload("{\"edges\": [" + objects + "}", "f"); }), ErrorKind::BadField,
              "edges[0].sourceId");
  EXPECT_SAYS(error_of([&] { parse_split("{\"devices\": [" + objects + "}", "f"); }), ErrorKind::BadField,
              "devices[0].kind");
  EXPECT_SAYS(error_of([&] { parse_certificate("{\"classes\": [" + objects + "}", "f"); }), ErrorKind::BadField,
              "classes[0]");
}

TEST(LargeInputs, OnePartMayTakeOnlySoMuch) {
  const std::string objects = list_of("{},", kMany);
  EXPECT_SAYS(error_of([&] { parse_workload("{\"platform\": " + objects + "}", "f"); }), ErrorKind::Unreadable,
              "f: platform[", "more than 64 MiB of memory");
  EXPECT_SAYS(error_of([&] { parse_workload("{\"nodes\": [{\"id\": " + objects + "}]}", "f"); }), ErrorKind::Unreadable,
              "f: nodes[0].id[", "more than 64 MiB of memory");
  EXPECT_SAYS(error_of([&] { parse_platform("{\"classes\": " + objects + "}", "f"); }), ErrorKind::Unreadable,
              "f: classes[", "more than 64 MiB");
}

TEST(LargeInputs, WhatNobodyReadsTakesNothing) {
  const std::string objects = list_of("{},", kMany);
  const std::string text = with(kSmallWorkload, R"("list": [1, [2, {}]])", "\"list\": " + objects);
  EXPECT_EQ(parse_workload(text, "f").graph.nodes.size(), 3u);
  EXPECT_EQ(parse_workload(with(kSmallWorkload, R"("name": "small")", "\"x\": " + objects), "f").graph.nodes.size(),
            3u);
  EXPECT_EQ(parse_split(with(kSmallPlan, R"({"40": 0, "7": 1, "2": 1})", objects), "f").devices.size(), 4u);
  // Keys given twice are found all the same.
  EXPECT_SAYS(error_of([&] {
                parse_workload(
                    with(kSmallWorkload, R"("list": [1, [2, {}]])", R"("list": {"a": 1, "b": {"c": 1, "c": 2}})"), "f");
              }),
              ErrorKind::BadField, "meta.list.b.c", "twice");
}

TEST(LargeInputs, TheCallersLimitOnMemoryIsKept) {
  std::string text = R"({"maxFPGAs": 6, "maxCPUs": 1, "maxSizePerFPGA": 1, "nodes": [)";
  for (int i = 0; i < 10'000; ++i)
    text += fmt::format(R"({}{{"id":{},"cpuLatency":1,"fpgaLatency":1}})", i ? "," : "", i);
  text += R"(], "edges": []})";
  EXPECT_EQ(parse_workload(text, "f").graph.nodes.size(), 10'000u);
  EXPECT_SAYS(error_of([&] { parse_workload(text, "f", {}, {.memory = std::size_t{1} << 20}); }), ErrorKind::Unreadable,
              "f: nodes[", "more than 1 MiB of memory, the limit");
  const std::string devices = R"({"partita": {"format": "plan", "version": 1}, "devices": [)"
                              R"({"kind": "accelerator", "index": 999999, "nodes": []}]})";
  EXPECT_SAYS(error_of([&] { parse_split(devices, "f", {.memory = std::size_t{1} << 20}); }), ErrorKind::Unreadable,
              "f: devices", "more than 1 MiB");
  const std::string classes = "{\"classes\": [" + repeated("[1, 2],", 100'000) + "[1, 2]]}";
  EXPECT_SAYS(error_of([&] { parse_certificate(classes, "f", {.memory = std::size_t{1} << 20}); }),
              ErrorKind::Unreadable, "f: classes[", "more than 1 MiB");
}

TEST(LargeInputs, WhatUnpacksToManyTimesItsSizeIsRefused) {
  const std::string zeros = "{\"x\": [" + repeated("0,", 20'000'000) + "0]}";
  EXPECT_SAYS(error_of([&] { parse_workload(gzipped(zeros), "f.gz"); }), ErrorKind::NotJson, "f.gz", "200 times");
  EXPECT_SAYS(error_of([&] { parse_workload(zeros, "f"); }), ErrorKind::BadField, "nodes", "missing");
}

}  // namespace
}  // namespace partita::detail
