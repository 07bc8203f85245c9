#pragma once

#include "tile/tile_rows.hpp"
#include "tile/words.hpp"

namespace cornerturn::tile {

/// `gather` for elements of one byte, of which it would move one an instruction. Where destination rows lie together in the
/// source, squares of 4x4 bytes are turned in registers, on the way from the tile of source rows to one of destination rows;
/// vectors are then cut from these, shifted by the bytes that a row is off.
template <class Offset>
struct turn_bytes {
  using T = std::uint8_t;
  static constexpr int V = 16, kSquare = 4;
  using rows = tile_rows<T, Offset, 32, 0>;
  static constexpr int kThreads = rows::kThreads, kBlocks = 4;

  template <class Block>
  CUTE_HOST_DEVICE static void run(Block& block, gathering<T> const& args) {
    rows const tile(block, args);
    char* const turned = tile.shared + args.shape.turned_at;
    int const pitch = args.shape.turned_pitch;
    turn_squares(block, tile, turned);
    block.sync();

    tile.template for_vectors<V>(block, [&](int index, typename rows::row const&, char* begin, int first) {
      int const off = first & 3;
      auto const* const words = reinterpret_cast<std::uint32_t const*>(turned + index * pitch + first - off);
      std::uint32_t held[V / 4 + 1];
      CUTE_UNROLL
      for (int j = 0; j < V / 4 + 1; ++j) block.template shared_load<1>(words + j, &held[j]);
      alignas(16) std::uint32_t vector[V / 4];
      CUTE_UNROLL
      for (int j = 0; j < V / 4; ++j) vector[j] = joined(held[j], held[j + 1], off);
      block.template global_store<4>(reinterpret_cast<std::uint32_t*>(begin + first), vector, true);
    });

    tile.template move_ends<V>(block, [&](int index, typename rows::row const&, int i) {
      T element;
      block.template shared_load<1>(reinterpret_cast<T const*>(turned + index * pitch + i), &element);
      return element;
    });
  }

 private:
  /// Two squares a thread: eight destination rows that lie together in the source, four elements of each. Threads stand side by
  /// side over such rows, then over elements.
  template <class Block>
  CUTE_HOST_DEVICE static void turn_squares(Block& block, rows const& tile, char* turned) {
    gather_job const& job = tile.job;
    int stand, lane;
    job.line_lanes(stand, lane, block.thread());
    if (stand >= job.line_stands) return;
    for (stepping at(job.fours, stand, job.line_stands); at.slow < job.line_turns; at.next()) {
      int group, within;
      job.eights(group, within, at.slow * job.line_lanes.divisor + lane);
      int const line = within * 2 * kSquare, there = job.lines_together - line, index = group * job.lines_together + line;
      if (index >= job.destination_rows) continue;
      int row_at;
      block.template shared_load<1>(&tile.destination_rows[index].at, &row_at);
      alignas(16) int from[kSquare];
      block.template shared_load<kSquare>(&tile.places[at.fast * kSquare], from);
      std::uint32_t near[kSquare], far[kSquare];
      CUTE_UNROLL
      for (int j = 0; j < kSquare; ++j) {
        int const place = from[j] + row_at, off = place & 3;
        auto const* const words = reinterpret_cast<std::uint32_t const*>(tile.shared + place - off);
        std::uint32_t held[3];
        CUTE_UNROLL
        for (int i = 0; i < 3; ++i) block.template shared_load<1>(words + i, &held[i], i < 2 || there > kSquare);
        near[j] = joined(held[0], held[1], off);
        far[j] = joined(held[1], held[2], off);
      }
      turn_square<T>(near);
      turn_square<T>(far);
      char* const to = turned + index * job.turned_pitch + at.fast * kSquare;
      CUTE_UNROLL
      for (int j = 0; j < kSquare; ++j) {
        if (j < there) block.template shared_store<1>(reinterpret_cast<std::uint32_t*>(to + j * job.turned_pitch), &near[j]);
        if (j + kSquare < there)
          block.template shared_store<1>(reinterpret_cast<std::uint32_t*>(to + (j + kSquare) * job.turned_pitch), &far[j]);
      }
    }
  }
};

}  // namespace cornerturn::tile
