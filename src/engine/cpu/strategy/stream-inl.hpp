// Included once for each target (set of instructions), hence no #pragma once.

#if defined(CORNERTURN_CPU_STREAM) == defined(HWY_TARGET_TOGGLE)
#ifdef CORNERTURN_CPU_STREAM
#undef CORNERTURN_CPU_STREAM
#else
#define CORNERTURN_CPU_STREAM
#endif

#include <hwy/highway.h>

#include "engine/cpu/transpose-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace cornerturn::cpu::HWY_NAMESPACE {

/// Prefetches a cache line into the level 2 cache.
HWY_INLINE void prefetch(bytes const* line) { __builtin_prefetch(line, 0, 2); }

#if HWY_TARGET == HWY_SCALAR

HWY_INLINE offset stream_lines(bytes* to, bytes const* from, offset count) {
  offset const whole = count / kLine * kLine;
  std::memcpy(to, from, std::size_t(whole));
  return whole;
}

#else

/// True if a vector fills a cache line.
constexpr bool kWholeLines = hn::MaxLanes(hn::CappedTag<bytes, kLine>()) == kLine;

/// Writes the whole cache lines of a run that begins with one, by non-temporal stores. Returns their bytes.
HWY_INLINE offset stream_lines(bytes* to, bytes const* from, offset count) {
  const hn::CappedTag<bytes, kLine> d;
  offset const whole = count / kLine * kLine, step = offset(hn::Lanes(d));
  for (offset at = 0; at < whole; at += step) hn::Stream(hn::LoadU(d, from + at), d, to + at);
  return whole;
}

#endif  // HWY_TARGET == HWY_SCALAR

}  // namespace cornerturn::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
