#pragma once

#include <bit>
#include <cstdint>

#include "cpu/panel.hpp"

namespace cornerturn::cpu {

/// True if the processor permutes the bytes of 64-byte vectors (AVX512-VBMI), which `deinterleave_fields` and `interleave_fields`
/// need, and Highway may use such vectors.
bool has_byte_permutes();

/// True if the functions below serve `count` times so many interleaved elements of `size` bytes, on a processor that
/// `has_byte_permutes`.
inline bool are_many_fields(offset fields, offset count, offset size) {
  return fields > 4 && fields <= 16 && size <= 8 && std::has_single_bit(std::uint64_t(size)) && count * size >= 64;
}

/// Transposes a panel of 5 to 16 columns into its image. Rows follow each other in the source without a gap. `size` is that of an
/// element: 1, 2, 4 or 8 bytes.
void deinterleave_fields(panel const& p, offset size);

/// The same past the caches: column k begins offsets[k] bytes after `to`. The rows fill whole vectors of 64 bytes.
void deinterleave_fields_nt(panel const& p, offset size, bytes* to, offset const* offsets);

/// Transposes a panel of 5 to 16 rows into its image, where columns follow each other without a gap. `size` is that of an
/// element: 1, 2, 4 or 8 bytes. Up to 24 bytes after the image are overwritten.
void interleave_fields(panel const& p, offset size);

/// The same past the caches, to a cache line. The rows fill whole vectors of 64 bytes.
void interleave_fields_nt(panel const& p, offset size, bytes* to);

}  // namespace cornerturn::cpu
