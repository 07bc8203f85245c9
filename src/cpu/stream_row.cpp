#include "cpu/stream_row.hpp"

#include <algorithm>
#include <cstring>

#include "cpu/panel.hpp"
#include "cpu/sizes.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/stream_row.cpp"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

// Highway compiles this file once for each target, which is a set of instructions. The files below belong to the target's
// namespace.
HWY_BEFORE_NAMESPACE();
namespace cornerturn::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

#include "cpu/panel-inl.hpp"

#include "cpu/stream-inl.hpp"

void stream_row(std::byte const* from, std::byte* to, std::int64_t count) {
  stream_run(reinterpret_cast<bytes*>(to), reinterpret_cast<bytes const*>(from), count);
}

}  // namespace cornerturn::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cornerturn::cpu {

HWY_EXPORT(stream_row);

void stream_row(std::byte const* from, std::byte* to, std::int64_t count) { HWY_DYNAMIC_DISPATCH(stream_row)(from, to, count); }

void end_streams() { hwy::FlushStream(); }

}  // namespace cornerturn::cpu
#endif
