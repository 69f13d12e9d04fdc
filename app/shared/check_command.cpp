// SPDX-License-Identifier: Apache-2.0
#include "app/shared/check_command.h"

#include <fmt/format.h>
#include <unistd.h>

#include <optional>

#include "app/shared/exit_codes.h"
#include "app/shared/help_formatter.h"
#include "app/shared/options.h"
#include "app/shared/standard_streams.h"
#include "app/shared/terminal_width.h"
#include "partita/ask/answered_problem.h"
#include "partita/ask/option_names.h"
#include "partita/check/certificate.h"
#include "partita/check/describe.h"
#include "partita/check/times.h"
#include "partita/read/bytes.h"
#include "partita/read/certificate.h"
#include "partita/read/split.h"
#include "partita/util/error.h"
#include "partita/util/visible_text.h"

namespace partita::detail::app {
namespace {

// An untrusted plan may state an easier question than its reader has in mind.
std::string asked_text(const AnsweredProblem& answered) {
  std::string text = fmt::format("checked as: {}\n", visible(describe_problem(answered.problem)));
  for (const std::string& line : answered.problem.workload->notes) text += fmt::format("warning: {}\n", visible(line));
  if (!answered.other_devices.empty()) text += fmt::format("warning: {}\n", visible(answered.other_devices));
  if (!answered.overridden.empty())
    text += fmt::format("options override: {}\n", visible(in_options(answered.overridden)));
  return text;
}

}  // namespace

void add_check_options(Command& command, CheckArguments& arguments) {
  path(command.add_option("WORKLOAD", arguments.question.workload,
                          "The workload or model (- for standard input); left out: the one that the plan names"))
      .required();
  path(command.add_option("SPLIT", arguments.split, "A plan, or the paper code's output (- for standard input)"));
  add_question_options(command, arguments.question);
  command.group("Checks");
  path(command.add_option("--certificate", arguments.certificate,
                          "Also verify this certificate: that no split of its shape has a value of at most its limit"));
  seconds(command.add_option("--time-limit", arguments.certificate_seconds,
                             "Time to verify the certificate in (default 60 s; inf for none), within 1 GiB of memory;\n"
                             "one that takes more is not accepted"));
  command.add_flag("--ignore-claimed-value", arguments.ignore_claimed_value,
                   "Do not compare the value that the split's file claims with the one recomputed");
  command.group(kOutputGroup);
  command.add_flag("-q,--quiet", arguments.quiet, "Print nothing; the exit code tells");
}

int run_check(CheckArguments arguments) {
  const PlanFile plan = read_plan_file(arguments.question.workload, arguments.split);
  const AnsweredProblem answered = read_answered_problem(arguments.question, plan);
  const Problem& problem = answered.problem;
  SplitListing listing = parse_split(plan.bytes, plan.source);
  if (arguments.ignore_claimed_value) listing.claimed_value.reset();

  const CheckReport report = check(problem, listing);
  std::optional<Certificate> certificate;
  if (!arguments.certificate.empty()) certificate = read_certificate(arguments.certificate);
  Budget budget(Budget::Limits{.seconds = arguments.certificate_seconds});
  const CertificateVerdict verdict =
      certificate ? verify(problem, *certificate, &budget) : CertificateVerdict{.holds = true, .reason = ""};
  if (arguments.quiet) {
    if (!answered.other_devices.empty()) print_error("warning", answered.other_devices);
  } else {
    const std::size_t width = page_width(STDOUT_FILENO);
    std::string text = asked_text(answered) + "\n" + describe_table(problem, report, width);
    for (const std::string& more :
         {describe_memory(problem, report, width), in_options(describe_schedule(problem, report, width))}) {
      if (!more.empty()) text += "\n" + more + "\n";
    }
    text += describe_verdict(problem, report);
    if (certificate) text += describe_certificate(problem, *certificate, verdict, budget.limits());
    write_stdout(text, "use --quiet for the exit code alone");
  }
  if (report.legal() && verdict.holds) return 0;
  const bool undecided = report.legal() && verdict.undecided;
  return static_cast<int>(undecided ? ErrorKind::NoSplitFound : ErrorKind::IllegalSplit);
}

}  // namespace partita::detail::app
