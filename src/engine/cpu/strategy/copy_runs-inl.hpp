// Included once for each target (set of instructions), hence no #pragma once.

#if defined(CORNERTURN_CPU_COPY_RUNS) == defined(HWY_TARGET_TOGGLE)
#ifdef CORNERTURN_CPU_COPY_RUNS
#undef CORNERTURN_CPU_COPY_RUNS
#else
#define CORNERTURN_CPU_COPY_RUNS
#endif

#include "engine/cpu/strategy/image-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace cornerturn::cpu::HWY_NAMESPACE {

/// Copies units that are long enough to be runs of their own on both sides.
inline void copy_runs(call const& c, tile const& t) {
  prefetcher next(c, t);
  for (offset b = 0; b < t.batch; ++b)
    for (offset i = 0; i < t.rows; ++i)
      for (offset j = 0; j < t.columns; ++j)
        write_run(c, t.destination + b * t.rows * t.columns * t.unit + c.tables.column_destination[std::size_t(j)] + i * t.unit,
                  t.source + c.tables.batch_source[std::size_t(b)] + c.tables.row_source[std::size_t(i)] + j * t.unit, t.unit,
                  next);
}

}  // namespace cornerturn::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
