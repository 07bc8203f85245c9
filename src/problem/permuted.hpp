#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "problem/problem.hpp"

namespace cornerturn {

/// The memory order of a dense array: the last index is the fastest (C), or the first index is (Fortran).
enum class storage_order { c, fortran };

/// The strides of a dense array in elements; all are 0 if an extent is 0. Throws `error` for a negative extent and for more than
/// 2^63 - 1 elements.
std::vector<std::int64_t> dense_strides(std::span<std::int64_t const> extents, storage_order order);

/// Converts NumPy's axes to indices from 0 to rank - 1. Negative axes count from the end. Throws `error` if they are not a
/// permutation of `rank` axes.
std::vector<std::int64_t> normalise_axes(std::span<std::int64_t const> axes, std::size_t rank);

/// The problem that copies an array of these extents from one layout to another (strides in elements). Throws `error` if the
/// number of strides differs from the number of extents, and as `validate` and `with_operation` do.
problem strided(std::span<std::int64_t const> extents, std::span<std::int64_t const> source_strides,
                std::span<std::int64_t const> destination_strides, elements const& element);

/// The problem that permutes the modes of an array of these extents: mode i of the result is mode axes[i] of the source. Strides
/// count elements; a side without strides is dense in C order. Throws `error` as `normalise_axes`, `dense_strides` and `strided`
/// do.
problem permutation(std::span<std::int64_t const> extents, std::span<std::int64_t const> source_strides,
                    std::span<std::int64_t const> axes, elements const& element,
                    std::span<std::int64_t const> destination_strides = {});

}  // namespace cornerturn
