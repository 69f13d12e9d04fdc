// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/mip/highs_backend.h"

#include <cassert>

#if PARTITA_HAS_HIGHS
#include <interfaces/highs_c_api.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <new>
#include <stdexcept>

#include "partita/solve/mip/columnwise.h"
#endif

namespace partita::detail {

#if PARTITA_HAS_HIGHS
namespace {

constexpr double kHighsTolerance = 1e-7;
constexpr double kHighsInfinity = 1e30;                // bounds beyond this mean "none"
constexpr std::uint64_t kTicksPerHighsIteration = 64;  // as for CBC: a few microseconds on small programs

struct HighsEnd {
  void operator()(void* highs) const { Highs_destroy(highs); }
};
using HighsHandle = std::unique_ptr<void, HighsEnd>;

// What HiGHS tells on its way.
struct HighsNews {
  MipReporter& reporter;
  std::size_t columns;
  double bound = -kNoLimit;
  std::int64_t iterations = 0;

  void note_bound(double claimed) {
    if (!(std::abs(claimed) < kHighsInfinity) || claimed <= bound) return;
    bound = claimed;
    reporter.bound(bound);
  }

  void note_work(std::int64_t total) {
    if (total <= iterations) return;
    reporter.work(static_cast<std::uint64_t>(total - iterations) * kTicksPerHighsIteration);
    iterations = total;
  }
};

void hear_highs(int kind, const char*, const HighsCallbackDataOut* out, HighsCallbackDataIn*, void* data) {
  HighsNews& news = *static_cast<HighsNews*>(data);
  if (kind == kHighsCallbackMipImprovingSolution && out->mip_solution)
    news.reporter.solution({out->mip_solution, news.columns});
  news.note_bound(out->mip_dual_bound);
  news.note_work(out->mip_total_lp_iterations);
}

void choose_options(const MipSettings& wanted, double gap, void* highs) {
  Highs_setBoolOptionValue(highs, "output_flag", 0);
  Highs_setIntOptionValue(highs, "threads", 1);
  Highs_setStringOptionValue(highs, "parallel", "off");
  Highs_setDoubleOptionValue(highs, "mip_rel_gap", gap);
  Highs_setDoubleOptionValue(highs, "mip_abs_gap", 0);
  Highs_setDoubleOptionValue(highs, "mip_feasibility_tolerance", kHighsTolerance);
  // HiGHS always cuts at the root; older versions, which lack this option, everywhere.
  if (!wanted.cuts) Highs_setBoolOptionValue(highs, "mip_allow_cut_separation_at_nodes", 0);
  if (!wanted.preprocessing) Highs_setStringOptionValue(highs, "presolve", "off");
  if (!wanted.heuristics) Highs_setDoubleOptionValue(highs, "mip_heuristic_effort", 0);
}

void load_highs(const LinearModel& model, void* highs) {
  const ColumnwiseModel arrays = columnwise(model, Highs_getInfinity(highs));
  const std::vector<HighsInt> start(arrays.start.begin(), arrays.start.end());
  const std::vector<HighsInt> rows(arrays.rows.begin(), arrays.rows.end());
  const std::vector<HighsInt> integer(arrays.integer.begin(), arrays.integer.end());
  const HighsInt loaded =
      Highs_passMip(highs, arrays.column_count(), arrays.row_count(), arrays.entry_count(), kHighsMatrixFormatColwise,
                    kHighsObjSenseMinimize, 0, arrays.objective.data(), arrays.lower.data(), arrays.upper.data(),
                    arrays.row_lower.data(), arrays.row_upper.data(), start.data(), rows.data(), arrays.factors.data(),
                    integer.data());
  if (loaded == kHighsStatusError) throw std::runtime_error("HiGHS does not take the program");
}

void set_highs_start(const MipRequest& request, void* highs) {
  if (request.start.empty()) return;
  std::vector<double> start = request.start;
  for (ColumnId c : request.model.columns().all()) {
    if (request.model.columns()[c].integer) start[c.index()] = std::round(start[c.index()]);
  }
  Highs_setSolution(highs, start.data(), nullptr, nullptr, nullptr);
}

// What it has when it has ended by itself.
void report_end(const MipRequest& request, void* highs, HighsNews& news) {
  HighsInt has_solution = 0;
  Highs_getIntInfoValue(highs, "primal_solution_status", &has_solution);
  if (has_solution == kHighsSolutionStatusFeasible) {
    std::vector<double> x(request.model.columns().size()), row_values(request.model.rows().size());
    Highs_getSolution(highs, x.data(), nullptr, row_values.data(), nullptr);
    news.reporter.solution(x);
  }
  const HighsInt status = Highs_getModelStatus(highs);
  double bound = -kNoLimit;
  if (request.model.integer_count() > 0) {
    Highs_getDoubleInfoValue(highs, "mip_dual_bound", &bound);
  } else if (status == kHighsModelStatusOptimal) {
    bound = Highs_getObjectiveValue(highs);
  }
  if (status != kHighsModelStatusInfeasible) news.note_bound(bound);
  if (status == kHighsModelStatusOptimal) news.reporter.finished(false);
  if (status == kHighsModelStatusInfeasible) news.reporter.finished(true);
}

void run_highs(const MipSettings& wanted, const MipRequest& request, MipReporter& reporter) {
  const HighsHandle handle(Highs_create());
  void* highs = handle.get();
  if (!highs) throw std::bad_alloc();
  choose_options(wanted, request.gap, highs);
  load_highs(request.model, highs);
  set_highs_start(request, highs);
  HighsNews news{reporter, request.model.columns().size()};
  Highs_setCallback(highs, hear_highs, &news);
  for (const HighsInt kind : {kHighsCallbackMipImprovingSolution, kHighsCallbackMipLogging, kHighsCallbackMipInterrupt})
    Highs_startCallback(highs, kind);
  if (Highs_run(highs) == kHighsStatusError) throw std::runtime_error("HiGHS broke off");
  report_end(request, highs, news);
}

}  // namespace

bool highs_is_here() { return true; }

HighsBackend::HighsBackend(const MipSettings& settings)
    : ProcessBackend("HiGHS", [settings](const MipRequest& request, MipReporter& reporter) {
        run_highs(settings, request, reporter);
      }) {}

#else

bool highs_is_here() { return false; }

HighsBackend::HighsBackend(const MipSettings&) : ProcessBackend("HiGHS", {}) { assert(false); }

#endif

}  // namespace partita::detail
