#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "problem/problem.hpp"

namespace cornerturn {

/// How a dense array lies in memory: the last index runs fastest (C), or the first one (Fortran).
enum class storage_order { c, fortran };

/// Strides of a dense array, in elements; all 0 where an extent is 0. Throws `error` for a negative extent and for more than
/// 2^63 - 1 elements.
std::vector<std::int64_t> dense_strides(std::span<std::int64_t const> extents, storage_order order);

/// `axes` in NumPy's meaning (negative ones count from the end) as indices from 0 to rank - 1. Throws `error` where they are
/// not a permutation of `rank` axes.
std::vector<std::int64_t> normalise_axes(std::span<std::int64_t const> axes, std::size_t rank);

/// The problem that copies an array of these extents from one layout to another (strides in elements). Throws `error` where there
/// is not one stride for each extent, and as `validate`.
problem strided(std::span<std::int64_t const> extents, std::span<std::int64_t const> source_strides,
                std::span<std::int64_t const> destination_strides, std::int64_t element_size);

/// The problem that permutes the modes of an array: mode i of the result is mode axes[i] of the source, whose extents are given.
/// Strides count elements; where there are none, a side is dense in C order. Throws `error` as `normalise_axes`, `dense_strides`
/// and `strided`.
problem permutation(std::span<std::int64_t const> extents, std::span<std::int64_t const> source_strides,
                    std::span<std::int64_t const> axes, std::int64_t element_size,
                    std::span<std::int64_t const> destination_strides = {});

}  // namespace cornerturn
