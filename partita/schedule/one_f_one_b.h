// SPDX-License-Identifier: Apache-2.0
// One forward, one backward: PipeDream's schedule for training [Narayanan et al., SOSP'19].
//
// Stage i of s starts with W_i = s - i + 1 forward samples, then takes turns: the oldest sample backward, the next one
// forward. So at most W_i samples are in flight at it. Where stages are shared, W_i is the number of devices from here
// to the end divided by those that share this stage, rounded up, as the memory model has it (check/memory.h). A piece
// that only reads outputs of the forward pass for backward nodes runs right before them, as part of B_i below. A device
// with pieces in one pass only admits sample n once all up to sample n - d are through, with d the devices of the
// pipeline, rounded up to a multiple of those that share the first stage; so does every device of an inference graph,
// where this schedule is a pipeline with at most d in flight. The other devices wait for sample n - 2 d, which only
// shows where the backward pass leads away from the first stages, as in graphs whose backward edges are copies of the
// forward ones: nothing else would hold these stages back.
//
// Claim: transfer mode sum, no copies, every edge between backward pieces against the order of the stages (a split
// that is legal with problem.backward_shape): the time per sample is the largest load T.
//
// Proof. In the long run the time per sample of a self-timed execution is the largest mean of a cycle of what waits for
// what: the time of the tasks on it, divided by the number of samples by which it advances. Let f_i and b_i be the
// times of stage i, f_i + b_i <= T. What waits for what:
//   F_i(n) -> F_j(n) and B_j(n) -> B_i(n), i < j: both advance 0;
//   F_i(n) -> B_i(n - W_i + 1), the lane's next task;
//   F_j(n) -> B_i(n), any i and j: as if by F_k, k the larger of them, its lane and B_k, but advances no less;
//   B_i(n) -> F_i(n + W_i), the lane's next task.
// A cycle climbs by F from a stage a_1 to b_1, turns, descends by B to a_2, turns, climbs to b_2, and so on back to
// a_1. It advances by the sum of W_{a_c} - W_{b_c} + 1 = b_c - a_c + 1: by the number of stages in its climbs, each
// climb counted for itself. It crosses from stage i - 1 to i as often as from i to i - 1, and turns upwards at i where
// it ends one descent and begins one climb; so the intervals [a_c, b_c] of its climbs cover stage i as often as those
// of its descents, say x_i times. Its tasks take at most the sum of x_i (f_i + b_i) <= T sum x_i, and sum x_i is the
// advance. A device that waits for whole samples fits in: from the end of a sample descend to stage 1, W_1 = d, and
// climb again, for B up to the last stage, W_s = 1, and down from there, all for nothing. And no time per sample is
// below T, the work of a lane. QED
//
// With copies, let r_i devices share stage i and D_i be the devices from it to the end; T is at least (f_i + b_i) /
// r_i. A climb now advances by W_a r_a - (W_b - 1) r_b, which is D_a - D_b + r_b, the devices in it, plus e_a - e_b
// where e_i = W_i r_i - D_i is what rounding W_i up has added. So the claim holds if e_i never grows along the
// pipeline, as where r_i divides D_i. Elsewhere a forward task may go before a backward one that others wait for, and
// the time per sample may be larger. (Without rounding, d would break the claim too: a first stage of 2 devices with
// one pass, then 2 devices, then 1, take up to 4/3 T if its samples wait for n - 5 and not for n - 6.) It may also be
// where backward edges run along the order of the stages, or where transfers run beside computing: a sample is then on
// its way for up to three times the loads, and as many in flight as devices are too few.
//
// The program never waits for itself: let all B(m), m < n, be done. F_i(n) waits for F_j(n), j < i, and on its lane for
// B_i(n - W_i r_i) at most, so all F(n) get done, and so far on. B_i(n) waits on its lane for F_i(n + (W_i - 1) r_i),
// and that for B_j(n + (W_i - 1) r_i - W_j r_j), j < i, which is done if (W_i - 1) r_i < W_j r_j: we lower W_i to make
// it so, which is necessary only where problem.microbatches limits the W_j. Waiting for whole samples is no more: for
// F(n + (W_i - 1) r_i) they are before n, since (W_i - 1) r_i < D_i <= d.
//
// Where transfers have lanes of their own, computing goes in the order above, and the first step of a sample waits for
// the last step of the sample that it follows, so that there are never more in flight. For the order of transfers see
// transfer_order.h.
#pragma once

#include <vector>

#include "partita/schedule/program.h"

namespace partita::detail {

// Each device has at most one piece in each pass, not counting those that only read for the backward pass.
bool one_piece_in_each_pass(const Pieces& pieces);

// `order` is that of the stages, originals only. Preconditions: one_piece_in_each_pass(pieces), and `steps` with
// EmptySteps::KeptAsCompute.
Program one_f_one_b_program(const Problem& problem, const std::vector<DeviceId>& order, const Pieces& pieces,
                            const Steps& steps, std::size_t samples);

}  // namespace partita::detail
