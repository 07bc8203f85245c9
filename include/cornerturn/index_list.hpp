#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>

namespace cornerturn {

/// A parameter type for extents, strides and axes: it accepts a braced list, a vector, an array or a span of 64-bit integers. It
/// is a view and copies nothing.
class index_list : public std::span<std::int64_t const> {
 public:
  using std::span<std::int64_t const>::span;
  constexpr index_list(std::initializer_list<std::int64_t> list) : span(list.begin(), list.size()) {}
};

}  // namespace cornerturn
