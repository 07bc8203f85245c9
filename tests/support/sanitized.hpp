#pragma once

// of the runtimes of the sanitizers, if one is linked
extern "C" void __asan_init() __attribute__((weak));
extern "C" void __tsan_init() __attribute__((weak));

namespace cornerturn::test {

// Tests leave out what a sanitizer would end the process for, and what takes minutes under it. The library may be sanitized while
// the code of the tests is not.
inline bool sanitizes_threads() { return __tsan_init != nullptr; }
inline bool is_sanitized() { return __asan_init != nullptr || sanitizes_threads(); }

}  // namespace cornerturn::test
