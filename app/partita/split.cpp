// SPDX-License-Identifier: Apache-2.0
// `partita split MODEL PLAN -o DIR`: cuts an ONNX model along a plan, into files that run one after the other.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>

#include "app/partita/commands.h"
#include "app/partita/interrupt.h"
#include "app/partita/output.h"
#include "app/partita/terminal.h"
#include "app/partita/written.h"
#include "app/shared/help_formatter.h"
#include "app/shared/options.h"
#include "app/shared/question.h"
#include "partita/ask/answered_problem.h"
#include "partita/ask/option_names.h"
#include "partita/check/listed_split.h"
#include "partita/read/bytes.h"
#include "partita/read/onnx.h"
#include "partita/read/split.h"
#include "partita/util/error.h"
#include "partita/util/visible_text.h"
#include "partita/write/onnx/split_onnx.h"
#include "partita/write/output_folder.h"

namespace partita::detail::app {
namespace {

struct SplitArguments {
  QuestionOptions question;
  std::string plan;    // a path, or "-"
  std::string folder;  // the output
  bool chain = false;
  bool copy_weights = false;
  bool annotate = false;
  bool force = false;
  bool quiet = false;
};

constexpr const char* kSplitFooter =
    R"(Each stage is an ONNX model of its own; pipeline.json says what it reads, from where, and what it makes
(docs/split.md). A plan says what question it answers and for which devices; give the options about the model
(--dim, --training, ...) that it was made with.

Examples:
  partita plan model.onnx --platform 4xa100 -o plan.json
  partita split model.onnx plan.json -o stages
  partita split model.onnx plan.json --chain --copy-weights -o stages
  partita split model.onnx plan.json --annotate -o annotated
)";

// Only ONNX models can be cut; what else there is, its reader would say less clearly.
void require_onnx(const std::string& path) {
  if (path == "-") {
    throw InputError(ErrorKind::Usage, "MODEL", "is a file's name; its weights are not read from standard input");
  }
  const std::string beginning = beginning_of(path);
  const bool is_onnx = path.ends_with(".onnx") || looks_like_onnx(std::as_bytes(std::span(beginning)));
  if (!is_onnx) throw InputError(ErrorKind::Unsupported, path, "is no ONNX model, which is what can be split");
}

std::string stages_text(const SplitArguments& arguments, const onnx::Pipeline& pipeline) {
  std::string text;
  for (std::size_t i = 0; i < pipeline.stages.size(); ++i) {
    const onnx::PipelineStage& stage = pipeline.stages[i];
    double received = 0;
    for (const onnx::PipelineValue& input : stage.inputs) {
      if (input.from) received += input.type.bytes.value_or(0);
    }
    text += fmt::format("stage {:<3} {}: {} nodes", i, visible(stage.device), stage.nodes);
    if (stage.recomputed > 0) text += fmt::format(" ({} computed again)", stage.recomputed);
    text += fmt::format(", weights {}", file_size_text(stage.weight_bytes));
    if (received > 0) text += fmt::format(", receives {}", file_size_text(received));
    if (!stage.copies.empty()) text += fmt::format(", on {} devices", stage.copies.size() + 1);
    text += "\n";
  }
  for (const std::string& line : pipeline.notes) text += fmt::format("note: {}\n", visible(line));
  text += fmt::format("wrote {} ({}, {} files)\n", visible(arguments.folder),
                      pipeline.annotated ? "the model with its stages" : "the stages", pipeline.files.size() + 1);
  return text;
}

int run_split(SplitArguments arguments) {
  const PlanFile file = read_plan_file(arguments.question.workload, arguments.plan);
  require_onnx(arguments.question.workload);
  if (arguments.annotate && arguments.chain) {
    throw InputError(ErrorKind::Usage, "--chain", "not with --annotate, which writes one file and no stages");
  }
  const AnsweredProblem answered = read_answered_problem(arguments.question, file);
  const Problem& problem = answered.problem;
  const ListedSplit plan = planned_split(problem, file);

  Budget budget;  // without limits, but it can be cancelled: weights take time to copy, and the folder must then go
  const InterruptGuard guard(budget);
  OutputFolder folder(arguments.folder, arguments.force, onnx::why_not_a_pipeline);
  OnnxSplitOptions options;
  options.network = network_options(answered.model);
  options.chain = arguments.chain;
  options.copy_weights = arguments.copy_weights;
  options.annotate = arguments.annotate;
  options.budget = &budget;
  const onnx::Pipeline pipeline = split_onnx(arguments.question.workload, problem, plan, folder.path(), options);
  folder.keep();
  if (arguments.quiet) return 0;
  std::string text;
  if (!answered.overridden.empty())
    text += fmt::format("options override: {}\n", visible(in_options(answered.overridden)));
  print_report(text + stages_text(arguments, pipeline), false);
  return 0;
}

}  // namespace

void add_split_command(Command& program, Action& action) {
  Command command = program.add_subcommand("split", "Cut an ONNX model along a plan, into a file for each stage");
  auto arguments = std::make_shared<SplitArguments>();
  path(command.add_option("MODEL", arguments->question.workload,
                          "The ONNX model that was planned; left out: the one that the plan names"))
      .required();
  path(command.add_option("PLAN", arguments->plan, "Its plan (- for standard input)"));
  command.group("Stages");
  command.add_flag("--chain", arguments->chain,
                   "Let each stage read from the one before it alone, and pass on what later ones need");
  command.add_flag("--copy-weights", arguments->copy_weights,
                   "Copy external weights, for each stage its own (default: stages refer to the model's files)");
  command.add_flag("--annotate", arguments->annotate,
                   "Instead of stages, write the whole model, whose nodes name their stage (pipeline_stage of IR 11)");
  add_question_options(command, arguments->question);
  command.group(kOutputGroup);
  path(command.add_option("-o,--output", arguments->folder, "The folder to make; it must not be there, or be empty"))
      .required();
  command.add_flag("--force", arguments->force, "Replace a folder that this command has made");
  command.add_flag("-q,--quiet", arguments->quiet, "Print nothing but errors");
  command.footer(kSplitFooter);
  command.callback([&action, arguments] { action = [arguments] { return run_split(*arguments); }; });
}

}  // namespace partita::detail::app
