// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/mip/cbc_backend.h"

#include <fmt/format.h>

#include <CbcEventHandler.hpp>
#include <CbcModel.hpp>
#include <CbcSolver.hpp>
#include <ClpEventHandler.hpp>
#include <ClpSolve.hpp>
#include <OsiClpSolverInterface.hpp>
#include <algorithm>
#include <cmath>
#include <numeric>

namespace partita {
namespace {

constexpr double kCbcInfinity = 1e50;  // objectives and bounds beyond this mean "none"
constexpr double kMeets = 5e-7;        // a solution this near to a known bound, relatively, meets it
constexpr double kSame = 1e-9;         // objectives that differ by less, relatively, are those of one solution
constexpr std::uint64_t kTicksPerIteration = 64;  // of a linear program: a few microseconds on small ones

// CBC copies its handlers with the models, so what they learn lies outside.
struct Watch {
  const MipRequest& request;
  Budget& budget;
  double start_objective = kNoLimit;
  double objective = kNoLimit;
  double bound = -kNoLimit;
  bool stopped = false;  // somebody was told to stop: from then on CBC's claims about bounds mean nothing
  // Settling: the search was told to stop, and CBC solves a last linear program for its best solution. MappingBack:
  // preprocessing is undone.
  enum class Phase { FirstLp, Search, Settling, MappingBack } phase = Phase::FirstLp;

  bool must_stop() {
    stopped = stopped || budget.exhausted() || good_enough();
    return stopped;
  }
  bool good_enough() const {
    return std::isfinite(objective) &&
           objective - request.known_bound <= std::max(request.gap, kMeets) * std::abs(objective);
  }
  // CBC has found nothing that the caller does not have.
  bool nothing_to_lose() const { return objective >= start_objective - kSame * std::abs(start_objective); }
  void note(const CbcModel& model) {
    const auto known = [](double value, double otherwise) {
      return std::abs(value) < kCbcInfinity ? value : otherwise;
    };
    const double found = known(model.getObjValue(), kNoLimit);
    const double proved = stopped ? -kNoLimit : known(model.getBestPossibleObjValue(), -kNoLimit);
    if (found >= objective && proved <= bound) return;
    objective = std::min(objective, found);
    bound = std::max(bound, proved);
    if (request.progress) request.progress(objective, std::min(objective, bound));
  }
};

// Ends a linear program that is under way when it is time to stop, where that is safe: the very first one, and those by
// which CBC settles its best solution after the search, if that is only the start; each can take long (10 s on the
// paper's BERT-12, contiguous). Between these none is ended: CBC's preprocessing, its own and that inside heuristics,
// may crash on one; and the end of the search needs them to map a better solution back, and loses it without them. As
// CBC may take an ended one for infeasible, Watch::stopped tells that its claims are void.
class LpHandler : public ClpEventHandler {
 public:
  explicit LpHandler(Watch& watch) : watch_(&watch) {}
  ClpEventHandler* clone() const override { return new LpHandler(*this); }

  int event(Event which) override {
    constexpr int kGoOn = -1, kStop = 5;
    if (which != endOfIteration || ++iterations_ % kIterationsPerLook != 0) return kGoOn;
    watch_->budget.spend(kIterationsPerLook * kTicksPerIteration);
    const bool may_end = watch_->phase == Watch::Phase::FirstLp ||
                         (watch_->phase == Watch::Phase::Settling && watch_->nothing_to_lose());
    return may_end && watch_->must_stop() ? kStop : kGoOn;
  }

 private:
  static constexpr std::uint64_t kIterationsPerLook = 32;

  Watch* watch_;
  std::uint64_t iterations_ = 0;
};

class WatchHandler : public CbcEventHandler {
 public:
  explicit WatchHandler(Watch& watch) : watch_(&watch) {}
  CbcEventHandler* clone() const override { return new WatchHandler(*this); }

  Watch& watch() const { return *watch_; }

  CbcAction event(CbcEvent) override {
    const CbcModel* model = getModel();
    const bool inner = !model || model->parentModel();  // a small search inside a heuristic says nothing about ours
    if (!inner) watch_->note(*model);
    if (!watch_->must_stop()) return noAction;
    if (!inner && watch_->phase == Watch::Phase::Search) watch_->phase = Watch::Phase::Settling;
    return stop;
  }

