#pragma once

#include <cstdint>

namespace cornerturn::cpu {

class element_changer;

using bytes = std::uint8_t;
using offset = std::int64_t;

/// A panel is some rows of a tile, and the memory that receives their transpose: a part of the image, or of the destination.
struct panel {
  bytes const* source;
  offset const* row_source;  ///< by row: bytes from `source`
  offset rows, columns;      ///< units
  bytes* image;
  offset pitch;             ///< bytes from one column of `image` to the next
  bytes const* source_end;  ///< the end of the memory that may be read
  bool reads_on = false;    ///< true if the 16 bytes from the beginning of each unit may be read
};

/// A panel whose elements are written to the destination by whole cache lines.
struct streamed_panel {
  panel rows;
  bytes const* next;  ///< the source of the next panel, whose rows have the same offsets
  offset ahead;       ///< bytes ahead in a row that are prefetched; 0 if the rows below are prefetched
  offset head;        ///< elements before the first vector
  bytes* to;
  offset const* columns;
  offset alignment;   ///< bytes to which all columns are aligned if the first one is aligned to a cache line
  bytes* kept;        ///< by column: a cache line of memory
  bytes* heads;       ///< by column: a cache line of memory if columns begin where the columns before them end; else null
  bool begins, ends;  ///< true if the columns have no rows before (or after) these
  element_changer const* changer;  ///< changes elements on the way; null if bits are copied
  offset source_unit;              ///< bytes of an element in the source
};

}  // namespace cornerturn::cpu
