// SPDX-License-Identifier: Apache-2.0
// Shared links in schedules that say only in which order devices work.
//
// What moves over a shared link has steps of its own on a lane of the link, before what the device reads itself and behind
// what it writes (steps.h). Schedules in rounds lay out all lanes alike. One that takes turns says nothing of links: there,
// outputs queue up at a link in the order in which they would come if it had room for all of them at once.
//
// That order makes no program wait for itself: in the run with room for all, whatever waits for another starts no earlier,
// and steps of links take time, so that of two of them that wait for each other, however indirectly, the first starts
// earlier. All lanes are in the order of that one run.
#pragma once

#include "partita/schedule/program.h"

namespace partita::detail {

inline bool is_link_step(const Step& step) { return !step.device.valid(); }
bool has_link_steps(const Steps& steps);

// The same steps with a lane of its own for each that is on a link, behind all other lanes.
Steps with_links_apart(const Steps& steps);

// The program, made for the steps with links apart, with queues at the links. Runs it once.
Program queued_at_links(const Steps& steps, const Steps& apart, const Program& program);

}  // namespace partita::detail
