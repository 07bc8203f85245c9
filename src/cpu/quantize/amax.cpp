#include "cpu/quantize/amax.hpp"

#include <algorithm>

#include "cpu/tiles/tiles.hpp"
#include "element/block_scale.hpp"
#include "kernel/quantize/job.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/quantize/amax.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

// Highway compiles this file once for each target.
HWY_BEFORE_NAMESPACE();
namespace cornerturn::cpu::HWY_NAMESPACE {

void raise_rows_and_columns(float const* tile, std::int64_t rows, std::int32_t* row_amax, std::int32_t* column_amax) {
#if HWY_TARGET == HWY_SCALAR
  for (std::int64_t r = 0; r < rows; ++r)
    for (int c = 0; c < kScaleTile; ++c) {
      auto const bits = element::magnitude_bits(tile[r * kScaleTile + c]);
      row_amax[r] = std::max(row_amax[r], bits), column_amax[c] = std::max(column_amax[c], bits);
    }
#else
  namespace hn = hwy::HWY_NAMESPACE;
  const hn::CappedTag<std::int32_t, 16> d;
  auto const* const numbers = reinterpret_cast<std::int32_t const*>(tile);
  auto const magnitude = hn::Set(d, 0x7fffffff);
  for (std::int64_t r = 0; r < rows; ++r) {
    auto in_row = hn::Zero(d);
    for (int c = 0; c < kScaleTile; c += int(hn::Lanes(d))) {
      auto const bits = hn::And(hn::LoadU(d, numbers + r * kScaleTile + c), magnitude);
      in_row = hn::Max(in_row, bits);
      hn::StoreU(hn::Max(hn::LoadU(d, column_amax + c), bits), d, column_amax + c);
    }
    row_amax[r] = std::max(row_amax[r], hn::GetLane(hn::MaxOfLanes(d, in_row)));
  }
#endif
}

}  // namespace cornerturn::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cornerturn::cpu {

HWY_EXPORT(raise_rows_and_columns);

void raise_amax(float const* tile, std::int64_t rows, std::int32_t* row_amax, std::int32_t* column_amax) {
  HWY_DYNAMIC_DISPATCH(raise_rows_and_columns)(tile, rows, row_amax, column_amax);
}

}  // namespace cornerturn::cpu
#endif
