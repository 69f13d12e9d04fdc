// SPDX-License-Identifier: Apache-2.0
#include "partita/report/compare_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "partita/check/claims.h"
#include "partita/check/describe.h"
#include "partita/check/names.h"
#include "partita/check/narrow_table.h"
#include "partita/check/times.h"
#include "partita/model/result.h"
#include "partita/util/text_width.h"
#include "partita/util/visible_text.h"

namespace partita {

using namespace detail;

namespace {

using Outcome = AlgorithmRun::Outcome;

std::string ratio_text(double ratio) { return fmt::format("{:.3f}", ratio); }

std::string gap_text(const AlgorithmRun& run) { return percent_text(run.optimal ? 0 : run.gap()); }

std::string sentence(std::string text) { return text.empty() ? text : text + "."; }

std::string shown_name(const Comparison& comparison) { return visible(comparison.name, kLongestShownName); }

// Six digits of the best value, and as many decimals for the others, of which one may be a thousand times as large.
TimeFormat value_format(const Comparison& comparison) {
  if (std::isfinite(comparison.best())) return TimeFormat(comparison.best());
  double largest = 0;
  for (const AlgorithmRun& run : comparison.runs) {
    if (std::isfinite(run.value)) largest = std::max(largest, run.value);
  }
  return TimeFormat(largest);
}

// Of all splits of the shape that was asked for.
bool proved_best(const Comparison& comparison, const AlgorithmRun& run) {
  return run.optimal && run.legal && (!run.bound_shape || implies(comparison.shape, *run.bound_shape));
}

class Text {
 public:
  explicit Text(const CompareTextOptions& options) : options_(options) {}

  void wrapped(const std::vector<Row>& rows) {
    text_ += options_.markdown ? markdown_table(rows) : layout_wrapped(rows, options_.width);
  }
  void folded(const std::vector<Row>& rows) {
    text_ += options_.markdown ? markdown_table(rows) : layout_folded(rows, options_.width);
  }
  void line(const std::string& text) {
    text_ += options_.markdown ? visible(text) + "\n" : wrapped_text(text, options_.width);
  }
  void list(const std::vector<std::string>& items) {
    for (const std::string& item : items) line(options_.markdown ? fmt::format("- {}", item) : item);
  }
  void gap() { text_ += "\n"; }
  std::string star() const { return options_.markdown ? "\\*" : "*"; }
  std::string strong(const std::string& text) const { return options_.markdown ? fmt::format("**{}**", text) : text; }
  std::string value(const Comparison& comparison, const AlgorithmRun& run, const TimeFormat& format) const {
    if (run.outcome != Outcome::Split) return "-";
    const bool best = proved_best(comparison, run);
    const std::string number = std::isfinite(run.value) ? format(run.value) : "inf";
    // A space stands where the others have a mark, so that decimal points are below each other.
    return number + (!run.legal ? star() : best ? "=" : options_.markdown ? "" : " ");
  }
  std::string take() { return std::move(text_); }

