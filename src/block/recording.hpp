#pragma once

#include <compare>
#include <cstdint>
#include <string_view>
#include <vector>

#include "cornerturn/explain.hpp"

namespace cornerturn {

/// A place in a tile program's source.
struct source_place {
  std::string_view file;
  int line = 0;
  auto operator<=>(source_place const&) const = default;
};

/// One access of one thread. Accesses of a block's warp with equal place, turn and occurrence are one request.
struct recorded_access {
  int thread;
  source_place place;
  int occurrence;  ///< how often the thread had been at this place before, in this turn of this block
  memory_space space;
  bool store;
  bool active;            ///< false: predicated off, so nothing moved
  std::uint64_t address;  ///< global: the pointer; shared: bytes from the block's shared memory
  int bytes;
  std::int64_t block;     ///< its number in the grid
  bool box = false;       ///< a row that TMA moves, alone or of a box; all rows of a box have one occurrence
  bool async = false;     ///< by cp.async: one instruction is a load of global memory and a store to shared memory
  std::int64_t turn = 0;  ///< names the turn of the loop in which lanes may skip accesses; 0 outside of such loops
  std::uint64_t to = 0;   ///< where a load of global memory itself writes shared memory: bytes from the block's shared memory
  int granule = 0;        ///< bytes: a sector is read again for each aligned piece of so many at `to` that it goes to; 0: once
};

/// What a block's threads asked of memory, in the order in which the host ran them.
struct recording {
  /// Global memory is not touched: its addresses stand for memory that need not exist, and loads give zeros.
  bool addresses_only = false;
  std::vector<recorded_access> accesses;
};

}  // namespace cornerturn