 private:
  Watch* watch_;
};

// CBC calls this between its steps. Anything but 0 ends it all.
int between_steps(CbcModel* model, int step) {
  constexpr int kSearchIsOver = 4;  // the first LP, preprocessing and the start of the search come before
  auto* handler = dynamic_cast<WatchHandler*>(model->getEventHandler());
  if (!handler) return 0;
  Watch& watch = handler->watch();
  if (step < kSearchIsOver) {
    watch.phase = Watch::Phase::Search;  // preprocessing counts as part of it
    return watch.must_stop() ? 1 : 0;
  }
  watch.phase = Watch::Phase::MappingBack;
  return 0;
}

void load(const LinearModel& model, OsiClpSolverInterface& solver) {
  const double infinity = solver.getInfinity();
  const auto bound = [infinity](double value) {
    return std::isinf(value) ? (value > 0 ? infinity : -infinity) : value;
  };
  std::vector<double> lower, upper, objective, row_lower, row_upper;
  for (const Column& column : model.columns()) {
    lower.push_back(bound(column.lower));
    upper.push_back(bound(column.upper));
    objective.push_back(column.objective);
  }
  std::vector<CoinBigIndex> start(model.columns().size() + 1, 0);  // entries by column
  for (const Row& row : model.rows()) {
    for (const Term& term : row.terms) ++start[term.column.index() + 1];
    row_lower.push_back(bound(row.lower));
    row_upper.push_back(bound(row.upper));
  }
  std::partial_sum(start.begin(), start.end(), start.begin());
  std::vector<int> rows(model.entry_count());
  std::vector<double> factors(model.entry_count());
  std::vector<CoinBigIndex> next = start;
  for (RowId r : model.rows().all()) {
    for (const Term& term : model.rows()[r].terms) {
      const auto at = static_cast<std::size_t>(next[term.column.index()]++);
      rows[at] = static_cast<int>(r.index());
      factors[at] = term.factor;
    }
  }
  solver.loadProblem(static_cast<int>(lower.size()), static_cast<int>(row_lower.size()), start.data(), rows.data(),
                     factors.data(), lower.data(), upper.data(), objective.data(), row_lower.data(), row_upper.data());
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

std::vector<std::string> arguments(const MipRequest& request, const Budget& budget) {
  std::vector<std::string> result{"partita", "-log", "0",          "-ratio", fmt::format("{}", request.gap),
                                  "-allow",  "0",    "-increment", "1e-9",   "-timeMode",
                                  "elapsed"};
  // The handlers watch the time; CBC's own limit, a little later, is for the places that call none.
  const double late = 1.05 * budget.seconds_left() + 1;
  if (std::isfinite(late)) result.insert(result.end(), {"-seconds", fmt::format("{:.3f}", late)});
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
  Watch watch{request, budget};
  LpHandler lp_handler(watch);
  solver.getModelPtr()->passInEventHandler(&lp_handler);
  ClpSolve dual;  // the crash that Clp may choose otherwise calls no handler
  dual.setSolveType(ClpSolve::useDual);
  dual.setSpecialOption(2, 1);  // Clp must not put its own handler in place of the program's for Ctrl-C
  solver.setSolveOptions(dual);
  load(request.model, solver);

  CbcModel model(solver);
  model.setLogLevel(0);
  CbcSolverUsefulData settings;
  settings.noPrinting_ = true;
  settings.useSignalHandler_ = false;
  CbcMain0(model, settings);
  model.setLogLevel(0);

  WatchHandler handler(watch);
  model.passInEventHandler(&handler);
  if (!request.start.empty()) {
    watch.start_objective = request.model.objective(request.start);
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
  CbcMain1(static_cast<int>(argv.size()), argv.data(), model, between_steps, settings);

  if (const double* best = model.bestSolution()) outcome.solution.emplace(best, best + request.model.columns().size());
  outcome.bound = watch.bound;
  if (!watch.stopped) {
    outcome.finished = model.status() == 0;
    outcome.infeasible = model.isProvenInfeasible();
    const double last = model.getBestPossibleObjValue();
    if (std::abs(last) < kCbcInfinity) outcome.bound = std::max(outcome.bound, last);
  }
  if (outcome.solution) outcome.bound = std::min(outcome.bound, request.model.objective(*outcome.solution));
  return outcome;
}

}  // namespace partita
