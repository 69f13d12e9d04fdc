// SPDX-License-Identifier: Apache-2.0
// `partita export MODEL PLAN --to ENGINE`: the settings with which an engine runs the plan.
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/partita/commands.h"
#include "app/partita/engine_settings.h"
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
#include "partita/write/engines/engine.h"
#include "partita/write/output_folder.h"

namespace partita::detail::app {
namespace {

namespace fs = std::filesystem;

struct ExportArguments {
  QuestionOptions question;
  std::string plan;  // a path, or "-"
  std::string to;
  std::vector<std::string> devices;
  std::string stages;  // the folder that `partita split` wrote; empty: none
  std::string output = "-";
  bool quiet = false;
};

constexpr const char* kExportFooter = R"(
A plan that an engine cannot run is refused with the reason. `partita plan --for ENGINE` asks for one that it can.

Examples:
  partita plan config.json --platform a100+2xrtx3090+t4 --for vllm -o plan.json
  partita export plan.json --to vllm
  partita export plan.json --to llama.cpp --devices CUDA0,CUDA1,RPC0
  partita export plan.json --to triton --stages stages -o repository
)";

// The plan as the engine is to run it. The only place that needs the model's file.
struct PlannedModel {
  Problem problem;
  Split split;
  WeightNames weights;
  std::string overridden;  // what the options change of the plan's question
};

PlannedModel read_planned_model(const ExportArguments& arguments, const PlanFile& plan) {
  AnsweredProblem answered = read_answered_problem(arguments.question, plan);
  ListedSplit listed = planned_split(answered.problem, plan);
  PlannedModel planned{std::move(answered.problem), std::move(listed.split), {}, std::move(answered.overridden)};
  planned.weights = weight_names(arguments.question.workload, answered.model, *planned.problem.workload);
  return planned;
}

void link_file(const std::string& from, const fs::path& to) {
  std::error_code error;
  const fs::path source = fs::canonical(from, error);
  if (!error) fs::create_hard_link(source, to, error);
  if (error) fs::copy_file(from, to, error);  // on another file system
  if (error) throw InputError(ErrorKind::Unwritable, to.string(), "cannot be written: " + error.message());
}

void write_files(const Exported& exported, const fs::path& folder, const Budget& budget) {
  for (const ExportedFile& file : exported.files) {
    if (budget.cancelled())
      throw InputError(ErrorKind::Unwritable, folder.string(), "was interrupted; nothing was written");
    const fs::path path = folder / file.path;
    std::error_code error;
    fs::create_directories(path.parent_path(), error);  // where that fails, so does what follows
    if (file.linked_to.empty()) {
      Output(path.string()).write(file.text);
    } else {
      link_file(file.linked_to, path);
    }
  }
}

// Names of other models' operators mean nothing to engines that run ONNX files.
void require_onnx_model(const std::string& path, const Engine& engine) {
  if (!is_model(path) || path.ends_with(".onnx")) return;
  const std::string beginning = fs::is_directory(path) ? "" : beginning_of(path);
  if (looks_like_onnx(std::as_bytes(std::span(beginning)))) return;
  throw InputError(ErrorKind::Unsupported, path,
                   fmt::format("is no ONNX model, which is what {} runs; plan and export one", engine.title));
}

int run_export(ExportArguments arguments) {
  const PlanFile plan = read_plan_file(arguments.question.workload, arguments.plan);
  const Engine& engine = *find_engine(arguments.to);
  if (!arguments.stages.empty() && !engine.runs_stage_files) {
    throw InputError(ErrorKind::Usage, "--stages",
                     fmt::format("only for engines that run files of stages, not for --to {}", engine.name));
  }
  if (engine.runs_onnx) require_onnx_model(arguments.question.workload, engine);
  const bool is_folder = engine.writes_folder;
  if (is_folder && arguments.output == "-") {
    throw InputError(ErrorKind::Usage, "-o",
                     fmt::format("is missing: {} takes a folder, which must be given a name", engine.title));
  }
  std::optional<OutputFolder> folder;
  std::optional<Output> output;
  if (is_folder) {
    folder.emplace(arguments.output, false, [](const fs::path&) { return "what it holds is not replaced"; });
  } else {
    refuse_clashes({{"-o", arguments.output}},
                   {arguments.question.workload, arguments.question.platform_file, arguments.plan});
    output.emplace(arguments.output);
  }

  const PlannedModel planned = read_planned_model(arguments, plan);
  std::optional<StageFiles> stages;
  if (!arguments.stages.empty()) stages = read_stage_files(arguments.stages);
  const Exported exported = export_plan(engine, {.problem = planned.problem,
                                                 .split = planned.split,
                                                 .devices = arguments.devices,
                                                 .weights = planned.weights,
                                                 .stages = stages ? &*stages : nullptr});
  if (!arguments.quiet) {
    if (!planned.overridden.empty())
      put_error(fmt::format("options override: {}\n", visible(in_options(planned.overridden))));
    for (const std::string& note : exported.notes) put_error(fmt::format("note: {}\n", visible(in_options(note))));
  }
  if (output) {
    output->write(exported.files.front().text);
  } else {
    Budget budget;
    const InterruptGuard guard(budget);
    write_files(exported, folder->path(), budget);
    folder->keep();
  }
  if (arguments.quiet) return 0;
  if (is_folder) {
    put_error(fmt::format("wrote {} ({} files)\n", visible(arguments.output), exported.files.size()));
  } else {
    tell_written({arguments.output});
  }
  return 0;
}

}  // namespace

void add_export_command(Command& program, Action& action) {
  Command command = program.add_subcommand("export", "Write the settings with which an engine runs a plan");
  auto arguments = std::make_shared<ExportArguments>();
  path(command
           .add_option("INPUT", arguments->question.workload,
                       "The model or workload of the plan (- for standard input); left out: the one that it names")
           .required());
  path(command.add_option("PLAN", arguments->plan, "A plan, or the paper code's output (- for standard input)"));
  command.group("Engine");
  choices(command.add_option("--to", arguments->to, "Which engine (see below)").required(), engine_names())
      .option_text("ENGINE");
  command
      .add_option("--devices", arguments->devices,
                  "What the engine calls the accelerators, in the platform's order (default: numbered from 0\n"
                  "on, as in CUDA0,CUDA1)")
      .delimiter(',')
      .option_text("NAME,...");
  path(command.add_option("--stages", arguments->stages,
                          "genai, triton: the folder with the files of the stages, as `partita split` writes it"))
      .option_text("DIR");
  add_question_options(command, arguments->question);
  command.group(kOutputGroup);
  path(command.add_option("-o,--output", arguments->output,
                          "Write the settings here (default -, standard output); for triton a new folder"));
  command.add_flag("-q,--quiet", arguments->quiet, "Print nothing but the settings and errors");
  command.footer("Engines:\n" + engine_lines() + kExportFooter);
  command.callback([&action, arguments] { action = [arguments] { return run_export(*arguments); }; });
}

}  // namespace partita::detail::app
