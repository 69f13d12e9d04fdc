// SPDX-License-Identifier: Apache-2.0
#include "tests/property/property.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "partita/report/workload_json.h"

namespace partita::detail {
namespace {

// The environment variable as a number, or `otherwise` if it is not set to one.
int from_environment(const char* name, int otherwise) {
  const char* text = std::getenv(name);
  const int number = text == nullptr ? 0 : std::atoi(text);
  return number > 0 ? number : otherwise;
}

std::string failure_file() {
  const testing::TestInfo* info = testing::UnitTest::GetInstance()->current_test_info();
  return std::string("failed-") + info->test_suite_name() + "." + info->name() + ".json";
}

// A property that throws is a property that does not hold.
Complaint complaint_of(const Property& property, const Workload& workload, unsigned number) {
  try {
    return property(workload, number);
  } catch (const std::exception& error) {
    return std::string("exception: ") + error.what();
  }
}

}  // namespace

void expect_for_all_workloads(const Property& property, int rarity) {
  const std::string file = failure_file();
  // Shrinking only goes from failure to smaller failure, so the last workload written is the smallest.
  const auto body = [&](const Recipe& recipe) {
    const unsigned number = *rc::gen::noShrink(rc::gen::resize(rc::kNominalSize, rc::gen::inRange(0U, 1000000U)));
    const Workload workload = make_workload(recipe);
    if (const Complaint complaint = complaint_of(property, workload, number)) {
      std::ofstream(file) << workload_json(workload);
      RC_FAIL(*complaint);
    }
  };
  rc::detail::TestParams params;
  params.maxSuccess = std::max(1, from_environment("PARTITA_PROPERTY_CASES", kDefaultCases) / rarity);
  params.seed = static_cast<std::uint64_t>(from_environment("PARTITA_PROPERTY_SEED", 1));
  rc::detail::TestMetadata metadata;
  metadata.id = file;
  metadata.description = file;
  const auto result = rc::detail::checkTestable(body, metadata, params);
  if (result.template is<rc::detail::SuccessResult>()) return;
  std::ostringstream message;
  rc::detail::printResultMessage(result, message);
  FAIL() << message.str() << "\nrun again with PARTITA_PROPERTY_SEED=" << params.seed
         << "; the smallest failing workload is in " << file;
}

void expect_more_than(int met, int cases, int one_in, const char* what) {
  constexpr int kTelling = 5;  // so many should be met in a run that is long enough
  if (cases / one_in < kTelling) return;
  EXPECT_GT(met, cases / one_in) << what << ", of " << cases;
}

bool nearly(double a, double b, double tolerance) {
  return std::abs(a - b) <= tolerance * std::max({1.0, std::abs(a), std::abs(b)});
}

}  // namespace partita::detail
