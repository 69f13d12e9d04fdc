// SPDX-License-Identifier: Apache-2.0
// An integer program for a problem, with the way from a split to a solution of it and back.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "partita/model/problem.h"
#include "partita/model/split.h"
#include "partita/solve/mip/linear_model.h"

namespace partita::detail {

class Formulation {
 public:
  virtual ~Formulation() = default;

  const LinearModel& model() const { return model_; }
  // Times in the model are in this unit: a solution's objective times this is the split's value.
  double time_unit() const { return time_unit_; }

  // A solution's split. Integer columns are read as the nearest whole number; others are not read.
  virtual Split decode(std::span<const double> x) const = 0;
  // The solution with the smallest objective among those that mean this split. Precondition: the split is legal.
  virtual std::vector<double> encode(const Split& split) const = 0;

 protected:
  explicit Formulation(double time_unit) : time_unit_(time_unit) {}

  LinearModel model_;
  double time_unit_;
};

// Latency: latency_program.h. Max-load and gpipe, with every transfer mode: staged splits, chain_of_ideals.cpp;
// contiguous and free ones, max_load.cpp. Any number of classes of devices. Throws InputError(Unsupported) for latency
// with strict host cores, for clusters, copies of stages and memory models other than flat. The names of the columns
// depend on the problem alone. The problem must outlive the formulation.
struct FormulationOptions {
  double time_unit = 1;
  double limit = kNoLimit;  // of the objective, in plain time: splits above it need not be solutions
  // In the model's units: smaller coefficients of loads and memory may be left out. What is left is a relaxation, so
  // bounds hold, but a solution may need a little more memory than there is.
  double negligible = 0;
};
std::unique_ptr<Formulation> formulate(const Problem& problem, const FormulationOptions& options = {});

// The two for throughput; formulate() knows which.
std::unique_ptr<Formulation> formulate_chain_of_ideals(const Problem& problem, const FormulationOptions& options);
std::unique_ptr<Formulation> formulate_max_load(const Problem& problem, const FormulationOptions& options);

}  // namespace partita::detail
