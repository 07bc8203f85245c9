#include "engine/cpu/change_row.hpp"

#include <algorithm>
#include <cstring>

#include "element/change.hpp"
#include "element/pairs.hpp"
#include "element/select.hpp"
#include "engine/cpu/tiles.hpp"
#include "plan/cpu_sizes.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu/change_row.cpp"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

// Highway compiles this file once for each target. The compiler makes the target's vector instructions from the loops.
HWY_BEFORE_NAMESPACE();
namespace cornerturn::cpu::HWY_NAMESPACE {

/// Elements that are changed at a time. They pass through arrays whose types and alignment the compiler knows.
constexpr std::int64_t kAtOnce = 256;

template <bool Reads, class S, class D>
HWY_ATTR void change_typed(element::factors const& by, std::byte const* from, std::byte* to, std::int64_t count) {
  S before[kAtOnce];
  D after[kAtOnce];
  for (std::int64_t first = 0; first < count; first += kAtOnce) {
    auto const many = std::min(kAtOnce, count - first);
    std::memcpy(before, from + first * std::int64_t(sizeof(S)), std::size_t(many) * sizeof(S));
    if constexpr (Reads) std::memcpy(after, to + first * std::int64_t(sizeof(D)), std::size_t(many) * sizeof(D));
    for (std::int64_t i = 0; i < many; ++i) after[i] = element::applied_as<Reads>(by, before[i], after[i]);
    std::memcpy(to + first * std::int64_t(sizeof(D)), after, std::size_t(many) * sizeof(D));
  }
}

/// Changes a row of two types that have loops of their own. Returns false for all others.
bool change_compiled(element_operation const& operation, std::byte const* from, std::byte* to, std::int64_t count) {
  auto const by = element::factors::of(operation);
  return element::visit_compiled_pair(operation.source, operation.destination, [&]<class S, class D>(element::type_pair<S, D>) {
    by.reads_destination ? change_typed<true, S, D>(by, from, to, count) : change_typed<false, S, D>(by, from, to, count);
  });
}

void stream_lines(std::byte const* from, std::byte* to, std::int64_t bytes) {
#if HWY_TARGET == HWY_SCALAR
  std::memcpy(to, from, std::size_t(bytes));
#else
  namespace hn = hwy::HWY_NAMESPACE;
  const hn::CappedTag<std::uint8_t, kCacheLine> d;
  auto const* const read = reinterpret_cast<std::uint8_t const*>(from);
  auto* const written = reinterpret_cast<std::uint8_t*>(to);
  for (std::int64_t at = 0; at < bytes; at += std::int64_t(hn::Lanes(d))) hn::Stream(hn::LoadU(d, read + at), d, written + at);
#endif
}

}  // namespace cornerturn::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cornerturn::cpu {

HWY_EXPORT(change_compiled);
HWY_EXPORT(stream_lines);

namespace {

/// Changes a row of types that are selected at run time, a few elements at once.
template <int S, int D>
void change_selected_row(element_operation const& operation, std::byte const* from, std::byte* to, std::int64_t count) {
  constexpr std::int64_t kMost = 16;
  auto const by = element::factors::of(operation);
  auto const types = element::selected_types::of(operation);
  element::raw_element<S> before[kMost] = {};
  element::raw_element<D> after[kMost] = {};
  for (std::int64_t first = 0; first < count; first += kMost) {
    auto const many = std::size_t(std::min(kMost, count - first));
    std::memcpy(before, from + first * S, many * S);
    if (by.reads_destination) std::memcpy(after, to + first * D, many * D);
    element::change_selected<S, D>(by, types, before, after);
    std::memcpy(to + first * D, after, many * D);
  }
}

}  // namespace

void change_row(element_operation const& operation, std::byte const* from, std::byte* to, std::int64_t count) {
  if (HWY_DYNAMIC_DISPATCH(change_compiled)(operation, from, to, count)) return;
  element::visit_sizes(operation, [&]<int S, int D>() { change_selected_row<S, D>(operation, from, to, count); });
}

void stream_row(std::byte const* from, std::byte* to, std::int64_t bytes) {
  auto const head = std::min(bytes, std::int64_t(-reinterpret_cast<std::uintptr_t>(to) % kCacheLine));
  auto const lines = (bytes - head) / kCacheLine * kCacheLine, tail = bytes - head - lines;
  std::memcpy(to, from, std::size_t(head));
  HWY_DYNAMIC_DISPATCH(stream_lines)(from + head, to + head, lines);
  std::memcpy(to + head + lines, from + head + lines, std::size_t(tail));
}

void end_streams() { hwy::FlushStream(); }

}  // namespace cornerturn::cpu
#endif
