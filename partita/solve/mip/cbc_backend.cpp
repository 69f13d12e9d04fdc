// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/mip/cbc_backend.h"

#include <fmt/format.h>

#include <CbcEventHandler.hpp>
#include <CbcModel.hpp>
#include <CbcSolver.hpp>
#include <ClpEventHandler.hpp>
#include <ClpSolve.hpp>
#include <OsiClpSolverInterface.hpp>
#include <cmath>

#include "partita/solve/mip/columnwise.h"

namespace partita::detail {
namespace {

constexpr double kCbcInfinity = 1e50;             // objectives and bounds beyond this mean "none"
constexpr double kWhole = 1e-6;                   // whole numbers may be off by this
constexpr std::uint64_t kTicksPerIteration = 64;  // of a linear program: a few microseconds on small ones

// CBC copies its handlers with the models, so what they learn lies outside.
struct Watch {
  const MipRequest& request;
  MipReporter& reporter;
  const OsiClpSolverInterface& original;  // before CBC touched it
  double objective = kNoLimit;
  double bound = -kNoLimit;

  void note_bound(double claimed) {
    if (!(std::abs(claimed) < kCbcInfinity) || claimed <= bound) return;
    bound = claimed;
    reporter.bound(bound);
  }

  void note_solution(const CbcModel& model) {
    const double found = model.getObjValue();
    if (!model.bestSolution() || !(found < objective)) return;
    objective = found;
    const std::vector<double> x = completed(model);
    if (!x.empty()) reporter.solution(x);
  }

  // The best solution in the original columns; empty if the columns that are left do not tell.
  std::vector<double> completed(const CbcModel& model) const {
    OsiClpSolverInterface solver(original);
    const int* original_column = model.originalColumns();
    for (int j = 0; j < model.getNumCols(); ++j) {
      const int c = original_column ? original_column[j] : j;
      if (c < 0 || c >= solver.getNumCols() || !solver.isInteger(c)) continue;
      const double value = std::round(model.bestSolution()[j]);
      solver.setColBounds(c, value, value);
    }
    solver.initialSolve();
    if (!solver.isProvenOptimal()) return {};
    std::vector<double> x(solver.getColSolution(), solver.getColSolution() + solver.getNumCols());
    for (int c = 0; c < solver.getNumCols(); ++c) {
      if (!solver.isInteger(c)) continue;
      double& value = x[static_cast<std::size_t>(c)];
      if (std::abs(value - std::round(value)) > kWhole) return {};
      value = std::round(value);
    }
    return x;
  }
};

// Counts the work of linear programs.
class LpHandler : public ClpEventHandler {
 public:
  explicit LpHandler(Watch& watch) : watch_(&watch) {}
  ClpEventHandler* clone() const override { return new LpHandler(*this); }

  int event(Event which) override {
    constexpr int kGoOn = -1;
    if (which == endOfIteration && ++iterations_ % kIterationsPerReport == 0)
      watch_->reporter.work(kIterationsPerReport * kTicksPerIteration);
    return kGoOn;
  }

 private:
  static constexpr std::uint64_t kIterationsPerReport = 32;

  Watch* watch_;
  std::uint64_t iterations_ = 0;
};

class SearchHandler : public CbcEventHandler {
 public:
  explicit SearchHandler(Watch& watch) : watch_(&watch) {}
  CbcEventHandler* clone() const override { return new SearchHandler(*this); }

  CbcAction event(CbcEvent) override {
    const CbcModel* model = getModel();
    if (!model || model->parentModel()) return noAction;  // a small search inside a heuristic says nothing about ours
    watch_->note_solution(*model);
    watch_->note_bound(model->getBestPossibleObjValue());
    return noAction;
  }

 private:
  Watch* watch_;
};

void load(const LinearModel& model, OsiClpSolverInterface& solver) {
  const ColumnwiseModel arrays = columnwise(model, solver.getInfinity());
  const std::vector<CoinBigIndex> start(arrays.start.begin(), arrays.start.end());
  solver.loadProblem(arrays.column_count(), arrays.row_count(), start.data(), arrays.rows.data(), arrays.factors.data(),
                     arrays.lower.data(), arrays.upper.data(), arrays.objective.data(), arrays.row_lower.data(),
                     arrays.row_upper.data());
  int c = 0;
  for (const Column& column : model.columns()) {
    if (column.integer) solver.setInteger(c);
    solver.setColName(c++, column.name);
  }
  // Columns are named for the start. Where they are, Clp 1.17's presolve may copy the names of rows too, and crashes
  // where there are none.
  int r = 0;
  for (const Row& row : model.rows()) solver.setRowName(r++, row.name);
}

void set_start(const MipRequest& request, CbcModel& model) {
  if (request.start.empty()) return;
  std::vector<std::pair<std::string, double>> start;
  for (ColumnId c : request.model.columns().all()) {
    const Column& column = request.model.columns()[c];
    if (column.integer) start.emplace_back(column.name, std::round(request.start[c.index()]));
  }
  model.setMIPStart(start);
}

void run_cbc(const MipSettings& wanted, const MipRequest& request, MipReporter& reporter) {
  OsiClpSolverInterface solver;
  solver.messageHandler()->setLogLevel(0);
  solver.getModelPtr()->setLogLevel(0);
  load(request.model, solver);
  const OsiClpSolverInterface original(solver);
  Watch watch{request, reporter, original};
  LpHandler lp_handler(watch);
  solver.getModelPtr()->passInEventHandler(&lp_handler);
  ClpSolve dual;  // the crash that Clp may choose otherwise calls no handler, so its work would not count
  dual.setSolveType(ClpSolve::useDual);
  dual.setSpecialOption(2, 1);  // no handler for Ctrl-C
  solver.setSolveOptions(dual);

  CbcModel model(solver);
  model.setLogLevel(0);
  CbcSolverUsefulData settings;
  settings.noPrinting_ = true;
  settings.useSignalHandler_ = false;
  CbcMain0(model, settings);
  model.setLogLevel(0);
  SearchHandler handler(watch);
  model.passInEventHandler(&handler);
  set_start(request, model);

  const std::string gap = fmt::format("{}", request.gap);
  std::vector<const char*> words{"partita", "-log", "0", "-ratio", gap.c_str(), "-allow", "0", "-increment", "1e-9"};
  if (!wanted.preprocessing) words.insert(words.end(), {"-preprocess", "off"});
  if (!wanted.cuts) words.insert(words.end(), {"-cutsOnOff", "off"});
  if (!wanted.heuristics) words.insert(words.end(), {"-heuristicsOnOff", "off"});
  words.insert(words.end(), {"-solve", "-quit"});
  CbcMain1(
      static_cast<int>(words.size()), words.data(), model, [](CbcModel*, int) { return 0; }, settings);

  if (const double* best = model.bestSolution()) reporter.solution({best, request.model.columns().size()});
  watch.note_bound(model.getBestPossibleObjValue());
  if (model.status() == 0) reporter.finished(model.isProvenInfeasible());
}

}  // namespace

CbcBackend::CbcBackend(const MipSettings& settings)
    : ProcessBackend("CBC", [settings](const MipRequest& request, MipReporter& reporter) {
        run_cbc(settings, request, reporter);
      }) {}

}  // namespace partita::detail
