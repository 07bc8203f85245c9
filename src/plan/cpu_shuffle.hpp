#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace cornerturn {

struct byte_mode;
struct cpu_plan;

/// How a tile's image is put together where its units are too few side by side, or of too odd a size, to be turned as lanes of
/// vectors: every block of it is the union of some 16 bytes of the source, each looked up in a table that says what goes where. A
/// dense image is one line, any other has a line in every column; lines are cut into groups of units, which have the same tables,
/// only elsewhere in the source. Offsets are in bytes.
struct cpu_shuffle {
  static constexpr std::int64_t kBytes = 16, kMostLanes = 4, kMostPieces = 16;
  static constexpr std::uint8_t kNone = 0x80;
  /// 16 bytes of the source: which of them goes to each byte of a block, or kNone.
  struct piece {
    std::int64_t source;     ///< from the group's
    std::int64_t low, high;  ///< what of them is needed, from the group's source
    std::array<std::uint8_t, kBytes * kMostLanes> from;
  };
  struct block {
    std::vector<piece> pieces;
    std::int64_t low = 0, high = 0;  ///< is read, from the group's source
  };

  std::int64_t units = 0;                      ///< of a group; 0 where nothing is shuffled
  std::int64_t lanes = 1;                      ///< of 16 bytes: a block has so many
  bool across = false;                         ///< its lanes are of lines side by side; else they follow each other
  std::vector<block> blocks;                   ///< of a group
  std::vector<std::int64_t> groups;            ///< their sources
  std::vector<std::int64_t> lines;             ///< the source of each line
  std::int64_t group_low = 0, group_high = 0;  ///< is read of a group, from its source
  std::int64_t group_end = 0;                  ///< of what is needed of it, in the first line
  std::int64_t low = 0, high = 0;              ///< is read of a line, from the tile's

  bool within_pages = false;  ///< a page of which nothing is needed may be nobody's
  bool is_joined = false;     ///< no such page lies within a group

  /// Of a group's image, from one block to the next.
  std::int64_t step() const { return across ? kBytes : kBytes * lanes; }
};

/// The shuffle of a plan that has all else. The modes of its rows and of its batch make its tables.
cpu_shuffle shuffle_of(cpu_plan const& plan, std::vector<byte_mode> const& rows, std::vector<byte_mode> const& batch);

}  // namespace cornerturn
