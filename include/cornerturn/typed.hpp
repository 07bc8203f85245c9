#pragma once

#include "cornerturn/cxx20.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>

#include "cornerturn/inplace.hpp"
#include "cornerturn/permute.hpp"
#include "cornerturn/plan.hpp"
#include "cornerturn/transpose.hpp"

// Overloads that take the element size from a type. Pointers are not checked; contiguous ranges (std::vector, std::span,
// std::array) must have room for their layout.

namespace cornerturn {

/// A type whose objects may be copied bit for bit.
template <class T>
concept bitwise_element = std::is_trivially_copyable_v<T> && !std::is_array_v<T>;

/// A contiguous range of such elements. C arrays are pointers here.
template <class Range>
concept element_range = !std::is_array_v<std::remove_reference_t<Range>> && requires(Range& range) { std::span(range); } &&
                        bitwise_element<typename decltype(std::span(std::declval<Range&>()))::value_type>;

namespace detail {

template <class Range>
using element_of = typename decltype(std::span(std::declval<Range&>()))::element_type;

/// The numbers of elements of two ranges.
struct range_sizes {
  std::size_t source, destination;
};

/// Each throws `error` if a layout does not fit into its range, and for arguments that the function of its name rejects.
CORNERTURN_API void expect_room_to_permute(range_sizes sizes, index_list shape, index_list axes, permute_options const& options);
CORNERTURN_API void expect_room_to_copy(range_sizes sizes, index_list source_strides, index_list destination_strides,
                                        index_list shape);
CORNERTURN_API void expect_room_to_permute_inplace(std::size_t size, index_list shape);
CORNERTURN_API void expect_room_to_transpose(range_sizes sizes, std::int64_t rows, std::int64_t cols,
                                             transpose_options const& options);

}  // namespace detail

/// Two ranges with the same element type, of which the second one is writable.
template <class Source, class Destination>
concept element_ranges = element_range<Source> && element_range<Destination> &&
                         std::is_same_v<std::remove_const_t<detail::element_of<Source>>, detail::element_of<Destination>>;

template <bitwise_element T>
void permute(T const* source, T* destination, index_list shape, index_list axes, permute_options const& options = {}) {
  permute(static_cast<void const*>(source), static_cast<void*>(destination), shape, axes, sizeof(T), options);
}

template <class Source, class Destination>
  requires element_ranges<Source const, Destination>
void permute(Source const& source, Destination&& destination, index_list shape, index_list axes,
             permute_options const& options = {}) {
  std::span const from(source);
  std::span const to(destination);
  detail::expect_room_to_permute({from.size(), to.size()}, shape, axes, options);
  permute(from.data(), to.data(), shape, axes, options);
}

template <bitwise_element T>
void strided_copy(T const* source, index_list source_strides, T* destination, index_list destination_strides, index_list shape,
                  copy_options const& options = {}) {
  strided_copy(static_cast<void const*>(source), source_strides, static_cast<void*>(destination), destination_strides, shape,
               sizeof(T), options);
}

template <class Source, class Destination>
  requires element_ranges<Source const, Destination>
void strided_copy(Source const& source, index_list source_strides, Destination&& destination, index_list destination_strides,
                  index_list shape, copy_options const& options = {}) {
  std::span const from(source);
  std::span const to(destination);
  detail::expect_room_to_copy({from.size(), to.size()}, source_strides, destination_strides, shape);
  strided_copy(from.data(), source_strides, to.data(), destination_strides, shape, options);
}

template <bitwise_element T>
void transpose(T const* source, T* destination, std::int64_t rows, std::int64_t cols, transpose_options const& options = {}) {
  transpose(static_cast<void const*>(source), static_cast<void*>(destination), rows, cols, sizeof(T), options);
}

template <class Source, class Destination>
  requires element_ranges<Source const, Destination>
void transpose(Source const& source, Destination&& destination, std::int64_t rows, std::int64_t cols,
               transpose_options const& options = {}) {
  std::span const from(source);
  std::span const to(destination);
  detail::expect_room_to_transpose({from.size(), to.size()}, rows, cols, options);
  transpose(from.data(), to.data(), rows, cols, options);
}

template <bitwise_element T>
  requires(!std::is_const_v<T>)
void permute_inplace(T* data, index_list shape, index_list axes, inplace_options const& options = {}) {
  permute_inplace(static_cast<void*>(data), shape, axes, sizeof(T), options);
}

template <element_range Range>
  requires(!std::is_const_v<detail::element_of<Range>>)
void permute_inplace(Range&& data, index_list shape, index_list axes, inplace_options const& options = {}) {
  std::span const all(data);
  detail::expect_room_to_permute_inplace(all.size(), shape);
  permute_inplace(all.data(), shape, axes, options);
}

/// Plans for elements of a type: `plan_permute<float>(shape, axes)`.
template <bitwise_element T>
permutation_plan plan_permute(index_list shape, index_list axes, plan_options const& options = {}) {
  return plan_permute(shape, axes, sizeof(T), options);
}

template <bitwise_element T>
permutation_plan plan(index_list shape, index_list source_strides, index_list destination_strides,
                      plan_options const& options = {}) {
  return plan(shape, source_strides, destination_strides, sizeof(T), options);
}

template <bitwise_element T>
inplace_plan plan_permute_inplace(index_list shape, index_list axes, inplace_plan_options const& options = {}) {
  return plan_permute_inplace(shape, axes, sizeof(T), options);
}

}  // namespace cornerturn
