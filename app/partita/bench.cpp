// SPDX-License-Identifier: Apache-2.0
// `partita bench paper`: the paper's tables, found anew on its own inputs.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "app/partita/commands.h"
#include "app/partita/compare_view.h"
#include "app/partita/interrupt.h"
#include "app/partita/output.h"
#include "app/partita/solving.h"
#include "app/partita/written.h"
#include "app/shared/exit_codes.h"
#include "app/shared/help_formatter.h"
#include "app/shared/options.h"
#include "app/shared/terminal_width.h"
#include "partita/compare/paper_bench.h"
#include "partita/read/paper_tables.h"
#include "partita/read/split.h"
#include "partita/read/workload.h"
#include "partita/report/paper_json.h"
#include "partita/report/paper_svg.h"
#include "partita/report/paper_text.h"
#include "partita/util/error.h"

namespace partita::detail::app {
namespace {

namespace fs = std::filesystem;

struct BenchArguments {
  std::string suite;
  std::string workloads;  // empty: where they usually are
  std::string output;     // empty: the tables to standard output
  AlgorithmOptions options;
  double seconds = 10;
  double memory_limit = default_memory_limit();  // bytes
  bool quiet = false;
};

constexpr const char* kBenchFooter =
    R"(The folder of workloads holds paper/tables.json, what the paper reports, and the inputs that it names; it is the one of
--workloads, or of the environment's PARTITA_WORKLOADS, or ../shared/workloads beside the sources. With -o, writes
paper.md, paper.json and paper.svg. Ctrl-C ends the work; what there is is written.

Example:
  partita bench paper --workloads ~/workloads -o results
)";

// Beside the checkout in whose build folder this program is. It is asked for when it runs: a program that was installed, or carried
// to another machine, names no folder of the machine that built it.
fs::path usual_workloads() {
  std::error_code error;  // then it is sought from the working folder
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  return (program.parent_path().parent_path() / ".." / "shared" / "workloads").lexically_normal();
}

fs::path find_tables(const std::string& given) {
  std::vector<fs::path> folders;
  if (!given.empty()) {
    folders.emplace_back(given);
  } else if (const char* named = std::getenv("PARTITA_WORKLOADS"); named && *named) {
    folders.emplace_back(named);
  } else {
    folders.push_back(usual_workloads());
  }
  const fs::path tables = folders.front() / "paper" / "tables.json";
  std::error_code error;
  if (fs::exists(tables, error)) return tables;
  throw InputError(ErrorKind::Unreadable, folders.front().string(),
                   "holds no paper/tables.json; expected the folder of the paper's workloads, as --workloads or "
                   "PARTITA_WORKLOADS");
}

// "x/y_training.json": human-experts/y_training_expert.json, or that of inference, which is then extended.
std::optional<SplitListing> find_expert(const fs::path& folder, const PaperRow& row) {
  const std::string stem = fs::path(row.file).stem().string();
  const std::size_t end = stem.find_last_of('_');
  std::error_code error;
  for (const std::string& name : {stem, stem.substr(0, end) + "_inference"}) {
    const fs::path file = folder / "human-experts" / (name + "_expert.json");
    if (fs::exists(file, error)) return read_split(file.string());
  }
  return std::nullopt;
}

void write_results(const BenchArguments& arguments, const std::vector<PaperTable>& tables) {
  if (arguments.output.empty()) {
    Output("-").write(paper_text(tables, {.width = page_width(STDOUT_FILENO)}));
    return;
  }
  const fs::path folder(arguments.output);
  const std::string limit = fmt::format("{:g}", arguments.seconds);
  const std::string head = fmt::format(
      "# The paper's tables, found anew\n\nEach cell: ours / the paper's, at most {} s for each algorithm; times are "
      "ours "
      "/ the paper's.\n\n![Throughput](paper.svg)\n\n",
      limit);
  Output((folder / "paper.md").string()).write(head + paper_text(tables, {.markdown = true}));
  Output((folder / "paper.json").string()).write(paper_json(tables, {arguments.seconds, arguments.options.seed, true}));
  Output((folder / "paper.svg").string()).write(paper_svg(tables.front()));
  if (arguments.quiet) return;
  tell_written({(folder / "paper.md").string(), (folder / "paper.json").string(), (folder / "paper.svg").string()});
}

// The folder may be the one that the workloads are in.
void refuse_to_replace_inputs(const std::string& folder, const fs::path& tables_file,
                              const std::vector<PaperTable>& tables) {
  std::vector<std::string> inputs{tables_file.string()};
  for (const PaperTable& table : tables) {
    for (const PaperRow& row : table.rows) inputs.push_back((tables_file.parent_path() / row.file).string());
  }
  for (const char* name : {"paper.md", "paper.json", "paper.svg"})
    refuse_clashes({{"-o", (fs::path(folder) / name).string()}}, inputs);
}

void make_folder(const std::string& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error) throw InputError(ErrorKind::Unwritable, path, "the folder cannot be made: " + error.message());
  if (!fs::is_directory(path)) throw InputError(ErrorKind::Unwritable, path, "is no folder");
}

