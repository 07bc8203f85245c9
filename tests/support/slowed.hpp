#pragma once

#include "support/sanitized.hpp"

namespace cornerturn::test {

/// Times of a sanitized or an emulated program mean little: tests that bound them allow far more there, or skip.
#if defined(CORNERTURN_EMULATED)
inline constexpr bool kSlowed = true;
#else
inline constexpr bool kSlowed = kSanitized;
#endif

}  // namespace cornerturn::test
