#include "api/file_array.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <numeric>

#include "cornerturn/error.hpp"
#include "cornerturn/ladder.hpp"
#include "problem/permuted.hpp"
#include "problem/validate.hpp"

namespace cornerturn {
namespace {

/// The header that describes a raw file.
npy_header header_of(raw_array const& raw, input_file const& file) {
  npy_header header{.element_size = type_size(raw.type), .shape = raw.shape};
  auto const strides = dense_strides(raw.shape, storage_order::c);
  header.bytes = destination_range(strided(raw.shape, strides, strides, header.element_size)).high;
  if (file.size() != header.bytes) {
    throw error(error_kind::file, fmt::format("{} has {} bytes; an array of {} {} has {}", file.path().string(), file.size(),
                                              fmt::join(raw.shape, "x"), raw.type, header.bytes));
  }
  return header;
}

}  // namespace

std::vector<std::int64_t> axes_given(file_options const& options, std::size_t rank) {
  if (options.axes) return normalise_axes(*options.axes, rank);
  std::vector<std::int64_t> reversed(rank);
  std::iota(reversed.rbegin(), reversed.rend(), 0);
  return reversed;
}

bool changes_elements(file_options const& options) {
  return options.dtype || options.alpha != 1.0 || options.conjugate || options.saturate;
}

npy_header header_given(file_options const& options, input_file const& file) {
  return options.raw ? header_of(*options.raw, file) : read_npy_header(file);
}

}  // namespace cornerturn
