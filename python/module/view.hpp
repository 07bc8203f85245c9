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

/// Values of `view::device` that are not the number of a GPU: host memory, and an unknown GPU.
inline constexpr int kHost = -1, kSomeGpu = -2;

/// The description of an array.
struct view {
  framework const* of = nullptr;
  nb::object dtype;  ///< NumPy's or the framework's own
  nb::object owner;  ///< keeps the memory alive if the array alone does not
  void* data = nullptr;
  std::int64_t item_size = 0;  ///< bytes
  void* stream = nullptr;      ///< the CUDA stream that the array names, if any
  int device = kHost;          ///< kHost, kSomeGpu or the number of a GPU
  bool read_only = false;
  bool is_copy = false;      ///< the memory is a copy that the array's export made, so what is written to it is lost
  bool is_resolved = false;  ///< the view is of `owner`, a copy with PyTorch's lazy conjugation or negation resolved
  bool needs_sync = false;   ///< the owner knows no stream, so the work must be complete when the call returns
  int rank = 0;
  std::array<std::int64_t, kMaxRank> extents, stride_bytes;  ///< only the first `rank` entries are set

  index_list shape() const { return {extents.data(), std::size_t(rank)}; }
  index_list strides() const { return {stride_bytes.data(), std::size_t(rank)}; }
  std::int64_t bytes() const;  ///< bytes of all elements; the array must exist in memory
  bool is_empty() const { return item_size == 0 || std::ranges::count(shape(), 0) > 0; }
};

/// The addresses from the first byte of an array to one past its last byte.
struct address_range {
  std::uintptr_t low = 0, high = 0;
};
/// Throws ValueError if the range exceeds 64 bits.
address_range range_of(view const& array, std::string_view name);

/// Throws ValueError for a negative extent and for a size in bytes beyond 64 bits. `name` is the name of the shape in messages.
void expect_countable(view const& array, std::string_view name);

/// Throws ValueError for another shape; the message has the wanted one and `why`, e.g. ", as that of x[0]".
void expect_shape(view const& array, std::string_view name, index_list wanted, std::string_view why = "");

/// True if the array is contiguous in C order or, with `fortran`, in Fortran order.
bool is_dense(view const& array, bool fortran = false);

/// Throws ValueError unless the array is contiguous in C order.
void expect_dense(view const& array, std::string_view name);

/// Converts a stride from elements to bytes. Throws ValueError on overflow, unless the extent is 0 or 1.
std::int64_t stride_bytes_of(std::int64_t stride, std::int64_t item_size, std::int64_t extent, std::string_view name);

/// Sets the rank of a view. Throws ValueError if it exceeds kMaxRank.
void set_rank(view& array, std::int64_t rank, std::string_view name);

/// Adds an axis in front of the others. Throws ValueError if there are too many.
void add_first_axis(view& array, std::int64_t extent, std::int64_t stride_bytes, std::string_view name);

/// Sets the strides of a contiguous array in C order.
void set_c_order(view& array);

/// Reads the first into.size() integers of a tuple.
void read_tuple(nb::handle tuple, std::span<std::int64_t> into);

nb::object tuple_of(std::span<std::int64_t const> numbers);

}  // namespace cornerturn::python
