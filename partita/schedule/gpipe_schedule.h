// SPDX-License-Identifier: Apache-2.0
// GPipe's schedule [Huang et al., NeurIPS'19]: batches of m samples; all go forward, then all go backward.
//
// Within a pass the order is that of the round schedule of this pass alone (round_schedule.h), without releases. Each
// lane takes a batch's forward steps, then its backward steps, then the next batch; a lane without backward steps waits
// for the end of the batch. No lane is ahead of another by more than a batch, also where the backward pass leads away
// from it. Where transfers have lanes of their own, what a sample of the next batch reads may come in early, but only
// once the sample that is a batch earlier is over, so that no device has more samples in flight than a batch has.
//
// In a chain of stages, transfer mode sum, with forward times f_i and backward times b_i: the last sample is through
// the forward pass after sum f + (m - 1) max f, as in every permutation flow shop with equal jobs, at the last stage,
// where the backward pass then starts and takes sum b + (m - 1) max b to the first stage, where the next batch starts.
// So the time per sample is
//   max f + max b + (sum f - max f + sum b - max b) / m,
// the objective gpipe and what filling and draining cost. Other splits may be faster than the objective, where one
// device goes on to the next batch while another one still works on this one, but never faster than max-load.
#pragma once

#include "partita/schedule/program.h"

namespace partita::detail {

// Precondition: microbatches >= 1.
Program gpipe_program(const Steps& steps, std::size_t samples, std::size_t microbatches);

}  // namespace partita::detail
