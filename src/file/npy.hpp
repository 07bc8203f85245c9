#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cornerturn/element_operation.hpp"
#include "file/input.hpp"
#include "problem/permuted.hpp"

namespace cornerturn {

/// The header of a .npy file.
struct npy_header {
  int major = 1;      ///< major version of the format, 1 to 3
  std::string descr;  ///< the dtype as in the file, e.g. "'<f4'" with its quotes, or '|V1' for a code NumPy cannot read
  std::int64_t element_size = 0;          ///< item size in bytes; may be 0
  std::optional<element_type> type = {};  ///< the type of the elements, if they are numbers
  bool swapped = false;                   ///< true if the numbers are in the other byte order
  storage_order order = storage_order::c;
  std::vector<std::int64_t> shape;
  std::int64_t bytes = 0;        ///< size of the data in bytes
  std::int64_t data_offset = 0;  ///< offset of the data in bytes
};

/// Reads the header of a .npy file of version 1.0, 2.0 or 3.0 and checks that the file is long enough for its data.
///
/// Throws `error` (kind file) for a file in another format, an unknown version or dtype, Python objects, a malformed header, a
/// header of more than 1 MiB, a size beyond 64 bits, more than 64 axes, and missing data. The message names the file.
npy_header read_npy_header(input_file const& file);
/// Reads a header from the first bytes of a file named `name` that has `size` bytes. Throws `error` if the header is longer.
npy_header read_npy_header(std::string_view bytes, std::string const& name, std::int64_t size);

/// The header to write for data of the same dtype in C order with the given shape. Its length is a multiple of 64 bytes.
std::string npy_preamble(npy_header const& header, std::span<std::int64_t const> shape);

/// A header like `npy_preamble` for data that stays in its place in the file that `header` was read from. It has the same version
/// and length; nothing if that length is too short.
std::optional<std::string> npy_preamble_in_place(npy_header const& header, std::span<std::int64_t const> shape);

/// The first bytes of a .npy file, and of a .npy file whose elements are being permuted within the file, which no reader accepts.
inline constexpr std::string_view kNpyMagic = "\x93NUMPY", kHalfPermutedMagic = "\x93HALF!";

/// The dtype as NumPy prints it, in UTF-8; a plain type code has no quotes.
std::string dtype_name(npy_header const& header);

}  // namespace cornerturn
