// SPDX-License-Identifier: Apache-2.0
#include "app/shared/check_command.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <optional>

#include "app/shared/help_formatter.h"
#include "app/shared/options.h"
#include "app/shared/terminal_width.h"
#include "partita/check/certificate.h"
#include "partita/check/describe.h"
#include "partita/read/certificate.h"
#include "partita/read/split.h"
#include "partita/util/error.h"

namespace partita::app {

void add_check_options(CLI::App& command, CheckArguments& arguments) {
  path(command.add_option("WORKLOAD", arguments.question.workload, "The workload (- for standard input)"))->required();
  path(command.add_option("SPLIT", arguments.split, "A plan, or the paper code's output (- for standard input)"))
      ->required();
  add_question_options(command, arguments.question);
  command.option_defaults()->group("Checks");
  path(command.add_option("--certificate", arguments.certificate,
                          "Also verify this certificate: that no split at all has a value of at most its limit"));
  command.add_flag("--ignore-claimed-value", arguments.ignore_claimed_value,
                   "Do not compare the value that the split's file claims with the one recomputed");
  command.option_defaults()->group(kOutputGroup);
  command.add_flag("-q,--quiet", arguments.quiet, "Print nothing; the exit code tells");
}

int run_check(const CheckArguments& arguments) {
  if (arguments.question.workload == "-" && arguments.split == "-") {
    throw InputError(ErrorKind::Usage, "SPLIT",
                     "'-' is already the workload; only one of the two can be standard input");
  }
  const Problem problem = read_problem(arguments.question);
  SplitListing listing = read_split(arguments.split);
  if (arguments.ignore_claimed_value) listing.claimed_value.reset();

  const CheckReport report = check(problem, listing);
  std::optional<Certificate> certificate;
  if (!arguments.certificate.empty()) certificate = read_certificate(arguments.certificate);
  const CertificateVerdict verdict = certificate ? verify(problem, *certificate) : CertificateVerdict{true, ""};
  if (!arguments.quiet) {
    const std::size_t width = page_width(STDOUT_FILENO);
    std::string text = describe_table(problem, report, width);
    for (const std::string& more :
         {describe_memory(problem, report, width), describe_schedule(problem, report, width)}) {
      if (!more.empty()) text += "\n" + more + "\n";
    }
    text += describe_verdict(problem, report);
    if (certificate && verdict.holds) {
      text += fmt::format("certificate: verified; no split has a value of {:.9g} or less\n", certificate->limit);
    } else if (certificate) {
      text += fmt::format("certificate: does not hold: {}\n", verdict.reason);
    }
    if (std::fputs(text.c_str(), stdout) < 0 || std::fflush(stdout) != 0) {
      throw InputError(ErrorKind::Unwritable, "standard output",
                       "cannot be written; use --quiet for the exit code alone");
    }
  }
  return report.legal() && verdict.holds ? 0 : static_cast<int>(ErrorKind::IllegalSplit);
}

}  // namespace partita::app
