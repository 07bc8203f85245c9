#pragma once

#include <cstdint>

#include "block/sizes.hpp"
#include "element/apply.hpp"
#include "kernel/planes/job.hpp"
#include "tile/decoded_index.hpp"
#include "tile/load_factors.hpp"
#include "tile/maps.hpp"
#include "tile/source_list.hpp"

namespace cornerturn::tile {

template <class D>
struct planes_args {
  std::uint8_t const* source;
  D* destination;
  planes_job job;
  float const *scale, *bias;  ///< the factors, from the first plane of the first part on; or null
  float alpha;                ///< the scale of all elements if `scale` is null
  bool saturate;
  source_list sources;
};

/// Splits pixels of `Stride` bytes into planes whose elements change. A thread loads whole pixels to registers, enough for one
/// 16-byte vector of each plane. So neighbouring threads store neighbouring vectors. Several loads of a thread are in the same
/// cache line, but loads move fewer bytes than stores.
template <class D, int Stride>
struct planes {
  static constexpr bool kOverlaps = true;
  static constexpr int kThreads = kPlanesThreads, kBlocks = 1, V = kUnitBytes / int(sizeof(D)), kSteps = kPlanesSteps;

  template <class Block>
  CUTE_HOST_DEVICE static void run(Block& block, planes_args<D> const& args) {
    // Shift into the block: its array, and the part of its tile.
    planes_job const& job = args.job;
    auto const listed = listed_block_of(block, args.sources);
    int part, tile;
    job.tiles(part, tile, listed.index);
    decoded_index<std::int64_t> const first(job, job.part_digits, part);
    std::uint8_t const* const source = source_of(args, listed) + first.source;
    D* const destination = destination_of(args, listed) + first.destination;

    // Load: the factors of all planes, and a thread's pixels.
    float scale[Stride], bias[Stride];
    load_factors(block, args.scale, first.vector_index, job.factor_step, args.alpha, true, scale);
    load_factors(block, args.bias, first.vector_index, job.factor_step, element::kNoBias<float>, true, bias);

    int vector[kSteps];
    bool active[kSteps];
    alignas(16) std::uint8_t held[kSteps][Stride][V];
    CUTE_UNROLL
    for (int n = 0; n < kSteps; ++n) {
      vector[n] = (tile * kSteps + n) * kThreads + block.thread();
      active[n] = vector[n] < job.vectors;
      if (!active[n]) vector[n] = 0;
      CUTE_UNROLL
      for (int j = 0; j < Stride; ++j)
        block.template global_load<V>(source + (vector[n] * Stride + j) * V, held[n][j], active[n]);
    }

    // Change, store: a vector of each plane.
    CUTE_UNROLL
    for (int n = 0; n < kSteps; ++n) CUTE_UNROLL
    for (int plane = 0; plane < Stride; ++plane) {
      alignas(16) D changed[V];
      CUTE_UNROLL
      for (int v = 0; v < V; ++v) {
        int const byte = v * Stride + plane;
        changed[v] = element::scaled<D>(held[n][byte / V][byte % V], scale[plane], bias[plane], args.saturate);
      }
      block.template global_store<V>(destination + plane * job.plane_step + vector[n] * V, changed, active[n]);
    }
  }
};

}  // namespace cornerturn::tile
