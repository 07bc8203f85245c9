#pragma once

#include <cstdint>
#include <type_traits>

#include "tile/host_device.hpp"

namespace cornerturn::tile {

/// How the table is kept for vectors of `vector` elements.
struct place_table_form {
  static constexpr int kTogether = 4;
  bool packed;
  int copies;

  CORNERTURN_HOST_DEVICE constexpr place_table_form(int vector, bool ragged)
      : packed(vector >= 2 * kTogether), copies(packed && ragged ? kTogether : 1) {}

  /// Places before the first: of a word that begins before its row does.
  CORNERTURN_HOST_DEVICE constexpr int before() const { return copies - 1; }
  /// Bytes of each copy. Rows of one warp read different copies: they begin an odd number of loads apart.
  CORNERTURN_HOST_DEVICE constexpr int pitch(int places) const {
    int const load = kTogether * (packed ? 2 : 4), loads = (places + 2 * kTogether - 1) / kTogether;
    return (copies == 1 ? loads : loads | 1) * load;
  }
  /// Whether it can hold the places of a tile of so many bytes.
  constexpr bool reaches(std::int64_t bytes) const { return !packed || bytes <= 1 << 16; }
};

/// Where in shared memory the elements of a destination row are, counted from the row's own place on: a table that all rows of a
/// tile have in common. Elements of 1 and 2 bytes are many, so that one aligned load has four places, of 16 bits each. Where rows
/// begin anywhere, `Ragged`, so do these four: the table is there four times, each time one place further on, and has a few
/// places before the first.
template <int M_V, bool Ragged>
struct place_table {
  static constexpr int V = M_V, kTogether = place_table_form::kTogether;
  static constexpr place_table_form kForm{V, Ragged};
  using entry = std::conditional_t<kForm.packed, std::uint16_t, std::int32_t>;

  /// Entry number i of the table, for the place of element number i - kForm.before().
  template <class Block>
  CORNERTURN_HOST_DEVICE static void store(Block& block, char* table, int pitch, int i, int place) {
    auto const narrow = entry(place);
    CORNERTURN_UNROLL
    for (int c = 0; c < kForm.copies; ++c)
      block.template shared_store<1>(reinterpret_cast<entry*>(table + c * pitch) + i - c, &narrow, i >= c);
  }

  /// The places of N elements from `i` on, of a row that is at `row`. Those of load number j are of number j ^ `swapped`.
  template <int N, class Block>
  CORNERTURN_HOST_DEVICE static void load(Block& block, char const* table, int pitch, int i, char const* row, int swapped,
                                          char const* (&places)[N]) {
    if constexpr (kForm.packed) {
      constexpr int kLoad = N < kTogether ? N : kTogether, kWords = kLoad / 2;
      int const from = i + kForm.before(), copy = Ragged ? from & (kTogether - 1) : 0;
      auto const* const words = reinterpret_cast<std::uint32_t const*>(table + copy * pitch + (from - copy) * int(sizeof(entry)));
      CORNERTURN_UNROLL
      for (int j = 0; j < N; j += kLoad) {
        alignas(8) std::uint32_t two[kWords];
        block.template shared_load<kWords>(words + ((j / kLoad) ^ swapped) * kWords, two);
        CORNERTURN_UNROLL
        for (int k = 0; k < kWords; ++k) {
          places[j + 2 * k] = row + (two[k] & 0xffff);
          places[j + 2 * k + 1] = row + (two[k] >> 16);
        }
      }
    } else {
      constexpr int kLoad = Ragged || N < kTogether ? 1 : kTogether;
      entry found[N];
      CORNERTURN_UNROLL
      for (int j = 0; j < N; j += kLoad)
        block.template shared_load<kLoad>(reinterpret_cast<entry const*>(table) + i + j, &found[j]);
      CORNERTURN_UNROLL
      for (int j = 0; j < N; ++j) places[j] = row + found[j];
    }
  }
};

}  // namespace cornerturn::tile
