#pragma once

#include <string_view>
#include <vector>

#include "cpu/tiles/plan.hpp"

namespace cornerturn {

/// The name of a strategy, as the enumerator is written.
std::string_view name_of(cpu_strategy strategy);

/// The names of all strategies, in the order of `cpu_strategy`.
std::vector<std::string_view> strategy_names();

/// True if a strategy that writes past the caches reads a tile completely into an image before it writes the tile.
bool has_image(cpu_strategy strategy);

/// True if vectors can transpose elements of `unit` bytes: 1, 2, 4, 8 or 16.
bool is_element(std::int64_t unit);

/// True if vectors can interleave `count` rows, or deinterleave `count` columns: from 2 to `most`.
bool are_fields(std::int64_t count, std::int64_t most = 4);

/// True if squares of vectors can be stored to the destination directly: it stays in the caches, and rows and columns have a
/// cache line or more.
bool suits_squares(cpu_plan const& plan);

/// The strategy of a plan that may have an image and whose other members are known. `may_stage` is true if units are small enough
/// for `transpose_staged`.
cpu_strategy strategy_of(cpu_plan const& plan, bool may_stage);

}  // namespace cornerturn
