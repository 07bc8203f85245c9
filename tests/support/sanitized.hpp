#pragma once

namespace cornerturn::test {

/// Tests leave out what a sanitizer would end the process for, and what takes minutes under it.
#if defined(__SANITIZE_THREAD__)
inline constexpr bool kSanitizesThreads = true;
#else
inline constexpr bool kSanitizesThreads = false;
#endif
#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = kSanitizesThreads;
#endif

}  // namespace cornerturn::test
