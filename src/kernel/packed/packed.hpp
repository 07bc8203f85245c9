#pragma once

#include <cstdint>

#include "cornerturn/packed.cuh"
#include "kernel/packed/job.hpp"
#include "tile/decoded_index.hpp"

namespace cornerturn::tile {

struct packed_args {
  char const* source;
  char* destination;
  packed_job job;
};

/// Transposes matrices of packed elements, tile by tile, by the header for kernels.
template <int Bits>
struct packed {
  static constexpr bool kOverlaps = true;
  static constexpr tile_shape kTile = packed_tile_of(Bits);
  using transposed = packed_transpose<Bits, kTile.rows, kTile.cols>;
  static constexpr int kThreads = kTile.threads, kBlocks = kTile.blocks, kSharedBytes = transposed::shared_bytes;
  static_assert(kThreads == transposed::threads);

  template <class Block>
  CORNERTURN_HOST_DEVICE static void run(Block& block, packed_args const& args) {
    packed_job const& job = args.job;
    decoded_index<std::int64_t> const at(job, job.tile_digits, int(block.index()));
    auto const [source_bytes, destination_bytes] = place_of(job, Bits, at);
    constexpr int kPerByte = 8 / Bits;
    bounds const inside{destination_bytes * kPerByte, source_bytes * kPerByte};
    transposed::load_by(block, args.source + at.source, job.source_stride, inside, job.source_bytes, job.first_is_highest);
    transposed::store_by(block, args.destination + at.destination, job.destination_stride, inside, job.destination_bytes,
                         job.first_is_highest);
  }
};

}  // namespace cornerturn::tile
