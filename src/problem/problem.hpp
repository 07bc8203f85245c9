#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <vector>

#include "cornerturn/element_operation.hpp"

namespace cornerturn {

/// One axis of the index space. Strides count elements and may be negative; a source stride of 0 repeats the same elements.
struct mode {
  std::int64_t extent = 1, source_stride = 0, destination_stride = 0;
  std::int64_t factor_stride = 0;  ///< elements of the operation's scale and bias, a third layout of the same shape
  auto operator<=>(mode const&) const = default;
};

/// The element size on each side in bytes. The sizes differ if the move changes the elements.
struct element_sizes {
  std::int64_t source = 1, destination = 1;

  constexpr element_sizes(std::int64_t both = 1) : source(both), destination(both) {}
  constexpr element_sizes(std::int64_t source, std::int64_t destination) : source(source), destination(destination) {}
  constexpr bool are_equal() const { return source == destination; }
  constexpr std::int64_t smaller() const { return source < destination ? source : destination; }
  constexpr std::int64_t larger() const { return source < destination ? destination : source; }
  auto operator<=>(element_sizes const&) const = default;
};

/// A copy between two layouts of one shape: for every index i, the element at
/// destination_offset + sum(i[k] * destination_stride[k]) becomes the one at source_offset + sum(i[k] * source_stride[k]).
struct problem {
  std::vector<mode> modes;  ///< usually slowest first; the order has no meaning before `canonical`
  element_sizes element_size;
  std::int64_t source_offset = 0, destination_offset = 0;  ///< elements from the caller's pointers
  std::optional<element_operation> operation = {};         ///< how elements change; none: their bytes are copied
  std::int64_t factor_offset = 0;                          ///< elements from the pointers to scale and bias
  bool operator==(problem const&) const = default;
};

/// The element size in bytes of a problem that copies bytes, which splitting, merging and moving elements as bytes require.
/// Throws std::logic_error if elements change, or if their sizes differ.
std::int64_t shared_element_size(problem const& p);

/// Restricts a problem to the indices [begin, begin + extent) of one mode.
problem slice(problem whole, std::size_t mode, std::int64_t begin, std::int64_t extent);

/// The bytes of all elements, counted by the larger element size. Expects a problem that `validate` accepts.
std::int64_t bytes_of(problem const& p);

/// The bytes of a copy that reads and writes as much as a problem that `validate` accepts. An operation with beta reads the
/// destination, too.
std::int64_t copied_bytes(problem const& p);

}  // namespace cornerturn
