// SPDX-License-Identifier: Apache-2.0
#include "partita/read/time_unit.h"

#include "partita/read/workload.h"
#include "tests/read/inputs.h"

namespace partita::detail {
namespace {

using Notes = std::vector<std::string>;

TEST(TimeUnit, UsualWaysToWriteOne) {
  EXPECT_EQ(time_unit("ms"), "ms");
  EXPECT_EQ(time_unit("ms and bytes"), "ms");
  EXPECT_EQ(time_unit("Milliseconds"), "ms");
  EXPECT_EQ(time_unit("bytes, \xc2\xb5s"), "us");
  EXPECT_EQ(time_unit("usec"), "us");
  EXPECT_EQ(time_unit(" seconds / B "), "s");
  EXPECT_EQ(time_unit("ns"), "ns");
}

TEST(TimeUnit, NothingElseIsOne) {
  for (const char* text : {"", "bytes", "parsecs", "ms and s", "ms per sample", "m"}) {
    EXPECT_EQ(time_unit(text), std::nullopt) << text;
  }
}

TEST(TimeUnit, AFileSaysItItselfOrInItsMeta) {
  EXPECT_EQ(parse_workload(kSmallWorkload, "f").time_unit, "ms");  // in meta
  const std::string none = with(kSmallWorkload, R"("unit": "ms")", R"("unit": null)");
  EXPECT_EQ(parse_workload(none, "f").time_unit, "");
  EXPECT_EQ(parse_workload(none, "f").notes, Notes{});
  EXPECT_EQ(parse_workload(with(none, R"("name": "small")", R"("unit": "us")"), "f").time_unit, "us");
}

TEST(TimeUnit, AFileThatMakesNoSenseIsSaid) {
  const Workload odd = parse_workload(with(kSmallWorkload, R"("unit": "ms")", R"("unit": "fort\u001bnights")"), "f");
  EXPECT_EQ(odd.time_unit, "");
  EXPECT_EQ(odd.notes, Notes{"f: meta.unit: found \"fort\\u001bnights\", so times are shown without a unit; expected "
                             "ns, us, ms or s"});
  const Workload both = parse_workload(with(kSmallWorkload, R"("name": "small")", R"("unit": "s")"), "f");
  EXPECT_EQ(both.time_unit, "s");
  EXPECT_EQ(both.notes, Notes{"f: meta.unit: found ms, but the file's own unit is s, which is taken"});
}

}  // namespace
}  // namespace partita::detail
