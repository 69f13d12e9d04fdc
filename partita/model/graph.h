// SPDX-License-Identifier: Apache-2.0
// A neural network's computation graph, as read: operators, and edges that say which output feeds which operator.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "partita/util/ids.h"

namespace partita {

// The time of a node on a class of devices that cannot run it.
inline constexpr double kCannotRun = std::numeric_limits<double>::infinity();

// What a node keeps in memory, in bytes.
struct MemoryParts {
  double weights = 0;               // once; also what the copies of a stage exchange
  double optimizer_state = 0;       // once
  double activation = 0;            // for each sample in flight
  double recompute_activation = 0;  // for each sample in flight, instead, where the stage recomputes activations
  double gradients = 0;             // of the weights, once

  double resident() const { return weights + gradients + optimizer_state; }  // whatever is in flight

  friend bool operator==(const MemoryParts&, const MemoryParts&) = default;
};

// Where a node's times come from.
enum class CostSource {
  Given,       // the workload's file says so, and nothing else
  Measured,    // on the device
  Calibrated,  // estimated, with an efficiency that was fitted to measured operators of its family
  Roofline,    // estimated from what the device can do at best
  Default,     // the operator or its shapes are not known: what is known of them counts
};

inline constexpr CostSource kCostSources[] = {CostSource::Measured, CostSource::Calibrated, CostSource::Roofline,
                                              CostSource::Default, CostSource::Given};

const char* to_string(CostSource source);

// What a node's costs were made of, for people to judge them; no solver reads it.
struct CostFacts {
  CostSource source = CostSource::Given;
  std::string family = {};                 // "matrix product"
  std::optional<double> flops = {};        // operations
  std::optional<double> moved_bytes = {};  // read from and written to the device's memory
  std::string output = {};                 // "fp16[1,64,56,56]", or several
  std::string tensor = {};                 // the name of the output that others read, where it is not the node's

  friend bool operator==(const CostFacts&, const CostFacts&) = default;
};

struct Node {
  std::int64_t original_id = 0;  // as in the input file; unique, possibly sparse
  std::string name;
  std::vector<double> time;    // by ClassId: the platform's classes in order; kCannotRun where unsupported
  double memory = 0;           // bytes, counted on devices with a memory limit
  MemoryParts parts = {};      // the same taken apart, for memory models other than the flat one
  double recompute_share = 0;  // of its time, spent once more where its stage recomputes activations
  bool backward = false;
  std::optional<std::int64_t> colour;       // nodes of one colour class share a device
  std::optional<std::int64_t> layer;        // which layer of the network it is part of; binds nothing unless asked to
  std::string op = {};                      // what it computes, "aten.mm": for people; empty where the file is silent
  std::optional<double> output_bytes = {};  // how large its output is: for people, costs are on the edges
  CostFacts facts = {};

  // Memory, its parts and the share of recomputing, where some of them were not said: without `size`, memory is
  // weights, optimizer state and activation; without `apart`, all of it is weights; and a forward node is recomputed in
  // full. Precondition: `backward` is set.
  void set_memory(std::optional<double> size, const std::optional<MemoryParts>& apart, std::optional<double> share);
};

// `cost` is the time to move the producer's output between host memory and an accelerator. Where the edges out of one
// node agree on it, the output moves once per device and direction; where they differ, each edge is a transfer of its
// own (the paper's subdivision: a zero node on the edge, colocated with the producer, carrying the edge's cost).
struct Edge {
  NodeId from;
  NodeId to;
  double cost = 0;
};

// Invariants, kept by the readers and GraphBuilder, and held by validate(): acyclic, no self-loops, no edge from a
// backward to a forward node, all numbers finite and not negative (but for kCannotRun), every node runs on some class.
// Nodes keep the file's order.
struct Graph {
  IdVector<NodeId, Node> nodes;
  std::vector<Edge> edges;

  bool has_backward() const;
};

}  // namespace partita
