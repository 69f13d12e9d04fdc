// SPDX-License-Identifier: Apache-2.0
#include "app/partita/engine_settings.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/shared/model_options.h"
#include "partita/ask/option_names.h"
#include "partita/util/error.h"
#include "partita/util/visible_text.h"
#include "partita/write/engines/quoting.h"
#include "partita/write/engines/weight_names.h"

namespace partita::detail::app {

std::vector<std::string> engine_names() {
  std::vector<std::string> names;
  for (const Engine& engine : engines()) names.emplace_back(engine.name);
  return names;
}

std::string engine_lines() {
  std::string text;
  for (const Engine& engine : engines())
    text += fmt::format("  {:<12}  {}: {}\n", engine.name, engine.title, engine.writes);
  return text;
}

WeightNames weight_names(const std::string& path, const ModelOptions& model, const Workload& workload) {
  return is_model(path) ? detail::weight_names(read_model_network(path, model), workload) : WeightNames();
}

std::string settings_text(const Engine& engine, const std::string& input, const std::string& plan,
                          const ExportRequest& request) {
  constexpr std::ptrdiff_t kShort = 16;  // lines
  const std::string file = plan.empty() || plan == "-" ? "PLAN" : shell_word(plan);
  const std::string model = shell_word(input);
  if (engine.runs_stage_files) {
    return fmt::format("for {}: `partita split {} {} -o STAGES`, then `partita export {} {} --to {} --stages STAGES`\n",
                       engine.title, model, file, model, file, engine.name);
  }
  try {
    const Exported exported = export_plan(engine, request);
    const std::string& text = exported.files.front().text;
    if (std::ranges::count(text, '\n') <= kShort) {
      std::string shown = fmt::format("settings for {}:\n{}", engine.title, text);
      for (const std::string& note : exported.notes) shown += fmt::format("note: {}\n", visible(in_options(note)));
      return shown;
    }
  } catch (const InputError& error) {
    return fmt::format("warning: {}\n", visible(in_options(error.what())));
  }
  return fmt::format("`partita export {} {} --to {}` writes the settings for {}\n", model, file, engine.name,
                     engine.title);
}

}  // namespace partita::detail::app
