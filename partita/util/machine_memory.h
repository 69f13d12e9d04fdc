// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace partita::detail {

// Bytes that the machine has, or that the control group which the process runs in may use.
double machine_memory();

}  // namespace partita::detail
