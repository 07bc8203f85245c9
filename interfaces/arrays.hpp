#pragma once

#include <cstdint>
#include <limits>

#include "errors.hpp"

namespace cornerturn {

/// An array of a call, under the other library's name for it.
struct named_array {
  char const* name;
  void const* address;
  std::int64_t elements;      ///< from its first to its last element, including gaps
  std::int64_t element_size;  ///< bytes
};

/// Throws `error` for a null pointer, and for a size in bytes beyond 64 bits.
inline void expect_array(named_array const& array) {
  if (!array.address) refuse(array.name, "null", "an address");
  if (array.elements > std::numeric_limits<std::int64_t>::max() / array.element_size)
    refuse(array.name, fmt::format("of {} elements of {} bytes", array.elements, array.element_size),
           "of at most 2^63 - 1 bytes");
}

/// Throws `error` as `expect_array` does, and if the address ranges of the arrays overlap.
inline void expect_apart(named_array const& written, named_array const& read) {
  expect_array(read);
  expect_array(written);
  auto const low = [](named_array const& each) { return reinterpret_cast<std::uintptr_t>(each.address); };
  auto const high = [&](named_array const& each) { return low(each) + std::uintptr_t(each.elements * each.element_size); };
  if (low(read) < high(written) && low(written) < high(read))
    refuse(written.name, fmt::format("[{:#x}, {:#x})", low(written), high(written)),
           fmt::format("apart from {}, [{:#x}, {:#x})", read.name, low(read), high(read)));
}

}  // namespace cornerturn
