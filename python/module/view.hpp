#pragma once

#include <nanobind/nanobind.h>

#include <algorithm>
#include <array>
#include <cornerturn/index_list.hpp>
#include <cstdint>
#include <span>
#include <string_view>

namespace cornerturn::python {

namespace nb = nanobind;

class framework;

inline constexpr int kMaxRank = 64;
/// Devices that are no number of a GPU: host memory, and a GPU that the array does not name.
inline constexpr int kHost = -1, kSomeGpu = -2;

/// An array as its framework describes it.
struct view {
  framework const* of = nullptr;
  nb::object dtype;  ///< NumPy's or the framework's own
  nb::object owner;  ///< keeps the memory, where the array alone does not
  void* data = nullptr;
  std::int64_t item_size = 0;
  void* stream = nullptr;  ///< that the array names itself
  int device = kHost;      ///< or the number of a GPU
  bool read_only = false;
  bool is_resolved = false;  ///< what is seen is `owner`, a copy of what the array stands for
  bool is_lent = false;      ///< its owner knows no stream: all must be done when the call returns
  int rank = 0;
  std::array<std::int64_t, kMaxRank> extents, steps;  ///< steps are strides in bytes; only the first `rank` are written

  index_list shape() const { return {extents.data(), std::size_t(rank)}; }
  index_list strides() const { return {steps.data(), std::size_t(rank)}; }
  std::int64_t bytes() const;  ///< of all elements; only where there is memory that holds so many
  bool is_empty() const { return item_size == 0 || std::ranges::count(shape(), 0) > 0; }
};

/// The bytes that an array's elements lie in. Throws ValueError where 64 bits do not count them.
struct byte_range {
  std::uintptr_t low = 0, high = 0;
};
byte_range range_of(view const& array, std::string_view name);

/// Throws ValueError where an extent is negative, or 64 bits do not count the bytes of all elements; `name` is that of the shape.
void expect_countable(view const& array, std::string_view name);

/// Whether the elements follow each other in C order, or with `fortran` in Fortran order.
bool is_dense(view const& array, bool fortran = false);

/// The bytes of a stride in elements; refuses one whose bytes are beyond 64 bits, where there are two elements or more.
std::int64_t step_of(std::int64_t stride, std::int64_t item_size, std::int64_t extent, std::string_view name);

/// Sets the rank of a view. Throws ValueError where it is above kMaxRank.
void set_rank(view& array, std::int64_t rank, std::string_view name);

/// Sets the strides of a dense array in C order.
void set_dense_steps(view& array);

/// The integers of a tuple, into the first places of `into`.
void read_tuple(nb::handle tuple, std::span<std::int64_t> into);

nb::object tuple_of(std::span<std::int64_t const> numbers);

}  // namespace cornerturn::python
