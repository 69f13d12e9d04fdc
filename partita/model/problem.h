// SPDX-License-Identifier: Apache-2.0
// A question about a workload: this objective, this shape of split. docs/formats.md defines each value in full.
#pragma once

#include <optional>
#include <string_view>
#include <utility>

#include "partita/model/shared_workload.h"
#include "partita/model/wishes.h"

namespace partita {

enum class Objective {
  MaxLoad,  // time per sample of a stream: the largest load of a device
  GPipe,    // the largest forward load plus the largest backward load
  Latency,  // time of one sample
};

enum class Shape {
  Staged,      // the devices can be ordered so that every (forward) edge goes forward
  Contiguous,  // no path leaves a device's set and comes back
  Free,        // any assignment
};

enum class TransferMode {
  Sum,      // compute + in + out
  Overlap,  // max(compute, in + out)
  Duplex,   // max(compute, in, out)
};

// What counts against a device's memory.
enum class MemoryModel {
  Flat,    // Node::memory, as in the paper
  OneF1B,  // weights and optimizer state, and activations of the samples in flight: as many as devices from here to the
           // end of the pipeline, shared among the copies of the stage
  GPipe,   // the same with all microbatches in flight
};

// What is asked, whatever the workload. Small: a copy costs nothing.
struct Question {
  Objective objective = Objective::MaxLoad;
  Shape shape = Shape::Staged;
  TransferMode transfers = TransferMode::Sum;
  bool backward_shape = false;  // ask the mirrored shape of all backward edges, not only of orphans
  // Latency: how many uninterrupted subgraphs an accelerator may run in each pass, one after the other; from 1 on.
  int subgraphs = 1;
  // Latency: host nodes wait for a free core, and there are as many cores as hosts. Else there are always enough.
  bool strict_host_cores = false;
  // Throughput, staged: how many devices of a class may share one stage, or clusters one run of stages, each taking
  // every so many samples; from 1 on.
  int replicas = 1;
  MemoryModel memory_model = MemoryModel::Flat;
  int microbatches = 0;    // in flight at most; MemoryModel::GPipe: in flight. 0: any number
  bool recompute = false;  // a stage may drop its activations and compute them again; not with MemoryModel::Flat
};

// A question about one workload. Problems share workloads, so that one is as cheap to copy as its question.
struct Problem : Question {
  Problem() = default;
  Problem(SharedWorkload about, const Question& question = {}) : Question(question), workload(std::move(about)) {}

  SharedWorkload workload;
  Wishes wishes = {};  // a legal split keeps them all
};

const char* to_string(Objective objective);
const char* to_string(Shape shape);
const char* to_string(TransferMode mode);
const char* to_string(MemoryModel model);
std::optional<Objective> parse_objective(std::string_view text);  // also "throughput", which is max-load
std::optional<Shape> parse_shape(std::string_view text);
std::optional<TransferMode> parse_transfer_mode(std::string_view text);
std::optional<MemoryModel> parse_memory_model(std::string_view text);

}  // namespace partita
