#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

#include "tile/tile_shape.hpp"

namespace cornerturn {

/// The ladder's kernels, naive to fast.
enum class rung {
  copy,
  copy_tma,
  naive_read,
  naive_write,
  smem_conflict_read,
  smem_conflict_write,
  smem_padded,
  smem_swizzled,
  vec_conflict_read,
  vec_padded,
  vec_swizzled,
  vec_both,
  tma_store,
  tma_conflict,
  tma,
  registers,  // the rung `register`, a name that C++ reserves
  register_shuffle,
};

/// The widest accesses with which a rung can reach one side of global memory.
enum class access_kind { elements, vectors, boxes };

/// On which sides a rung accesses vectors, if both sides are aligned for them or only one is.
enum class vector_sides { independent, both_or_none, one };

struct rung_info {
  rung id;
  std::string_view name, idea;
  access_kind source = access_kind::elements, destination = access_kind::elements;
  vector_sides sides = vector_sides::independent;
  int vector_bytes = 16;  ///< width of a vector access
  bool is_copy = false;   ///< the destination has the layout of the source

  constexpr bool uses_tma() const { return source == access_kind::boxes || destination == access_kind::boxes; }
};

namespace detail {
inline constexpr auto kVectors = access_kind::vectors, kBoxes = access_kind::boxes, kElements = access_kind::elements;
}

inline constexpr std::array kRungs{
    rung_info{rung::copy, "copy", "the ceiling: a copy of the same bytes between the same buffers", detail::kVectors,
              detail::kVectors, vector_sides::both_or_none, 16, true},
    rung_info{rung::copy_tma, "copy-tma", "the same by the tensor memory accelerator: its own ceiling", detail::kBoxes,
              detail::kBoxes, vector_sides::independent, 16, true},
    rung_info{rung::naive_read, "naive-read", "one element a thread: coalesced reads, scattered writes"},
    rung_info{rung::naive_write, "naive-write", "one element a thread: scattered reads, coalesced writes"},
    rung_info{rung::smem_conflict_read, "smem-conflict-read", "through shared memory: both sides coalesce, its loads conflict"},
    rung_info{rung::smem_conflict_write, "smem-conflict-write",
              "through shared memory: both sides coalesce, its stores conflict"},
    rung_info{rung::smem_padded, "smem-padded", "rows of shared memory one bank longer: no conflicts"},
    rung_info{rung::smem_swizzled, "smem-swizzled", "columns XORed with rows: no conflicts and no padding"},
    rung_info{rung::vec_conflict_read, "vec-conflict-read", "16-byte vectors on one global side, conflicting loads",
              detail::kVectors, detail::kVectors, vector_sides::one},
    rung_info{rung::vec_padded, "vec-padded", "16-byte vectors on one global side, padded", detail::kVectors, detail::kVectors,
              vector_sides::one},
    rung_info{rung::vec_swizzled, "vec-swizzled", "16-byte vectors on one global side, swizzled", detail::kVectors,
              detail::kVectors, vector_sides::one},
    rung_info{rung::vec_both, "vec-both", "16-byte vectors on both sides, transposed in registers, destination rows first",
              detail::kVectors, detail::kVectors},
    rung_info{rung::tma_store, "tma-store", "16-byte vectors in, boxes of a swizzled tile out by TMA", detail::kVectors,
              detail::kBoxes},
    rung_info{rung::tma_conflict, "tma-conflict", "TMA on both sides with plain tiles, transposed element by element: conflicts",
              detail::kBoxes, detail::kBoxes},
    rung_info{rung::tma, "tma", "TMA on both sides with swizzled tiles, transposed in registers along diagonals: no conflicts",
              detail::kBoxes, detail::kBoxes},
    rung_info{rung::registers, "register", "no shared memory: squares of vectors, transposed in a thread's registers",
              detail::kVectors, detail::kVectors},
    rung_info{rung::register_shuffle, "register-shuffle", "no shared memory: squares of a warp's lanes, exchanged by shuffles",
              detail::kVectors, detail::kVectors, vector_sides::both_or_none, 4},
};

namespace detail {
constexpr bool are_in_order(std::span<rung_info const> rungs) {
  for (std::size_t i = 0; i < rungs.size(); ++i)
    if (std::size_t(rungs[i].id) != i) return false;
  return true;
}
}  // namespace detail
static_assert(detail::are_in_order(kRungs), "info_of uses a rung's value as its index in the table");

constexpr rung_info const& info_of(rung id) { return kRungs[std::size_t(id)]; }
constexpr std::string_view name_of(rung id) { return info_of(id).name; }

constexpr std::optional<rung> rung_named(std::string_view name) {
  for (auto const& each : kRungs)
    if (each.name == name) return each.id;
  return std::nullopt;
}

/// Elements per global access on each side, or kBoxAccess if TMA copies boxes.
struct access_widths {
  int source = 1, destination = 1;
  bool operator==(access_widths const&) const = default;
};
inline constexpr int kBoxAccess = 0;

/// Elements of a rung's vectors, at least one.
constexpr int vector_length(rung id, int element_size) {
  int const bytes = info_of(id).vector_bytes;
  return element_size < bytes ? bytes / element_size : 1;
}

}  // namespace cornerturn
