// SPDX-License-Identifier: Apache-2.0
#include "partita/read/paper_tables.h"

#include <gtest/gtest.h>

#include "partita/util/error.h"

namespace partita::detail {
namespace {

constexpr const char* kTables = R"({
  "throughput": [{"workload": "A", "kind": "training", "file": "in/a.json", "dp": {"tps": 2.5, "runtime": "1s"},
                  "expert": null, "scotch": 4}],
  "operatorVsLayer": [{"workload": "A", "kind": "training", "operator": 2.5, "contractedLayers": 3}],
  "latency": [{"workload": "A", "file": "in/a.json", "expert": "OOM",
               "ip": {"latency": 7, "runtime": ">1h", "certifiedGap": "9%"}}]
})";

const PaperCell& cell(const PaperTable& table, const std::string& algorithm) {
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    if (table.columns[c].algorithm == algorithm) return table.rows.at(0).cells[c];
  }
  throw std::invalid_argument(algorithm);
}

TEST(PaperTables, CellsAreNumbersObjectsTextOrNothing) {
  const auto tables = parse_paper_tables(kTables, "t");
  ASSERT_EQ(tables.size(), 3u);
  EXPECT_EQ(cell(tables[0], "dp").value, 2.5);
  EXPECT_EQ(cell(tables[0], "dp").runtime, "1s");
  EXPECT_EQ(cell(tables[0], "scotch").value, 4);
  EXPECT_FALSE(cell(tables[0], "expert").present);
  EXPECT_FALSE(cell(tables[0], "pipedream").present);
  EXPECT_EQ(cell(tables[2], "expert").remark, "OOM");
  EXPECT_TRUE(cell(tables[2], "expert").present);
  EXPECT_EQ(cell(tables[2], "latency").certified, "9%");
  EXPECT_EQ(tables[2].objective, Objective::Latency);
}

TEST(PaperTables, GranularityBorrowsFiles) { EXPECT_EQ(parse_paper_tables(kTables, "t")[1].rows[0].file, "in/a.json"); }

TEST(PaperTables, ErrorsNameThePlace) {
  try {
    parse_paper_tables(R"({"throughput": [{"dp": {"tps": "x"}}], "operatorVsLayer": [], "latency": []})", "t");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(error.kind(), ErrorKind::BadField);
    EXPECT_NE(std::string(error.what()).find("throughput[0].dp.tps"), std::string::npos) << error.what();
  }
  EXPECT_THROW(parse_paper_tables("{}", "t"), InputError);
}

}  // namespace
}  // namespace partita::detail
