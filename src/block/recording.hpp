#pragma once

#include <compare>
#include <cstdint>
#include <string_view>
#include <vector>

#include "cornerturn/explain.hpp"

namespace cornerturn {

/// A line of a tile program's source code.
struct source_place {
  std::string_view file;
  int line = 0;
  auto operator<=>(source_place const&) const = default;
};

/// One access of one thread. Accesses of a warp with equal place, iteration and occurrence are one request.
struct recorded_access {
  int thread;  ///< index in the block
  source_place place;
  int occurrence;  ///< number of earlier executions of this line by the thread, in this iteration of this block
  memory_space space;
  bool store;
  bool active;                     ///< false if the access is predicated off and moves nothing
  std::uint64_t address;           ///< in global memory: the pointer; in shared memory: bytes from the block's shared memory
  int bytes;                       ///< width of the access
  std::int64_t block;              ///< index in the grid
  bool box = false;                ///< true for a row that TMA copies, alone or in a box; the rows of a box have one occurrence
  bool async = false;              ///< true for cp.async, which is recorded as a global load and a shared store
  std::int64_t iteration = 0;      ///< identifies the iteration of a loop whose lanes may skip accesses; 0 outside such loops
  std::uint64_t smem_address = 0;  ///< target of a global load that writes shared memory: bytes from the block's shared memory
  /// Bytes of aligned pieces of shared memory: the load reads a sector once for each piece that the sector goes to. 0: only once.
  int smem_granule = 0;
  std::uint64_t source_address = 0;  ///< in global memory: what a store by cp.async past the L1 cache copies; 0 for others
  bool matrix_row = false;           ///< true for a row of ldmatrix, which serves each matrix by itself
};

/// The accesses of a block's threads, in the order in which the host ran them.
struct recording {
  /// True if global memory need not exist: it is not accessed, and loads give zeros.
  bool addresses_only = false;
  std::vector<recorded_access> accesses;
};

}  // namespace cornerturn
