#include "file/array.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "base/printable.hpp"
#include "base/refuse.hpp"
#include "cornerturn/error.hpp"
#include "cornerturn/ladder.hpp"
#include "cornerturn/text.hpp"
#include "file/dtype.hpp"
#include "problem/permuted.hpp"
#include "problem/validate.hpp"

namespace cornerturn {
namespace {

/// The header that describes a raw file.
npy_header header_of(raw_array const& raw, input_file const& file) {
  if (raw.offset < 0) refuse("offset", raw.offset, "0 or more");
  npy_header header{.element_size = type_size(raw.type),
                    .type = element_type_named(raw.type),
                    .swapped = raw.byte_order != std::endian::native,
                    .order = raw.is_fortran ? storage_order::fortran : storage_order::c,
                    .shape = raw.shape,
                    .data_offset = raw.offset};
  auto const strides = dense_strides(raw.shape, storage_order::c);
  header.bytes = destination_range(strided(raw.shape, strides, strides, header.element_size)).high;
  if (file.size() - raw.offset != header.bytes)
    throw error(error_kind::file, fmt::format("{} has {} bytes{}; an array of {} {} has {}", file.path().string(), file.size(),
                                              raw.offset ? fmt::format(" with {} before the array", raw.offset) : "",
                                              fmt::join(raw.shape, "x"), raw.type, header.bytes));
  return header;
}

/// Sets the type that the caller gives for elements whose header has only their size.
void set_type(npy_header& header, element_type type) {
  if (header.type == type) return;
  auto const name = name_of(type);
  if (header.type) refuse("type", name, fmt::format("{}, as in the file", name_of(*header.type)));
  auto const dtype = dtype_name(header);
  if (!is_void(dtype)) refuse("type", name, fmt::format("left out, because the file's dtype is {}", printable(dtype, 60)));
  if (size_of(type) != header.element_size)
    refuse("type", name, fmt::format("of {}, because the file's dtype is {}", count_text(header.element_size, "byte"), dtype));
  header.type = type;
}

}  // namespace

std::vector<std::int64_t> axes_given(file_options const& options, std::size_t rank) {
  if (options.axes) return normalise_axes(*options.axes, rank);
  std::vector<std::int64_t> reversed(rank);
  std::iota(reversed.rbegin(), reversed.rend(), 0);
  return reversed;
}

std::vector<std::int64_t> flipped_modes(file_options const& options, std::size_t rank) {
  std::vector<std::int64_t> result;
  for (auto const mode : options.flip) {
    auto const positive = mode < 0 ? mode + std::int64_t(rank) : mode;
    if (positive < 0 || positive >= std::int64_t(rank) || std::ranges::count(result, positive) > 0)
      refuse("flip", fmt::format("({})", fmt::join(options.flip, ", ")),
             rank == 0 ? "empty for an array of rank 0"
                       : fmt::format("of different axes from {} to {}", -std::int64_t(rank), rank - 1));
    result.push_back(positive);
  }
  return result;
}

bool changes_elements(file_options const& options) {
  return options.dtype || options.alpha != 1.0 || options.conjugate || options.saturate;
}

npy_header header_given(file_options const& options, input_file const& file) {
  if (options.raw && options.type) refuse("type", name_of(*options.type), "left out for a raw array, which has a type");
  auto header = options.raw ? header_of(*options.raw, file) : read_npy_header(file);
  if (options.type) set_type(header, *options.type);
  return header;
}

}  // namespace cornerturn
