#include "cpu/swizzled/plan.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cornerturn/text.hpp"
#include "problem/canonical.hpp"

namespace cornerturn {
namespace {

constexpr std::int64_t kUsualChunk = 64 << 10, kLargestChunk = 1 << 20;  // bytes

/// The largest divisor of `whole` that is at most `most`, and at least 1.
std::int64_t divisor_of(std::int64_t whole, std::int64_t most) {
  auto part = std::clamp<std::int64_t>(most, 1, whole);
  while (whole % part) --part;
  return part;
}

}  // namespace

std::optional<cpu_swizzled> plan_cpu_swizzled(limited_problem const& canonical, cpu_tile_hint const& hint) {
  bool const of_source = bool(canonical.source_swizzle);
  auto whole = canonical.whole;
  if (!canonical.limits.empty() || of_source == bool(canonical.destination_swizzle)) return {};
  if (whole.source_offset || whole.destination_offset) return {};
  auto const stride = of_source ? &mode::source_stride : &mode::destination_stride;
  auto const size = whole.element_size.source;
  std::ranges::sort(whole.modes, std::ranges::greater(), stride);
  auto region = size;  // bytes of the modes that are left
  for (auto each = whole.modes.rbegin(); each != whole.modes.rend(); region *= each++->extent)
    if ((*each).*stride * size != region) return {};
  cpu_swizzled result{.chunk = {},
                      .loops = {},
                      .swizzle = of_source ? canonical.source_swizzle : canonical.destination_swizzle,
                      .of_source = of_source,
                      .streams = bytes_of(whole) > hint.streamed_above};
  while (region > kUsualChunk) {
    auto& outer = whole.modes.front();
    auto const inner = outer.*stride * size, taken = divisor_of(outer.extent, kUsualChunk / inner);
    result.loops.push_back({.count = outer.extent / taken,
                            .source = taken * outer.source_stride * size,
                            .destination = taken * outer.destination_stride * size});
    region = taken * inner;
    outer.extent = taken;
    if (taken > 1 || region <= kLargestChunk) break;
    whole.modes.erase(whole.modes.begin());
  }
  if (region > kLargestChunk || region % result.swizzle.period()) return {};
  auto of_chunk = hint;
  of_chunk.streamed_above = of_source && result.streams ? 0 : kLargestChunk;
  result.chunk = plan_cpu(cornerturn::canonical(whole), of_chunk);
  return result;
}

std::string describe(cpu_swizzled const& plan) {
  return fmt::format("{} of {}, {} swizzled by way of a cache{}: {}", count_text(plan.chunks(), "chunk"),
                     count_text(plan.chunk.bytes, "byte"), plan.of_source ? "the source" : "the result",
                     plan.streams && !plan.of_source ? ", with non-temporal stores" : "", describe(plan.chunk));
}

plan_decisions<cpu_swizzled> cpu_swizzled::decisions() {
  return {{{"side", {"source", "destination"}, [](cpu_swizzled const& plan) { return !plan.of_source; }},
           {"chunks", {"one chunk", "several chunks"}, [](cpu_swizzled const& plan) { return plan.chunks() > 1; }},
           {"image", {"no image", "image"}, [](cpu_swizzled const& plan) { return plan.chunk.needs_image(); }},
           {"stores", {"ordinary stores", "non-temporal stores"}, [](cpu_swizzled const& plan) { return plan.streams; }}},
          {}};
}

}  // namespace cornerturn
