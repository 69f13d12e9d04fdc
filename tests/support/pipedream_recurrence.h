// SPDX-License-Identifier: Apache-2.0
// PipeDream's dynamic program for a path of layers on a hierarchy of devices [Narayanan-SOSP'19, section 3.1], with
// copies of stages, written from the published recurrence and not from our code: an independent judge of our answers.
//
// Level 0 is a device; a unit of level k is m_k units of level k - 1 with links of bandwidth B_k between them.
//
//   A^k(i..j, m) = min over s, m' of max(A^k(i..s, m - m'), 2 a_s / B_k, T^k(s + 1..j, m')), or T^k(i..j, m) alone
//   T^k(i..j, m) = 1/m max(A^{k-1}(i..j, m_{k-1}), 2 (m - 1) |w_i..j| / B_k)
//   A^0(i..j)    = the time of layers i..j, forward and backward
//
// How it meets the definitions of docs/formats.md:
// - A layer is one node with its forward and backward time together, and no backward nodes. `transfer` is c = 2 a / B,
//   where B is the bandwidth at factor 1: activations one way, gradients the other.
// - Factors are inverse bandwidths: B_k = B / f_k. Our B, of the exchange of weights, is half of theirs, since they
//   count every weight twice: 2 (m - 1) |w| / (m B_k) is our f_k (m - 1) weights / (m B).
// - Transfers run beside computing and each other: the mode `duplex`, in which copies take a maximum too.
// - "m_{k-1}" and m are numbers of units at most, not exactly: the published code's option to use fewer machines. Ours
//   never has to use a device.
// - What a boundary costs. The printed recurrence has 2 a_s / B_k, whoever shares the stages beside it. The published
//   code divides it by the copies of the stage that pays, on both sides of the boundary, but knows only those of level
//   k. We divide a stage's load, transfers included, by all copies of the stage, of every level: `Boundary::Shared`. At
//   one level that is what the code does. A stage at the end of a unit of level k - 1 pays with the factor of the level
//   at which its neighbour is.
// - There is no memory in it. The code's memory constraint is another one than ours.
#pragma once

#include <vector>

namespace partita::detail {

struct PathLayer {
  double time = 0;
  double weights = 0;
  double transfer = 0;  // of its output to the next layer, at factor 1
};

struct PathLevel {
  int units = 1;      // of the level below
  double factor = 1;  // of the links between them
};

enum class Boundary {
  Printed,  // a term of its own, divided only by copies of what is around it
  Shared,   // part of the load of the stages beside it
};

// Time per sample of the best pipeline. `levels` from the inside out.
double pipedream_value(const std::vector<PathLayer>& layers, const std::vector<PathLevel>& levels,
                       double sync_bandwidth, Boundary boundary);

}  // namespace partita::detail
