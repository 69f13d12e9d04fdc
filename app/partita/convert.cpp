// SPDX-License-Identifier: Apache-2.0
// `partita convert FILE --to FORMAT`: splits to the paper code's output format, workloads to their normal form.
#include <memory>
#include <string>

#include "app/partita/commands.h"
#include "app/partita/output.h"
#include "app/shared/exit_codes.h"
#include "app/shared/options.h"
#include "partita/read/split.h"
#include "partita/read/workload.h"
#include "partita/report/plan_json.h"
#include "partita/report/workload_json.h"

namespace partita::app {
namespace {

struct ConvertArguments {
  std::string input;
  std::string to;
  std::string output = "-";
};

constexpr const char* kFooter = R"(  --to seed       reads a plan, or a file that is already in the seed format
  --to workload   reads a workload in any form; writes plain JSON, defaults filled in and repeated edges dropped

Example:
  partita convert plan.json --to seed -o seed.json

)";

int run_convert(const ConvertArguments& arguments) {
  const Output output(arguments.output);
  if (arguments.to == "seed") {
    output.write(seed_json(read_split(arguments.input)));
  } else {
    output.write(workload_json(read_workload(arguments.input)));
  }
  return 0;
}

}  // namespace

void add_convert_command(CLI::App& program, Action& action) {
  CLI::App* command = program.add_subcommand("convert", "Rewrite a plan or a workload in another format");
  auto arguments = std::make_shared<ConvertArguments>();
  path(command->add_option("INPUT", arguments->input, "A plan or a workload, plain or gzipped; - for standard input")
           ->required());
  choices(command
              ->add_option("--to", arguments->to,
                           "What to write: seed, the paper code's output format; workload, its input format")
              ->required(),
          {"seed", "workload"});
  path(command->add_option("-o,--output", arguments->output, "Write the result here (default -, standard output)"));
  command->footer(kFooter + exit_code_table());
  command->callback([&action, arguments] { action = [arguments] { return run_convert(*arguments); }; });
}

}  // namespace partita::app
