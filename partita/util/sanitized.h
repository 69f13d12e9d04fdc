// SPDX-License-Identifier: Apache-2.0
// Was this compiled with a sanitizer? They reserve terabytes of addresses, so a limit on memory would end the program, and
// what takes time takes ten times as long.
#pragma once

namespace partita::detail {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)  // as GCC says it
inline constexpr bool kSanitized = true;
#elif defined(__has_feature)  // as Clang does
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif
#else
inline constexpr bool kSanitized = false;
#endif

}  // namespace partita::detail
