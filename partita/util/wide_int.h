// SPDX-License-Identifier: Apache-2.0
// Products of two 64-bit integers, exactly. A compiler extension, but one that every compiler we build with has.
#pragma once

namespace partita::detail {

__extension__ using WideInt = __int128;

}  // namespace partita::detail
