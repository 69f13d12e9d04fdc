// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "partita/report/page/sections.h"

namespace partita::detail {
namespace {

std::optional<std::string> shape_name(std::optional<Shape> shape) {
  return shape ? std::optional<std::string>(to_string(*shape)) : std::nullopt;
}

// "no split": for people, where a comparison's own JSON has "no-split".
std::string in_words(AlgorithmRun::Outcome outcome) {
  std::string words = to_string(outcome);
  std::ranges::replace(words, '-', ' ');
  return words;
}

void write_run(const Comparison& comparison, const AlgorithmRun& run, std::optional<std::size_t> split,
               JsonWriter& json) {
  json.object([&] {
    json.field("algorithm", run.algorithm);
    json.field("baseline", run.baseline);
    json.field("outcome", in_words(run.outcome));
    json.field("reason", run.reason);
    json.field("seconds", run.seconds);
    json.field("value", run.value);
    json.field("ratio", comparison.ratio(run));
    json.field("legal", run.legal);
    json.field("fault", run.fault);
    json.field("shape", shape_name(run.shape));
    json.field("bound", run.bound);
    json.field("boundShape", shape_name(run.bound_shape));
    json.field("optimal", run.optimal);
    json.field("proof", run.proof);
    json.field("split", split);
  });
}

}  // namespace

void write_comparison(const Comparison& comparison, const PageSplits& splits, JsonWriter& json) {
  json.object([&] {
    json.field("best", comparison.best());
    json.key("runs").array(ids<Id<AlgorithmRun>>(comparison.runs.size()), [&](Id<AlgorithmRun> run) {
      write_run(comparison, comparison.runs[run.index()], splits.shown_by(run.index()), json);
    });
  });
}

}  // namespace partita::detail
