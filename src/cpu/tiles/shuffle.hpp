#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "cpu/sizes.hpp"

namespace cornerturn {

struct byte_mode;
struct cpu_plan;

/// How the strategy `shuffle` makes an image. It is used where rows or columns are too short for transposing the lanes of
/// vectors, or where the size of a unit is not a power of two. Each block of the image is assembled from pieces. A piece is 16
/// bytes of the source and a table for a byte shuffle, which gives for each byte of the block the index of its byte in the piece.
/// A dense image is one line; any other image has a line per column. Lines are cut into groups of units, which share the tables.
struct cpu_shuffle {
  static constexpr std::int64_t kBytes = kVectorBlock;  ///< bytes of a piece, and of a lane of a block
  static constexpr std::int64_t kMostLanes = 4;         ///< lanes of a block
  static constexpr std::int64_t kMostPieces = 16;       ///< pieces of a block
  static constexpr std::uint8_t kNone = 0x80;           ///< the index of a byte that is not in the piece; a lookup gives 0 for it

  struct piece {
    std::int64_t source;     ///< bytes from the group's source to the piece
    std::int64_t low, high;  ///< the part of the piece that is needed, in bytes from the group's source
    std::array<std::uint8_t, kBytes * kMostLanes> from;  ///< by byte of the block: the byte of the piece, or kNone
  };
  struct block {
    std::vector<piece> pieces;
    std::int64_t low = 0, high = 0;  ///< the range that is read, in bytes from the group's source
  };

  std::int64_t units = 0;  ///< units of a group; 0 if the plan has another strategy
  std::int64_t lanes = 1;  ///< lanes of a block
  bool across = false;  ///< true if the lanes of a block belong to neighbouring lines, false if they are consecutive in one line
  std::vector<block> blocks;         ///< the blocks of a group
  std::vector<std::int64_t> groups;  ///< by group: bytes from the line's source to the group's
  std::vector<std::int64_t> lines;   ///< by line: bytes from the tile's source to the line's
  std::int64_t group_low = 0;        ///< the first byte of a group that is read, in bytes from the group's source
  std::int64_t group_high = 0;       ///< the end of a group's bytes that are read, in bytes from the group's source
  std::int64_t group_end = 0;        ///< the end of a group's bytes that the first line needs, in bytes from the group's source
  std::int64_t low = 0, high = 0;    ///< the range of a line that is read, in bytes from the line's source
  bool within_pages = false;  ///< true if reads must stay within pages with needed bytes, because other pages may not be mapped
  bool is_joined = false;     ///< true if no page within a group is without needed bytes

  /// The bytes from one block to the next in the image of a group.
  std::int64_t step() const { return across ? kBytes : kBytes * lanes; }
};

/// The shuffle of a plan whose tables are made of these modes of its rows and its batch; empty if another strategy suits its
/// tiles better. Up to `most_fields` rows or columns are interleaved or deinterleaved without such tables.
cpu_shuffle shuffle_of(cpu_plan const& plan, std::vector<byte_mode> const& rows, std::vector<byte_mode> const& batch,
                       std::int64_t most_fields);

}  // namespace cornerturn
