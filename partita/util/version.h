// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace partita::detail {

// "0.1.0": PARTITA_VERSION of the library that is linked.
const char* version();

}  // namespace partita::detail
