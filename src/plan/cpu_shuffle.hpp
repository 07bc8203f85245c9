#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "plan/cpu_sizes.hpp"

namespace cornerturn {

struct byte_mode;
struct cpu_plan;

/// How the strategy `shuffle` makes an image of units that are too few side by side, or of too odd a size, for transposing lanes
/// of vectors. Each block of the image is the union of pieces: of 16 bytes of the source each, looked up in a table that has the
/// byte of the piece for each byte of the block. A dense image is one line; any other image has a line for every column. Lines
/// are cut into groups of units. All groups have the same tables, only their places in the source differ.
struct cpu_shuffle {
  static constexpr std::int64_t kBytes = kVectorBlock;  ///< bytes of a piece, and of a lane of a block
  static constexpr std::int64_t kMostLanes = 4;         ///< lanes of a block
  static constexpr std::int64_t kMostPieces = 16;       ///< pieces of a block
  static constexpr std::uint8_t kNone = 0x80;           ///< the index of a byte that is not in the piece; a lookup gives 0 for it

  struct piece {
    std::int64_t source;                                 ///< bytes from the group's source to the piece
    std::int64_t low, high;                              ///< the range that is needed of it, in bytes from the group's source
    std::array<std::uint8_t, kBytes * kMostLanes> from;  ///< by byte of the block: the byte of the piece, or kNone
  };
  struct block {
    std::vector<piece> pieces;
    std::int64_t low = 0, high = 0;  ///< the range that is read, in bytes from the group's source
  };

  std::int64_t units = 0;            ///< units of a group; 0 if the plan has another strategy
  std::int64_t lanes = 1;            ///< lanes of a block
  bool across = false;               ///< the lanes of a block are of lines side by side; else they follow each other
  std::vector<block> blocks;         ///< the blocks of a group
  std::vector<std::int64_t> groups;  ///< by group: bytes from the line's source to the group's
  std::vector<std::int64_t> lines;   ///< by line: bytes from the tile's source to the line's
  std::int64_t group_low = 0;        ///< the first byte that is read of a group, from the group's source
  std::int64_t group_high = 0;       ///< the end of what is read of a group, from the group's source
  std::int64_t group_end = 0;        ///< the end of what is needed of a group in the first line, from the group's source
  std::int64_t low = 0, high = 0;    ///< the range that is read of a line, in bytes from the line's source
  bool within_pages = false;         ///< pages of which nothing is needed may not be mapped
  bool is_joined = false;            ///< no such page lies within a group

  /// The bytes from one block to the next in the image of a group.
  std::int64_t step() const { return across ? kBytes : kBytes * lanes; }
};

/// The shuffle of a plan whose tables are made of these modes of its rows and its batch; empty if another strategy suits its
/// tiles better.
cpu_shuffle shuffle_of(cpu_plan const& plan, std::vector<byte_mode> const& rows, std::vector<byte_mode> const& batch);

}  // namespace cornerturn
