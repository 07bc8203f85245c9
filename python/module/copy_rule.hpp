#pragma once

#include <array>
#include <cornerturn/element_operation.hpp>
#include <cornerturn/index_list.hpp>
#include <cstdint>

namespace cornerturn::python {

/// The memory that both sides of a copy are in.
enum class copy_place { cpu, cuda };

/// Why a copy that PyTorch asks for goes to the library or stays with PyTorch. `copy_verdict_names` has the same order.
enum class copy_verdict { taken, small, plain, rows, gaps, types, repeated, elsewhere, lazy, refused };

inline constexpr std::array copy_verdict_names{"taken", "small",    "plain",     "rows", "gaps",
                                               "types", "repeated", "elsewhere", "lazy", "refused"};

/// The type of elements that `element_type` names, and their size in bytes.
struct copied_elements {
  element_type type;
  int bytes;
};

/// The modes of a copy between two layouts of one shape, fused and in ascending order of destination strides. Strides count
/// elements. Only the first `rank` entries are set.
struct copied_modes {
  std::size_t rank = 0;
  std::array<std::int64_t, kMaxRank> extents, source, destination;

  index_list list(std::array<std::int64_t, kMaxRank> const& of) const { return {of.data(), rank}; }
};

/// Drops modes of extent 1, sorts the others and fuses them. Returns false if a stride is 0 or if the layout of the destination
/// may have two indices with one address, and for more than kMaxRank modes. A result by value would be copied, all 1.5 KB.
bool fuse_modes(index_list extents, index_list source, index_list destination, copied_modes& into);

/// True if a copy between these types keeps all bits: the types are equal, or integers of one size.
bool keeps_bits(copied_elements from, copied_elements to);

/// `taken` if the library is expected to be faster than PyTorch, whatever number of threads both have; else the reason.
copy_verdict judge_copy(copy_place place, copied_modes const& modes, copied_elements from, copied_elements to);

/// The number of bytes below which no copy is taken.
std::int64_t least_copied_bytes(copy_place place);

}  // namespace cornerturn::python