 private:
  const CompareTextOptions& options_;
  std::string text_;
};

// What the other columns do not say.
std::string remark(const Comparison& comparison, const AlgorithmRun& run) {
  std::string text = run.fault;
  const auto add = [&text](const std::string& more) { text += (text.empty() ? "" : "; ") + more; };
  if (run.outcome == Outcome::Infeasible) add("proved: no split; " + run.reason);
  if (run.outcome == Outcome::NoSplit) add("no split; " + run.reason);
  if (run.outcome == Outcome::Interrupted) add("interrupted before it began");
  if (run.outcome == Outcome::NotApplicable) add("does not apply: " + run.reason);
  if (run.baseline && !run.proof.empty() && run.outcome == Outcome::Split) add(run.proof);
  if (proved_best(comparison, run)) {
    add("optimal");
  } else if (run.optimal && run.bound_shape) {
    add(fmt::format("best of all {} splits", to_string(*run.bound_shape)));
  } else if (run.bound > 0 && run.bound_shape && *run.bound_shape != comparison.shape) {
    add(fmt::format("bound on {}s", split_kind(comparison.objective, *run.bound_shape)));
  }
  return text;
}

// "not run: auto (the same as dp), expert (needs --expert FILE)", those with one reason together.
std::string left_out_text(const std::vector<AlgorithmRun>& runs) {
  std::vector<std::pair<std::string, std::string>> by_reason;  // reason, names
  for (const AlgorithmRun& run : runs) {
    if (run.outcome != Outcome::NotApplicable) continue;
    const auto found = std::ranges::find(by_reason, run.reason, &std::pair<std::string, std::string>::first);
    if (found == by_reason.end()) {
      by_reason.emplace_back(run.reason, run.algorithm);
    } else {
      found->second += ", " + run.algorithm;
    }
  }
  std::string text;
  for (const auto& [reason, names] : by_reason)
    text += fmt::format("{}{} ({})", text.empty() ? "" : "; ", names, reason);
  return text.empty() ? text : "not run: " + text;
}

std::string one_workload(const Comparison& comparison, const CompareTextOptions& options) {
  Text text(options);
  const TimeFormat format = value_format(comparison);
  const bool shapes = comparison.objective != Objective::Latency;
  Row header{"<algorithm", time_heading("value", comparison.time_unit), "ratio"};
  if (options.times) header.push_back("time");
  header.insert(header.end(), {"bound", "gap"});
  if (shapes) header.push_back("<shape");
  header.push_back("<remarks");
  std::vector<Row> rows{header};
  const double best = comparison.best();
  for (const AlgorithmRun& run : comparison.runs) {
    if (run.outcome == Outcome::NotApplicable) continue;
    const std::optional<double> ratio = comparison.ratio(run);
    const std::string value = text.value(comparison, run, format);
    Row row{run.algorithm, run.legal && run.value == best ? text.strong(value) : value,
            ratio ? ratio_text(*ratio) : "-"};
    if (options.times) row.push_back(run.ran() ? seconds_text(run.seconds) : "-");
    const bool bounded = run.bound > 0;
    row.push_back(bounded ? format(run.bound) : "-");
    row.push_back(bounded && run.outcome == Outcome::Split ? gap_text(run) : "-");
    if (shapes) row.push_back(run.shape ? to_string(*run.shape) : "-");
    row.push_back(remark(comparison, run));
    rows.push_back(std::move(row));
  }
  text.line(comparison.subject);
  text.line(sentence(describe_question(comparison.objective, comparison.shape)));
  text.gap();
  text.wrapped(rows);
  const auto bounded = [](const AlgorithmRun& run) { return run.bound > 0; };
  if (std::ranges::any_of(comparison.runs, bounded)) {
    text.gap();
    text.line(fmt::format("bound: no {} is below it{}", split_kind(comparison.objective, comparison.shape),
                          shapes ? ", where the remarks say nothing else" : ""));
  }
  const std::string rest = left_out_text(comparison.runs);
  if (!rest.empty()) {
    text.gap();
    text.line(rest);
  }
  return text.take();
}

// The algorithms that ran on some workload, in the order of the runs.
std::vector<std::string> columns(const std::vector<Comparison>& comparisons) {
  std::vector<std::string> names;
  for (const Comparison& comparison : comparisons) {
    for (const AlgorithmRun& run : comparison.runs) {
      if (run.outcome != Outcome::NotApplicable && std::ranges::find(names, run.algorithm) == names.end())
        names.push_back(run.algorithm);
    }
  }
  return names;
}

const AlgorithmRun* run_of(const Comparison& comparison, const std::string& algorithm) {
  const auto found = std::ranges::find(comparison.runs, algorithm, &AlgorithmRun::algorithm);
  return found == comparison.runs.end() ? nullptr : &*found;
}

// One line for each fault and reason, with the workloads that have it.
std::vector<std::string> remarks(const std::vector<Comparison>& comparisons, const std::vector<std::string>& names) {
  std::vector<std::string> lines;
  for (const std::string& name : names) {
    std::vector<std::pair<std::string, std::vector<std::string>>> by_text;
    for (const Comparison& comparison : comparisons) {
      const AlgorithmRun* run = run_of(comparison, name);
      if (!run || (run->outcome == Outcome::Split && run->legal)) continue;
      const std::string text = remark(comparison, *run);
      const auto found = std::ranges::find(by_text, text, &std::pair<std::string, std::vector<std::string>>::first);
      if (found == by_text.end()) {
        by_text.push_back({text, {shown_name(comparison)}});
      } else {
        found->second.push_back(shown_name(comparison));
      }
    }
    for (const auto& [text, workloads] : by_text) {
      const bool all = workloads.size() == comparisons.size();
      lines.push_back(fmt::format("{}, {}: {}", name, all ? "everywhere" : joined_in_short(workloads, ", "), text));
    }
  }
  return lines;
}

Row mean_row(const std::vector<Comparison>& comparisons, const std::vector<std::string>& names, const Text& text) {
  Row row{"geometric mean of ratios"};
  for (const std::string& name : names) {
    const std::optional<MeanRatio> mean = mean_ratio(comparisons, name);
    if (!mean) {
      row.push_back("-");
      continue;
    }
    const bool all = mean->workloads == comparisons.size();
    row.push_back(ratio_text(mean->ratio) + (all ? "" : fmt::format(" ({})", mean->workloads)) +
                  (mean->legal ? " " : text.star()));
  }
  return row;
}

std::string several_workloads(const std::vector<Comparison>& comparisons, const CompareTextOptions& options) {
  Text text(options);
  const std::vector<std::string> names = columns(comparisons);
  Row header{"<workload"};
  for (const std::string& name : names) header.push_back(name);
  std::vector<Row> values{header}, times{header};
  for (const Comparison& comparison : comparisons) {
    Row value_row{shown_name(comparison)}, time_row{shown_name(comparison)};
    const double best = comparison.best();
    const TimeFormat format = value_format(comparison);
    for (const std::string& name : names) {
      const AlgorithmRun* run = run_of(comparison, name);
      const std::string value = run ? text.value(comparison, *run, format) : "-";
      value_row.push_back(run && run->legal && run->value == best ? text.strong(value) : value);
      time_row.push_back(run && run->ran() ? seconds_text(run->seconds) : "-");
    }
    values.push_back(std::move(value_row));
    times.push_back(std::move(time_row));
  }
  values.push_back(mean_row(comparisons, names, text));

  const std::string& unit = comparisons.front().time_unit;
  const bool one_unit = std::ranges::all_of(comparisons, [&](const Comparison& c) { return c.time_unit == unit; });
  text.line(sentence(counted(comparisons.size(), "workload") + ": " +
                     describe_question(comparisons.front().objective, comparisons.front().shape) +
                     (one_unit && !unit.empty() ? "; values in " + visible(unit) : "") +
                     fmt::format("; = proved optimal, {} breaks a rule, (n) over n workloads", text.star())));
  text.gap();
  text.folded(values);
  if (options.times) {
    text.gap();
    text.line("Times:");
    text.gap();
    text.folded(times);
  }
  const std::vector<std::string> lines = remarks(comparisons, names);
  if (!lines.empty()) {
    text.gap();
    text.list(lines);
  }
  return text.take();
}

}  // namespace

std::string compare_text(const std::vector<Comparison>& comparisons, const CompareTextOptions& options) {
  return comparisons.size() == 1 ? one_workload(comparisons.front(), options) : several_workloads(comparisons, options);
}

}  // namespace partita
