// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/mip/cbc_backend.h"

#include <fmt/format.h>

#include <CbcEventHandler.hpp>
#include <CbcModel.hpp>
#include <CbcSolver.hpp>
#include <CoinPackedMatrix.hpp>
#include <OsiClpSolverInterface.hpp>
#include <algorithm>
#include <cmath>

namespace partita {
namespace {

constexpr double kCbcInfinity = 1e50;  // objectives and bounds beyond this mean "none"

// CBC copies the handler with the model, so what it learns lies outside.
struct Watch {
  Budget& budget;
  const std::function<void(double, double)>& progress;
  double objective = kNoLimit;
  double bound = -kNoLimit;
};

class WatchHandler : public CbcEventHandler {
 public:
  explicit WatchHandler(Watch& watch) : watch_(&watch) {}
  CbcEventHandler* clone() const override { return new WatchHandler(*this); }

  CbcAction event(CbcEvent) override {
    if (watch_->budget.exhausted()) return stop;
    const CbcModel* model = getModel();
    if (!model || model->parentModel()) return noAction;  // a small search inside a heuristic says nothing about ours
    const double objective = std::min(watch_->objective, known(model->getObjValue(), kNoLimit));
    const double bound = std::max(watch_->bound, known(model->getBestPossibleObjValue(), -kNoLimit));
    if (objective < watch_->objective || bound > watch_->bound) {
      watch_->objective = objective;
      watch_->bound = bound;
      if (watch_->progress) watch_->progress(objective, std::min(objective, bound));
    }
    return noAction;
  }

 private:
  static double known(double value, double otherwise) { return std::abs(value) < kCbcInfinity ? value : otherwise; }

  Watch* watch_;
};

void load(const LinearModel& model, OsiClpSolverInterface& solver) {
  const double infinity = solver.getInfinity();
  const auto bound = [infinity](double value) { return std::isinf(value) ? (value > 0 ? infinity : -infinity) : value; };
  const int columns = static_cast<int>(model.columns().size());
  std::vector<double> lower, upper, objective, row_lower, row_upper;
  for (const Column& column : model.columns()) {
    lower.push_back(bound(column.lower));
    upper.push_back(bound(column.upper));
    objective.push_back(column.objective);
  }
  CoinPackedMatrix matrix(false, 0, 0);
  matrix.setDimensions(0, columns);
  std::vector<int> indices;
  std::vector<double> factors;
  for (const Row& row : model.rows()) {
    indices.clear();
    factors.clear();
    for (const Term& term : row.terms) {
      indices.push_back(static_cast<int>(term.column.index()));
      factors.push_back(term.factor);
    }
    matrix.appendRow(static_cast<int>(indices.size()), indices.data(), factors.data());
    row_lower.push_back(bound(row.lower));
    row_upper.push_back(bound(row.upper));
  }
  solver.loadProblem(matrix, lower.data(), upper.data(), objective.data(), row_lower.data(), row_upper.data());
  int c = 0;
  for (const Column& column : model.columns()) {
    if (column.integer) solver.setInteger(c);
    solver.setColName(c++, column.name);
  }
}

std::vector<std::string> arguments(const MipRequest& request, const Budget& budget) {
  std::vector<std::string> result{"partita", "-log", "0", "-ratio", fmt::format("{}", request.gap), "-allow", "0", "-increment", "1e-9",
                                  "-timeMode", "elapsed"};
  if (std::isfinite(budget.seconds_left())) {
    result.insert(result.end(), {"-seconds", fmt::format("{:.3f}", std::max(budget.seconds_left(), 0.001))});
  }
  result.insert(result.end(), {"-solve", "-quit"});
  return result;
}

}  // namespace

MipOutcome CbcBackend::solve(const MipRequest& request, Budget& budget) {
  MipOutcome outcome;
  if (budget.exhausted()) return outcome;
  OsiClpSolverInterface solver;
  solver.messageHandler()->setLogLevel(0);
  solver.getModelPtr()->setLogLevel(0);
  load(request.model, solver);

  CbcModel model(solver);
  model.setLogLevel(0);
  CbcSolverUsefulData settings;
  settings.noPrinting_ = true;
  settings.useSignalHandler_ = false;
  CbcMain0(model, settings);
  model.setLogLevel(0);

  Watch watch{budget, request.progress};
  WatchHandler handler(watch);
  model.passInEventHandler(&handler);
  if (!request.start.empty()) {
    std::vector<std::pair<std::string, double>> start;
    for (ColumnId c : request.model.columns().all()) {
      const Column& column = request.model.columns()[c];
      if (column.integer) start.emplace_back(column.name, std::round(request.start[c.index()]));
    }
    model.setMIPStart(start);
  }

  const std::vector<std::string> words = arguments(request, budget);
  std::vector<const char*> argv;
  for (const std::string& word : words) argv.push_back(word.c_str());
  CbcMain1(static_cast<int>(argv.size()), argv.data(), model, [](CbcModel*, int) { return 0; }, settings);

  outcome.finished = model.status() == 0;
  outcome.infeasible = model.isProvenInfeasible();
  if (const double* best = model.bestSolution()) outcome.solution.emplace(best, best + request.model.columns().size());
  outcome.bound = watch.bound;
  const double last = model.getBestPossibleObjValue();
  if (std::abs(last) < kCbcInfinity) outcome.bound = std::max(outcome.bound, last);
  if (outcome.solution) outcome.bound = std::min(outcome.bound, request.model.objective(*outcome.solution));
  return outcome;
}

}  // namespace partita
