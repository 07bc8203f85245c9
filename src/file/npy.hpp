#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "file/input.hpp"
#include "problem/permuted.hpp"

namespace cornerturn {

/// What stands before the data of a .npy file.
struct npy_header {
  int major = 1;                  ///< version of the format, 1 to 3
  std::string descr;              ///< the dtype, word for word as the file describes it, e.g. "'<f4'" with its quotes
  std::int64_t element_size = 0;  ///< bytes; may be 0
  storage_order order = storage_order::c;
  std::vector<std::int64_t> shape;
  std::int64_t bytes = 0;        ///< of the data
  std::int64_t data_offset = 0;  ///< bytes before the data
};

/// Reads the header of a .npy file of version 1.0, 2.0 or 3.0 and checks that the data it promises is there.
///
/// Throws `error` (of kind file), naming the file: no .npy file, a version or dtype that is not known, Python objects, a header
/// that is malformed or of more than 1 MiB, a shape past 64 bits or of more than 64 axes, missing data.
npy_header read_npy_header(input_file const& file);

/// The bytes to write before data of the same dtype in C order and the given shape; a multiple of 64 of them.
std::string npy_preamble(npy_header const& header, std::span<std::int64_t const> shape);

/// The dtype as NumPy prints it, in UTF-8: without quotes where it is a plain type code.
std::string dtype_name(npy_header const& header);

}  // namespace cornerturn
