// SPDX-License-Identifier: Apache-2.0
#include "partita/model/settings.h"

#include <gtest/gtest.h>

#include <set>

#include "partita/util/error.h"

namespace partita {
namespace {

std::string problem_with(const std::string& assignment) {
  Settings settings;
  try {
    set(settings, assignment);
  } catch (const InputError& error) {
    EXPECT_EQ(error.kind(), ErrorKind::Usage);
    EXPECT_TRUE(changed(settings).empty()) << "a refused value was kept";
    return error.problem();
  }
  return "";
}

TEST(Settings, AreDescribedOnceWithDefaultsInTheirRanges) {
  Settings settings;
  std::set<std::string> names;
  for (const SettingGroup& group : describe(settings)) {
    EXPECT_FALSE(group.summary.empty());
    for (const SettingField& field : group.fields) {
      const std::string name = group.solver + "." + field.name;
      EXPECT_TRUE(names.insert(name).second) << name;
      EXPECT_EQ(field.help.back(), '.') << name;
      EXPECT_EQ(field.is_switch() || field.is_word(), field.unit.empty()) << name << ": numbers have a unit";
      EXPECT_EQ(field.is_word(), !field.words.empty()) << name;
      EXPECT_EQ(problem_with(name + "=" + field.value()), "") << name;
    }
  }
  EXPECT_EQ(setting_names().size(), names.size());
}

// A field that describe() forgot could not be reached.
TEST(Settings, EveryFieldIsDescribed) {
  Settings settings;
  std::set<const void*> places;
  for (const SettingGroup& group : describe(settings)) {
    for (const SettingField& field : group.fields)
      places.insert(std::visit([](const auto* at) { return static_cast<const void*>(at); }, field.place));
  }
  EXPECT_EQ(places.size(), setting_names().size()) << "two settings in one place";
}

TEST(Settings, AreSetByName) {
  Settings settings;
  set(settings, "staged.annealing=false");
  set(settings, "staged.first_slice=1e6");
  set(settings, "free.split_share=0.5");
  set(settings, "mip.backend=highs");
  EXPECT_FALSE(settings.staged.annealing);
  EXPECT_EQ(settings.staged.first_slice, 1'000'000U);
  EXPECT_EQ(settings.free.split_share, 0.5);
  EXPECT_EQ(settings.mip.backend, "highs");
  set(settings, "staged.annealing=true");
  EXPECT_TRUE(settings.staged.annealing);
}

TEST(Settings, ThoseThatDifferFromTheirDefaultsAreTold) {
  Settings settings;
  EXPECT_TRUE(changed(settings).empty());
  settings.presolve.windows = false;
  settings.latency.run_growth = 1.5;
  const SettingFields fields = changed(settings);
  ASSERT_EQ(fields.size(), 2U);
  EXPECT_EQ(fields[0].name + "=" + fields[0].value(), "presolve.windows=false");
  EXPECT_EQ(fields[1].name + "=" + fields[1].value(), "latency.run_growth=1.5");
}

TEST(Settings, RefuseWhatIsNotThereOrOutOfRange) {
  EXPECT_EQ(problem_with("staged.anealing=false"),
            "there is no setting 'staged.anealing'; did you mean staged.annealing?");
  EXPECT_EQ(problem_with("weather=fine"), "there is no setting 'weather'; `partita help settings` lists all");
  EXPECT_EQ(problem_with("staged.annealing"),
            "'staged.annealing' is not of the form solver.name=value, such as staged.annealing=false");
  EXPECT_EQ(problem_with("staged.annealing=no"), "'no' is no value of staged.annealing, which is true or false");
  EXPECT_EQ(problem_with("staged.bisections=101"),
            "'101' is no value of staged.bisections, which is a whole number from 0 to 100 (steps)");
  for (const char* bad : {"-1", "1.5", "", "nan", "inf", "ten", "1 ", "0x1"})
    EXPECT_NE(problem_with(std::string("staged.bisections=") + bad), "") << bad;
  EXPECT_EQ(problem_with("mip.backend=gurobi"), "'gurobi' is no value of mip.backend, which is auto, cbc or highs");
  EXPECT_EQ(problem_with("free.turn_growth=1"),
            "'1' is no value of free.turn_growth, which is a number from 1.01 to 100 (times)");
}

}  // namespace
}  // namespace partita
