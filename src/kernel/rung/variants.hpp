#pragma once

#include <array>

#include "tile/tile_shape.hpp"

namespace cornerturn {

/// Elements per global access on each side, or kBoxAccess if TMA copies boxes.
struct access_widths {
  int source = 1, destination = 1;
  bool operator==(access_widths const&) const = default;
};
inline constexpr int kBoxAccess = 0;

/// The use of a variant of a rung: plans, the ladder, or only sweeps of the rung's tiles. A build has the variants of the first
/// uses, up to the one that CORNERTURN_KERNELS names, because all variants take long to compile.
enum class variant_use { plans, ladder, sweeps };

/// One variant of a rung: its access widths and its tile.
struct variant {
  access_widths widths;
  tile_shape tile;
  variant_use use = variant_use::plans;
};

/// The variants of a rung for an element size.
struct variant_list {
  bool planned = false;  ///< plans use all variants
  std::array<variant, 12> items{};
  int count = 0;

  constexpr void add(access_widths widths, tile_shape tile) {
    auto use = planned ? variant_use::plans : variant_use::ladder;
    for (int i = 0; i < count; ++i) {
      if (items[i].widths != widths) continue;
      if (items[i].tile == tile) return;
      if (!planned) use = variant_use::sweeps;
    }
    items[count++] = {widths, tile, use};
  }
  constexpr variant const* begin() const { return items.data(); }
  constexpr variant const* end() const { return items.data() + count; }
};

/// Selects one of five values by element size: 1, 2, 4, 8 or 16 bytes.
template <class Value>
constexpr Value by_size(int element_size, Value of_1, Value of_2, Value of_4, Value of_8, Value of_16) {
  return element_size == 1 ? of_1 : element_size == 2 ? of_2 : element_size == 4 ? of_4 : element_size == 8 ? of_8 : of_16;
}

}  // namespace cornerturn
