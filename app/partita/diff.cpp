// SPDX-License-Identifier: Apache-2.0
// `partita diff PLAN PLAN`: what changes from one plan of a model to another. Plans say all that this needs.
#include <fmt/format.h>
#include <unistd.h>

#include <memory>
#include <string>

#include "app/partita/commands.h"
#include "app/partita/output.h"
#include "app/shared/options.h"
#include "app/shared/standard_streams.h"
#include "app/shared/terminal_width.h"
#include "partita/ask/option_names.h"
#include "partita/check/listed_split.h"
#include "partita/read/bytes.h"
#include "partita/read/plan_facts.h"
#include "partita/read/split.h"
#include "partita/report/diff_text.h"
#include "partita/util/error.h"
#include "partita/util/visible_text.h"

namespace partita::detail::app {
namespace {

struct DiffArguments {
  std::string before;
  std::string after;
};

struct ReadPlan {
  std::string label;
  SplitListing split;
  std::optional<PlanQuestion> question;
  PlanFacts facts;

  explicit ReadPlan(const std::string& path) : label(source_name(path)) {
    const std::string bytes = read_bytes(path);
    split = parse_split(bytes, label);
    question = parse_question(bytes, label);
    facts = parse_plan_facts(bytes, label);
  }

  PlanSide side() const {
    return {visible(label),    split,          visible(facts.status), visible(facts.time_unit), facts.bound,
            facts.cut_tensors, facts.cut_bytes};
  }
  std::string fingerprint() const { return question ? question->model.fingerprint : std::string(); }
};

// Nodes of two graphs with one id have nothing in common.
void require_one_graph(const ReadPlan& before, const ReadPlan& after) {
  if (before.fingerprint().empty() || after.fingerprint().empty()) return;
  if (before.fingerprint() == after.fingerprint()) return;
  throw InputError(
      ErrorKind::BadField, after.label,
      fmt::format("is a plan for another graph than {}: {} ({}) and {} ({}); expected two plans of one model",
                  before.label, visible(after.question->model.file), after.fingerprint(),
                  visible(before.question->model.file), before.fingerprint()));
}

int run_diff(const DiffArguments& arguments) {
  if (arguments.before == "-" && arguments.after == "-")
    throw InputError(ErrorKind::Usage, "PLAN", "only one of the two can be standard input");
  const ReadPlan before(arguments.before), after(arguments.after);
  require_one_graph(before, after);
  std::string text;
  if (before.question && after.question) {
    const std::string here = in_options(options_that_differ(after.question->asked, before.question->asked));
    if (!here.empty()) text += fmt::format("the questions differ: {} has {}\n\n", visible(after.label), here);
  }
  const auto name_of = [&](std::int64_t id) {
    const auto found = after.facts.names.find(id);
    return found == after.facts.names.end() ? std::to_string(id) : fmt::format("{} ({})", id, visible(found->second));
  };
  text += diff_text(before.side(), after.side(), name_of, page_width(STDOUT_FILENO));
  write_stdout(text, "");
  return 0;
}

}  // namespace

void add_diff_command(Command& program, Action& action) {
  Command command = program.add_subcommand("diff", "Say what changes from one plan of a model to another");
  auto arguments = std::make_shared<DiffArguments>();
  path(command.add_option("BEFORE", arguments->before, "A plan, as of today (- for standard input)")).required();
  path(command.add_option("AFTER", arguments->after, "Another plan of the same model (- for standard input)"))
      .required();
  command.footer("Example:\n  partita diff today.json tomorrow.json\n");
  command.callback([&action, arguments] { action = [arguments] { return run_diff(*arguments); }; });
}

}  // namespace partita::detail::app
