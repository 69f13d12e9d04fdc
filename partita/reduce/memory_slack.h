// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace partita {

// A device's memory as solvers compare sums with it. Sums of bytes are exact below 2^53; the slack serves files with
// fractional sizes. It is smaller than the one that `check` allows.
inline double with_slack(double memory) { return memory * (1 + 1e-12); }

}  // namespace partita
