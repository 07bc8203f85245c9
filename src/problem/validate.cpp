#include "problem/validate.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>

#include "base/refuse.hpp"
#include "cornerturn/text.hpp"
#include "problem/element_types.hpp"

namespace cornerturn {
namespace {

bool is_empty(problem const& p) {
  return std::ranges::any_of(p.modes, [](mode const& m) { return m.extent == 0; });
}

std::vector<std::int64_t> column(problem const& p, std::int64_t mode::*member) {
  std::vector<std::int64_t> values;
  for (mode const& m : p.modes) values.push_back(m.*member);
  return values;
}

byte_range range_of(problem const& p, std::int64_t mode::*stride, std::int64_t offset, std::int64_t element_size,
                    std::string_view side) {
  if (is_empty(p)) return {};
  byte_range s{offset, offset};  // in elements; both ends are inclusive
  bool past = false;
  for (mode const& m : p.modes) {
    std::int64_t reach;
    past |= __builtin_mul_overflow(m.extent - 1, m.*stride, &reach);
    std::int64_t& end = reach < 0 ? s.low : s.high;
    past |= __builtin_add_overflow(end, reach, &end);
  }
  past |= __builtin_add_overflow(s.high, 1, &s.high);
  past |= __builtin_mul_overflow(s.low, element_size, &s.low);
  past |= __builtin_mul_overflow(s.high, element_size, &s.high);
  // The width of the range is checked, too, so that any stride may be negated.
  std::int64_t bytes;
  past |= __builtin_sub_overflow(s.high, s.low, &bytes);
  if (past) {
    refuse({fmt::format("{}_strides", side), fmt::format("{} layout", side)},
           fmt::format("extents ({}) with strides ({}) from {}, {} bytes each", fmt::join(column(p, &mode::extent), ", "),
                       fmt::join(column(p, stride), ", "), offset, element_size),
           "one whose bytes are counted in 64 bits");
  }
  return s;
}

void validate_size(problem const& p) {
  auto const element_size = p.element_size.larger();
  std::int64_t bytes = element_size;
  bool past = false;
  for (mode const& m : p.modes) past |= __builtin_mul_overflow(bytes, m.extent, &bytes);
  if (past) {
    refuse("size", fmt::format("{} elements of {}", fmt::join(column(p, &mode::extent), " x "), count_text(element_size, "byte")),
           "at most 2^63 - 1 bytes");
  }
}

}  // namespace

/// The sums of spans cannot overflow here: `destination_range` has checked them.
std::optional<overlapping_mode> find_overlapping_mode(problem const& p) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < p.modes.size(); ++i) {
    if (p.modes[i].extent > 1) order.push_back(i);
  }
  auto const step = [&](std::size_t i) { return std::abs(p.modes[i].destination_stride); };
  std::ranges::sort(order, {}, step);
  std::int64_t span = 0;
  for (std::size_t const i : order) {
    if (step(i) <= span) return overlapping_mode{i, span};
    span += (p.modes[i].extent - 1) * step(i);
  }
  return {};
}

byte_range source_range(problem const& p) {
  return range_of(p, &mode::source_stride, p.source_offset, p.element_size.source, "source");
}

byte_range destination_range(problem const& p) {
  return range_of(p, &mode::destination_stride, p.destination_offset, p.element_size.destination, "destination");
}

byte_range factor_range(problem const& p) {
  if (!p.operation || !is_affine(*p.operation)) return {};
  return range_of(p, &mode::factor_stride, p.factor_offset, factor_size(*p.operation), "factor");
}

void expect_rank(std::size_t rank) {
  if (rank > std::size_t(kMaxRank)) refuse("rank", rank, fmt::format("{} or less", kMaxRank));
}

void expect_no_overlap(problem const& p) {
  for (std::size_t i = 0; i < p.modes.size(); ++i) {
    if (p.modes[i].destination_stride == 0 && p.modes[i].extent > 1) {
      refuse({"destination_strides", fmt::format("destination stride of axis {}", i)}, 0,
             fmt::format("other than 0, because its {} indices would write one address", p.modes[i].extent));
    }
  }
  if (auto const found = find_overlapping_mode(p))
    refuse({"destination_strides", fmt::format("destination stride of axis {}", found->number)},
           p.modes[found->number].destination_stride,
           fmt::format("{} or more in magnitude, past the span of the modes with smaller ones", found->span + 1));
}

void validate(problem const& p) {
  auto const smaller_element = p.element_size.smaller();
  if (smaller_element < 1) refuse("element_size", smaller_element, "1 or more");
  expect_rank(p.modes.size());
  for (std::size_t i = 0; i < p.modes.size(); ++i) {
    if (p.modes[i].extent < 0) refuse({"extents", fmt::format("extent of axis {}", i)}, p.modes[i].extent, "0 or more");
  }
  if (is_empty(p)) return;
  validate_size(p);
  source_range(p);
  destination_range(p);
  expect_no_overlap(p);
}

void refuse_beyond(problem const& p, int bits, std::string_view processor) {
  if (is_empty(p)) return;
  auto const most = std::int64_t(1) << bits, bytes = bytes_of(p);
  if (bytes > most) refuse("size", fmt::format("{} bytes", bytes), fmt::format("at most {} on {}", most, processor));
  auto const expect_near = [&](std::string_view side, byte_range const& range) {
    if (range.low < -most || range.high > most)
      refuse({side, "the range of the {}'s bytes"}, fmt::format("{} to {}", range.low, range.high),
             fmt::format("within {} of its pointer on {}", most, processor));
  };
  expect_near("source", source_range(p));
  expect_near("destination", destination_range(p));
}

void refuse_null(std::string_view name, void const* pointer) {
  if (!pointer) refuse(name, "null", "an address, since there is something to move");
}

void refuse_overlap(problem const& p, void const* source, void const* destination) {
  if (!is_empty(p)) refuse_overlap(source_range(p), destination_range(p), source, destination);
}

void refuse_overlap(byte_range const& read, byte_range const& written, void const* source, void const* destination) {
  if (read == byte_range{} && written == byte_range{}) return;
  refuse_null("source", source);
  refuse_null("destination", destination);
  refuse_overlap({"destination", destination, written}, {"the source", source, read});
}

void refuse_overlap(named_bytes const& given, named_bytes const& other) {
  for (auto const* const each : {&given, &other})
    if (!each->address || each->range == byte_range{}) return;
  auto const address = [](named_bytes const& each, std::int64_t offset) {
    return reinterpret_cast<std::uintptr_t>(each.address) + static_cast<std::uintptr_t>(offset);
  };
  auto const low = address(given, given.range.low), high = address(given, given.range.high);
  auto const other_low = address(other, other.range.low), other_high = address(other, other.range.high);
  if (low < other_high && other_low < high)
    refuse(given.name, fmt::format("[{:#x}, {:#x})", low, high),
           fmt::format("apart from {}, [{:#x}, {:#x})", other.name, other_low, other_high));
}

}  // namespace cornerturn
