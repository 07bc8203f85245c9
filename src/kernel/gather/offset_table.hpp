#pragma once

#include <cstdint>
#include <type_traits>

#include "block/host_device.hpp"
#include "block/sizes.hpp"

namespace cornerturn::tile {

/// The bytes from the beginning of a 16-byte unit to an offset.
CORNERTURN_HOST_DEVICE constexpr int within_unit(auto bytes) { return int(bytes) & (kUnitBytes - 1); }

/// How the offset table is stored for vectors of `vector` elements.
struct offset_table_form {
  static constexpr int kPerLoad = 4;  ///< entries of one aligned load
  bool packed;                        ///< true if entries have 16 bits, false if they have 32
  int copies;

  CORNERTURN_HOST_DEVICE constexpr offset_table_form(int vector, bool ragged)
      : packed(vector >= 2 * kPerLoad), copies(packed && ragged ? kPerLoad : 1) {}

  /// Entries before the entry of a row's first element. They serve a word that begins before its row.
  CORNERTURN_HOST_DEVICE constexpr int before() const { return copies - 1; }
  /// Bytes of each copy, an odd number of loads: lanes of one warp read different copies, which then have different banks.
  CORNERTURN_HOST_DEVICE constexpr int copy_bytes(int entries) const {
    int const load = kPerLoad * (packed ? 2 : 4), loads = (entries + 2 * kPerLoad - 1) / kPerLoad;
    return (copies == 1 ? loads : loads | 1) * load;
  }
  /// True if entries can hold the offsets of a tile of `bytes` bytes of shared memory.
  constexpr bool reaches(std::int64_t bytes) const { return !packed || bytes <= 1 << 16; }
};

// Entry 5 is at index 5 of copy 0 and at index 4 of copy 1. 100 entries of 16 bits fill 25 loads of 8 bytes. With the load after
// them, a copy has 26 loads, and the next odd number is 27.
static_assert(offset_table_form(16, true).copies == 4 && offset_table_form(16, true).copy_bytes(100) == 27 * 8);

/// The offsets of a destination row's elements in shared memory, in bytes from the row's own offset. All destination rows of a
/// tile share the table. Rows have many elements if these have 1 or 2 bytes, so such entries have 16 bits and one load has four
/// entries. If rows are unaligned (`Ragged`), so are four consecutive entries. The table then has four copies, each shifted by
/// one more entry, and any four entries are an aligned load of one copy.
template <int M_V, bool Ragged>
struct offset_table {
  static constexpr int V = M_V, kPerLoad = offset_table_form::kPerLoad;
  static constexpr offset_table_form kForm{V, Ragged};
  using entry = std::conditional_t<kForm.packed, std::uint16_t, std::int32_t>;

  /// Stores entry i of the table, the offset of element i - kForm.before().
  template <class Block>
  CORNERTURN_HOST_DEVICE static void store(Block& block, char* table, int copy_bytes, int i, int offset) {
    auto const narrow = entry(offset);
    CORNERTURN_UNROLL
    for (int c = 0; c < kForm.copies; ++c)
      block.template shared_store<1>(reinterpret_cast<entry*>(table + c * copy_bytes) + i - c, &narrow, i >= c);
  }

  /// Finds the addresses of the N elements from `i` on of the row at `row`. Load j takes the entries of load j ^ `load_xor`.
  template <int N, class Block>
  CORNERTURN_HOST_DEVICE static void load(Block& block, char const* table, int copy_bytes, int i, char const* row, int load_xor,
                                          char const* (&addresses)[N]) {
    if constexpr (kForm.packed) {
      constexpr int kLoad = N < kPerLoad ? N : kPerLoad, kWords = kLoad / 2;
      int const from = i + kForm.before(), copy = Ragged ? from & (kPerLoad - 1) : 0;
      auto const* const words =
          reinterpret_cast<std::uint32_t const*>(table + copy * copy_bytes + (from - copy) * int(sizeof(entry)));
      CORNERTURN_UNROLL
      for (int j = 0; j < N; j += kLoad) {
        alignas(8) std::uint32_t two[kWords];
        block.template shared_load<kWords>(words + ((j / kLoad) ^ load_xor) * kWords, two);
        CORNERTURN_UNROLL
        for (int k = 0; k < kWords; ++k) {
          addresses[j + 2 * k] = row + (two[k] & 0xffff);
          addresses[j + 2 * k + 1] = row + (two[k] >> 16);
        }
      }
    } else {
      constexpr int kLoad = Ragged || N < kPerLoad ? 1 : kPerLoad;
      entry found[N];
      CORNERTURN_UNROLL
      for (int j = 0; j < N; j += kLoad)
        block.template shared_load<kLoad>(reinterpret_cast<entry const*>(table) + i + j, &found[j]);
      CORNERTURN_UNROLL
      for (int j = 0; j < N; ++j) addresses[j] = row + found[j];
    }
  }
};

}  // namespace cornerturn::tile
