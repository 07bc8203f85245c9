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

/// The sides on which a rung accesses vectors, depending on whether both sides are aligned for vectors or only one is.
enum class vector_sides { independent, both_or_none, one };

/// The layouts that `smem` can give a tile in shared memory (smem.hpp).
enum class smem_layout { none, source_major, destination_major, padded, swizzled };

struct rung_info {
  rung id;
  std::string_view name, idea;
  access_kind source = access_kind::elements, destination = access_kind::elements;
  vector_sides sides = vector_sides::independent;
  raster order = raster::source_rows;
  smem_layout layout = smem_layout::none;  ///< the rung's program is `smem` with this layout; `none` if it is another program
  int vector_bytes = 16;                   ///< width of a vector access
  bool is_copy = false;                    ///< the destination has the layout of the source

  constexpr bool uses_tma() const { return source == access_kind::boxes || destination == access_kind::boxes; }
};

namespace detail {
inline constexpr auto kVectors = access_kind::vectors, kBoxes = access_kind::boxes;
}

inline constexpr std::array kRungs{
    rung_info{.id = rung::copy,
              .name = "copy",
              .idea = "the ceiling: a copy of the same bytes between the same buffers",
              .source = detail::kVectors,
              .destination = detail::kVectors,
              .sides = vector_sides::both_or_none,
              .is_copy = true},
    rung_info{.id = rung::copy_tma,
              .name = "copy-tma",
              .idea = "the same by the tensor memory accelerator: its own ceiling",
              .source = detail::kBoxes,
              .destination = detail::kBoxes,
              .is_copy = true},
    rung_info{.id = rung::naive_read, .name = "naive-read", .idea = "one element a thread: coalesced reads, scattered writes"},
    rung_info{.id = rung::naive_write, .name = "naive-write", .idea = "one element a thread: scattered reads, coalesced writes"},
    rung_info{.id = rung::smem_conflict_read,
              .name = "smem-conflict-read",
              .idea = "through shared memory: both sides coalesce, its loads conflict",
              .layout = smem_layout::source_major},
    rung_info{.id = rung::smem_conflict_write,
              .name = "smem-conflict-write",
              .idea = "through shared memory: both sides coalesce, its stores conflict",
              .layout = smem_layout::destination_major},
    rung_info{.id = rung::smem_padded,
              .name = "smem-padded",
              .idea = "rows of shared memory one bank longer: no conflicts",
              .layout = smem_layout::padded},
    rung_info{.id = rung::smem_swizzled,
              .name = "smem-swizzled",
              .idea = "columns XORed with rows: no conflicts and no padding",
              .layout = smem_layout::swizzled},
    rung_info{.id = rung::vec_conflict_read,
              .name = "vec-conflict-read",
              .idea = "16-byte vectors on one global side, conflicting loads",
              .source = detail::kVectors,
              .destination = detail::kVectors,
              .sides = vector_sides::one,
              .layout = smem_layout::source_major},
    rung_info{.id = rung::vec_padded,
              .name = "vec-padded",
              .idea = "16-byte vectors on one global side, padded",
              .source = detail::kVectors,
              .destination = detail::kVectors,
              .sides = vector_sides::one,
              .layout = smem_layout::padded},
    rung_info{.id = rung::vec_swizzled,
              .name = "vec-swizzled",
              .idea = "16-byte vectors on one global side, swizzled",
              .source = detail::kVectors,
              .destination = detail::kVectors,
              .sides = vector_sides::one,
              .layout = smem_layout::swizzled},
    rung_info{.id = rung::vec_both,
              .name = "vec-both",
              .idea = "16-byte vectors on both sides, transposed in registers, destination rows first",
              .source = detail::kVectors,
              .destination = detail::kVectors,
              .order = raster::destination_rows},
    rung_info{.id = rung::tma_store,
              .name = "tma-store",
              .idea = "16-byte vectors in, boxes of a swizzled tile out by TMA",
              .source = detail::kVectors,
              .destination = detail::kBoxes,
              .order = raster::destination_rows},
    rung_info{.id = rung::tma_conflict,
              .name = "tma-conflict",
              .idea = "TMA on both sides with plain tiles, transposed element by element: conflicts",
              .source = detail::kBoxes,
              .destination = detail::kBoxes,
              .order = raster::destination_rows},
    rung_info{.id = rung::tma,
              .name = "tma",
              .idea = "TMA on both sides with swizzled tiles, transposed in registers along diagonals: no conflicts",
              .source = detail::kBoxes,
              .destination = detail::kBoxes,
              .order = raster::destination_rows},
    rung_info{.id = rung::registers,
              .name = "register",
              .idea = "no shared memory: squares of vectors, transposed in a thread's registers",
              .source = detail::kVectors,
              .destination = detail::kVectors,
              .order = raster::destination_rows},
    rung_info{.id = rung::register_shuffle,
              .name = "register-shuffle",
              .idea = "no shared memory: squares of a warp's lanes, exchanged by shuffles",
              .source = detail::kVectors,
              .destination = detail::kVectors,
              .sides = vector_sides::both_or_none,
              .order = raster::destination_rows,
              .vector_bytes = 4},
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
