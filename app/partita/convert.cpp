// SPDX-License-Identifier: Apache-2.0
// `partita convert FILE --to FORMAT`: splits to the paper code's output format, workloads to their normal
// form or to an integer program for other solvers.
#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <string>

#include "app/partita/commands.h"
#include "app/partita/output.h"
#include "app/partita/written.h"
#include "app/shared/help_formatter.h"
#include "app/shared/options.h"
#include "app/shared/question.h"
#include "partita/partita.h"
#include "partita/read/pipedream.h"
#include "partita/read/split.h"
#include "partita/read/workload.h"
#include "partita/report/plan_json.h"
#include "partita/report/planner_files.h"
#include "partita/report/workload_json.h"
#include "partita/util/error.h"
#include "partita/util/visible_text.h"

namespace partita::detail::app {
namespace {

struct ConvertArguments {
  QuestionOptions question;  // its workload is the input
  std::string to;
  std::string output = "-";
  double link_bandwidth = kPipedreamBandwidth;
};

constexpr const char* kConvertExamples = R"(What is read and written:
  --to seed      reads a plan, or a file that is already in the seed format
  --to workload  reads a workload in any form; writes plain JSON, defaults filled in and repeated edges dropped, with
                 the devices of --platform and so on
  --to pipedream|piper  reads a workload; writes the input of another planner, as far as that can say it: one kind of device, sizes
                 instead of times of transfers (--link-bandwidth says how fast they move)
  --to mps|lp    reads a workload; writes the integer program of its best split, for any solver that reads such files.
                 `partita plan --read-solution` makes a plan of the solution

Examples:
  partita convert plan.json --to seed -o seed.json
  partita convert model.json --to workload --platform cluster.json -o all.json
  partita convert model.json --to mps --shape contiguous -o model.mps
)";

int run_convert(const ConvertArguments& arguments) {
  refuse_clashes({{"-o", arguments.output}}, {arguments.question.workload, arguments.question.platform_file});
  const Output output(arguments.output);
  const std::string& input = arguments.question.workload;
  if (arguments.to == "seed") {
    output.write(seed_json(read_split(input)));
  } else if (arguments.to == "workload") {
    output.write(workload_json(read_question_workload(arguments.question)));
  } else if (arguments.to == "pipedream" || arguments.to == "piper") {
    const Workload workload = read_question_workload(arguments.question);
    const PlannerFile file = arguments.to == "pipedream" ? pipedream_file(workload, arguments.link_bandwidth)
                                                         : piper_file(workload, arguments.link_bandwidth,
                                                                      arguments.question.microbatches.value_or(1));
    for (const std::string& note : file.notes) fmt::print(stderr, "warning: {}\n", visible(note));
    output.write(file.text);
  } else {
    output.write(
        integer_program(read_problem(arguments.question), arguments.to == "mps" ? ModelFormat::Mps : ModelFormat::Lp));
  }
  tell_written({arguments.output});
  return 0;
}

// Options that state a problem would be passed over in silence where no problem is written.
void refuse_question(const Command& command, const std::string& to) {
  for (const char* option : {"--objective", "--shape", "--transfers", "--backward-shape", "--subgraphs", "--host-cores",
                             "--replicate", "--memory-model", "--microbatches", "--recompute"}) {
    if (!command.is_given(option) || (to == "piper" && option == std::string("--microbatches"))) continue;
    throw InputError(ErrorKind::Usage, option, "only for --to mps and --to lp, not for --to " + to);
  }
  if (to != "seed") return;
  for (const char* option : {"--platform", "--accelerators", "--memory", "--hosts", "--clusters", "--sync-bandwidth"}) {
    if (command.is_given(option)) throw InputError(ErrorKind::Usage, option, "only for workloads, not for --to " + to);
  }
}

}  // namespace

void add_convert_command(Command& program, Action& action) {
  Command command = program.add_subcommand("convert", "Rewrite a plan or a workload in another format");
  auto arguments = std::make_shared<ConvertArguments>();
  path(command
           .add_option("INPUT", arguments->question.workload,
                       "A plan or a workload, plain or gzipped; - for standard input")
           .required());
  command.group(kOutputGroup);
  choices(
      command
          .add_option("--to", arguments->to,
                      "What to write: seed, the paper code's output format; workload, its input format; pipedream or\n"
                      "piper, other planners' inputs; mps or lp, an integer program")
          .required(),
      {"seed", "workload", "pipedream", "piper", "mps", "lp"});
  bandwidth(command.add_option("--link-bandwidth", arguments->link_bandwidth,
                               "PipeDream and Piper: bytes per second of the links (default 1e9)"));
  add_question_options(command, arguments->question);
  command.group(kOutputGroup);
  path(command.add_option("-o,--output", arguments->output, "Write the result here (default -, standard output)"));
  command.footer(kConvertExamples);
  command.callback([&action, command, arguments] {
    action = [command, arguments] {
      if (arguments->to != "mps" && arguments->to != "lp") refuse_question(command, arguments->to);
      return run_convert(*arguments);
    };
  });
}

}  // namespace partita::detail::app
