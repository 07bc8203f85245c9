#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "cornerturn/file.hpp"
#include "file/input.hpp"
#include "file/npy.hpp"

namespace cornerturn {

/// The axes in the options as indices from 0 to rank - 1; without axes, all axes reversed. Throws `error` as `normalise_axes`.
std::vector<std::int64_t> axes_given(file_options const& options, std::size_t rank);

/// The modes of the options that run backwards, from 0 to rank - 1. Throws `error` for a mode that the array does not have, and
/// for one that is given twice.
std::vector<std::int64_t> flipped_modes(file_options const& options, std::size_t rank);

/// True if one of the options asks for elements that change.
bool changes_elements(file_options const& options);

/// The header of a .npy file with the type of the options, or a header that describes a raw file. Throws `error` as
/// `read_npy_header` does, for a raw file whose size is not the array's, and for a type that contradicts the header.
npy_header header_given(file_options const& options, input_file const& file);

}  // namespace cornerturn
