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

/// The problem that permutes the modes of an array into a dense one in C order: mode i of the result is mode axes[i] of the
/// source, whose extents and strides (elements) are given. Throws `error` as `normalise_axes`, `dense_strides` and `validate`.
problem permutation(std::span<std::int64_t const> extents, std::span<std::int64_t const> source_strides,
                    std::span<std::int64_t const> axes, std::int64_t element_size);

}  // namespace cornerturn
