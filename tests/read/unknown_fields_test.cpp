// SPDX-License-Identifier: Apache-2.0
// A field that is misspelt is not passed over in silence.
#include "partita/read/unknown_fields.h"

#include <fmt/format.h>

#include "partita/read/workload.h"
#include "tests/read/inputs.h"

namespace partita::detail {
namespace {

using Notes = std::vector<std::string>;

Notes notes_of(const std::string& text) { return parse_workload(text, "f.json").notes; }

TEST(UnknownFields, WhatPublishedFilesHaveIsPassedOverInSilence) {
  EXPECT_EQ(notes_of(kSmallWorkload), Notes{});
  EXPECT_EQ(notes_of(kPlatformWorkload), Notes{});
  EXPECT_EQ(parse_platform(kSmallPlatform, "p").notes, Notes{});
  EXPECT_EQ(notes_of(with(kSmallWorkload, R"("id": 2,)", R"("id": 2, "outputBytes": 5, "meta": {"any": 1},)")),
            Notes{});
}

TEST(UnknownFields, AMisspeltFieldIsNamedWithWhatWasMeant) {
  EXPECT_EQ(notes_of(with(kSmallWorkload, R"("colorClass": 3, "size")", R"("colorclass": 3, "size")")),
            Notes{"f.json: nodes[0].colorclass (node id 7): is not a field of a node, so it is passed over; did you "
                  "mean colorClass?"});
  EXPECT_EQ(notes_of(with(kPlatformWorkload, R"("timeFactor")", R"("timefactor")")),
            Notes{"f.json: platform.classes[1].timefactor: is not a field of a class of devices, so it is passed over; "
                  "did you mean timeFactor?"});
  EXPECT_EQ(
      notes_of(with(kPlatformWorkload, R"("factor": 0.25)", R"("factr": 0.25)")),
      Notes{"f.json: platform.clusters.clusters[0].clusters[0].factr: is not a field of a cluster, so it is passed "
            "over; did you mean factor?"});
  EXPECT_EQ(notes_of(with(kSmallWorkload, R"("name": "small")", R"("author": [{}])")),
            Notes{"f.json: author: is not a field of a workload, so it is passed over"});
}

TEST(UnknownFields, OneLineForEachNameHoweverOftenItOccurs) {
  std::string text = kSmallWorkload;
  for (const char* id : {"7", "2", "40"}) {
    text = with(text, fmt::format("\"id\": {},", id), fmt::format("\"id\": {}, \"Size\": 4,", id));
  }
  EXPECT_EQ(notes_of(text), Notes{"f.json: nodes[0].Size (node id 7): is not a field of a node, so it is passed over "
                                  "(3 times); did you mean size?"});
}

TEST(UnknownFields, AFileOfNothingElseGetsAFewLines) {
  std::string fields;
  for (int i = 0; i < 1'000; ++i) fields += fmt::format("\"x{}\": 0, ", i);
  const Notes notes = notes_of(with(kSmallWorkload, "\"id\": 2,", fields + "\"id\": 2,"));
  EXPECT_EQ(notes.size(), 21u);
  EXPECT_EQ(notes.back(), "980 more fields that are not known are passed over");
}

TEST(UnknownFields, NamesAreMadeVisible) {
  EXPECT_EQ(notes_of(with(kSmallWorkload, R"("name": "small")", R"("\u202eevil": 1)")),
            Notes{"f.json: \\u202eevil: is not a field of a workload, so it is passed over"});
}

TEST(UnknownFields, StrictReadersRefuse) {
  const ReadOptions strict{.strict = true};
  EXPECT_EQ(parse_workload(kSmallWorkload, "f", {}, strict).notes, Notes{});
  EXPECT_SAYS(error_of([&] {
                parse_workload(with(kSmallWorkload, R"("cost": 3)", R"("cost": 3, "Cost": 3)"), "f", {}, strict);
              }),
              ErrorKind::BadField, "f: edges[1].Cost: is not a field of an edge; did you mean cost?");
  EXPECT_SAYS(error_of([&] { parse_platform(with(kSmallPlatform, "timeFactor", "timefactor"), "p", strict); }),
              ErrorKind::BadField, "p: classes[1].timefactor", "timeFactor");
  EXPECT_SAYS(error_of([&] { parse_workload(with(kSmallWorkload, R"("name")", R"("nmae")"), "f", {}, strict); }),
              ErrorKind::BadField, "f: nmae: is not a field of a workload; did you mean name?");
}

TEST(UnknownFields, TheNotesOfAPlatformsFileReachTheWorkload) {
  const PlatformSpec spec = parse_platform(with(kSmallPlatform, "timeFactor", "timefactor"), "p");
  ASSERT_EQ(spec.notes.size(), 1u);
  EXPECT_EQ(parse_workload(kSmallWorkload, "f", {.platform = spec}).notes, spec.notes);
}

TEST(UnknownFields, ARequiredFieldThatIsMisspeltIsPointedAt) {
  const auto error_with = [](std::string_view from, std::string_view to) {
    return error_of([&] { parse_workload(with(kSmallWorkload, from, to), "f"); });
  };
  EXPECT_SAYS(error_with(R"("cpuLatency": 2.5)", R"("cpulatency": 2.5)"), ErrorKind::BadField, "nodes[1].cpuLatency",
              "missing", "is \"cpulatency\" meant to be it?");
  EXPECT_SAYS(error_with(R"("maxFPGAs")", R"("maxFpga")"), ErrorKind::BadField, "maxFPGAs", "is \"maxFpga\" meant");
  EXPECT_SAYS(error_with(R"("destId": 40)", R"("destID": 40)"), ErrorKind::BadField, "edges[1].destId",
              "is \"destID\" meant");
  // A field that is known is not taken for another one.
  const InputError other = error_with(R"(, "fpgaLatency": 1})", "}");
  EXPECT_EQ(std::string(other.what()).find("meant"), std::string::npos) << other.what();
}

}  // namespace
}  // namespace partita::detail