int run_bench(const BenchArguments& arguments) {
  limit_memory(arguments.memory_limit);
  const fs::path tables_file = find_tables(arguments.workloads);
  if (!arguments.output.empty()) make_folder(arguments.output);
  std::vector<PaperTable> tables = read_paper_tables(tables_file.string());
  if (!arguments.output.empty()) refuse_to_replace_inputs(arguments.output, tables_file, tables);
  const fs::path folder = tables_file.parent_path();
  const PaperSources sources{
      .workload = [&](const PaperRow& row) { return read_workload((folder / row.file).string(), {}); },
      .expert = [&](const PaperRow& row) { return find_expert(folder, row); }};

  Budget::Limits limits;
  limits.memory_bytes = search_memory(arguments.memory_limit);
  Budget budget(limits);
  const InterruptGuard guard(budget);
  CompareView view(budget, arguments.seconds);
  for (PaperTable& table : tables) {
    std::size_t place = 0;
    const auto row_begins = [&](const PaperRow& row) {
      view.start(fmt::format("{}, {} {}", table.name, row.workload, row.kind), place++, table.rows.size());
    };
    fill_paper_table(table, sources, arguments.options, arguments.seconds, budget,
                     arguments.quiet ? CompareWatcher{} : view.watcher(), row_begins);
  }
  use_memory_reserve();
  view.finish();
  write_results(arguments, tables);
  if (budget.cancelled()) print_error("partita", "interrupted: the tables are not complete");
  return 0;
}

}  // namespace

void add_bench_command(Command& program, Action& action) {
  Command command = program.add_subcommand("bench", "Reproduce published results");
  auto arguments = std::make_shared<BenchArguments>();
  choices(command.add_option("SUITE", arguments->suite, "What to reproduce: paper, the tables of the paper").required(),
          {"paper"});
  folder(command.add_option("--workloads", arguments->workloads, "The folder of workloads (see below)"));
  command.group(kSearchGroup);
  seconds(command.add_option("--time-limit", arguments->seconds, "Time for each cell (default 10 s; inf for none)"));
  add_memory_option(command, arguments->memory_limit);
  whole(command.add_option("--threads", arguments->options.threads, "Threads that an algorithm may use (default 1)"),
        "N", 1, 1024);
  whole(command.add_option("--seed", arguments->options.seed, "Seed of all random choices (default 1)"), "S", 0,
        std::numeric_limits<std::int64_t>::max());
  command.group(kOutputGroup);
  folder(command.add_option("-o,--output", arguments->output,
                            "Write Markdown, JSON and a chart into this folder (default: tables to standard output)"));
  command.add_flag("-q,--quiet", arguments->quiet, "Print no progress");
  command.footer(kBenchFooter);
  command.callback([&action, arguments] { action = [arguments] { return run_bench(*arguments); }; });
}

}  // namespace partita::detail::app
