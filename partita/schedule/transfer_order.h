// SPDX-License-Identifier: Apache-2.0
// In which order transfers share a lane, where a program says only in which order devices compute.
//
// What pieces read, and what they write, is in the order of computing. Two ways to put the two together are tried, and
// the one that is through earlier is taken. One by one: what a piece reads right before what it writes. That is the
// order of the transfer mode sum, so the run is never slower than in that mode. Ahead: what the next piece reads before
// what this one writes, if this one is forward, so that it comes in while this one computes; but not where the next
// piece belongs to the same sample, or must wait until this one is over.
//
// Reading ahead does not make the program of one_f_one_b.h wait for itself, in its notation and with all W_i as they
// are there. What B_i(n) reads comes before F_i(n + (W_i - 1) r_i) is written, and needs B_j(n), which on their lanes
// are behind F_j(n + (W_j - 1) r_j): for j > i these are of earlier samples, as (W_j - 1) r_j < D_j <= D_i - r_i <=
// (W_i - 1) r_i, and for j < i they wait for no F_i. What F_i(m + r_i) reads comes before F_i(m) is written, and needs
// F_j(m + r_i), j < i, which wait for B_j(m + r_i - W_j r_j); that sample is on no later stage k behind F_k(m), as (W_k
// - 1) r_k < D_k < W_j r_j - r_i.
//
// This counts on streams of at least W_i r_i samples, and on devices that read nothing of the forward pass for their
// backward pass alone. Elsewhere reading ahead may make the program wait for itself; then it is not taken.
//
// Dropped: the order in which transfers would be ready in a run where each has a lane of its own. It depends on how
// long the stream is, and so did the time per sample: 11.3 or 12.3 for a chain of four stages.
#pragma once

#include "partita/schedule/program.h"

namespace partita::detail {

// Completes the orders of the lanes with all steps that are on none: in, out, and exchanges of weights on their own
// lanes. `ahead`: reading ahead is tried. Precondition: the steps `compute` have their places. Linear.
void order_transfers(const Steps& steps, bool ahead, Program& program);

}  // namespace partita::detail
