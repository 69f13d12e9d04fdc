// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace partita {

// "0.1.0": the project's version, as CMakeLists.txt states it.
const char* version();

}  // namespace partita
