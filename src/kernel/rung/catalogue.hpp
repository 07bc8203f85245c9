#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

#include "block/sizes.hpp"
#include "kernel/rung/variants.hpp"
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

/// The widths that most rungs have: vectors on both sides or on one, single elements on both, and boxes of TMA.
struct usual_widths {
  int vector;  ///< elements of a vector
  access_widths both, read, write;
  access_widths none{1, 1}, boxes{kBoxAccess, kBoxAccess};
};

struct rung_info {
  rung id;
  std::string_view name, idea;
  /// Adds the rung's variants for an element size in bytes. By default a plan uses the first variant with its access widths. The
  /// first is the fastest found on an H200 (docs/notebook/gpu.md). The naive and the conflicting rungs are exceptions: smaller
  /// tiles would be faster, but would show less of the scattered accesses or of the conflicts.
  void (*add_variants)(variant_list& list, int size, usual_widths const& w);
  access_kind source = access_kind::elements, destination = access_kind::elements;
  vector_sides sides = vector_sides::independent;
  raster order = raster::source_rows;
  smem_layout layout = smem_layout::none;  ///< the rung's program is `smem` with this layout; `none` if it is another program
  int vector_bytes = kUnitBytes;           ///< width of a vector access
  bool is_copy = false;                    ///< the destination has the layout of the source
  bool is_planned = false;                 ///< plans use all variants

  constexpr bool uses_tma() const { return source == access_kind::boxes || destination == access_kind::boxes; }
};

namespace detail {
inline constexpr auto kVectors = access_kind::vectors, kBoxes = access_kind::boxes;

/// The variants of a rung whose program is `smem`.
template <smem_layout Layout, bool HasVectors>
constexpr void add_through_shared_memory(variant_list& list, int size, usual_widths const& w) {
  constexpr bool conflicts = Layout == smem_layout::source_major || Layout == smem_layout::destination_major;
  auto const add = [&](access_widths widths) {
    bool const bytes_alone = size == 1 && widths == w.none;  // 64 of them per thread would spill
    bool const faster_in_64 = bytes_alone && !conflicts && !HasVectors;
    int const side = by_size(size, faster_in_64 ? 64 : 128, 64, 64, conflicts ? 64 : 32, 32);
    list.add(widths, {side, side, bytes_alone && side > 64 ? 512 : 256});
  };
  if constexpr (HasVectors) {
    add(w.read);
    list.add(w.read, {32, 32, by_size(size, 64, 128, 256, 256, 256)});
    list.add(w.read, {64, 64, 256});
    add(w.write);
    add(w.none);
  } else {
    add(w.none);
    for (auto const& tile : {tile_shape{16, 16, 256}, {32, 32, 256}, {64, 64, 256}}) list.add(w.none, tile);
  }
}
}  // namespace detail

inline constexpr std::array kRungs{
    rung_info{.id = rung::copy,
              .name = "copy",
              .idea = "the ceiling: a copy of the same bytes between the same buffers",
              .add_variants =
                  [](variant_list& list, int size, usual_widths const& w) {
                    for (int const threads : {128, 256, 1024}) list.add(w.both, {1, threads * w.vector, threads});
                    list.add(w.both, {32, by_size(size, 1024, 1024, 1024, 512, 256), 1024});
                    list.add(w.none, {1, 128, 128});
                  },
              .source = detail::kVectors,
              .destination = detail::kVectors,
              .sides = vector_sides::both_or_none,
              .is_copy = true,
              .is_planned = true},
    rung_info{.id = rung::copy_tma,
              .name = "copy-tma",
              .idea = "the same by the tensor memory accelerator: its own ceiling",
              .add_variants =
                  [](variant_list& list, int size, usual_widths const& w) {
                    int const box = 128 / size;
                    for (auto const [rows, boxes] : {std::array{4, 8}, {4, 16}, {32, 4}, {64, 2}})
                      list.add(w.boxes, {rows, boxes * box, 32});
                  },
              .source = detail::kBoxes,
              .destination = detail::kBoxes,
              .is_copy = true},
    rung_info{.id = rung::naive_read,
              .name = "naive-read",
              .idea = "one element a thread: coalesced reads, scattered writes",
              .add_variants =
                  [](variant_list& list, int, usual_widths const& w) {
                    for (auto const& tile : {tile_shape{32, 32, 1024}, {16, 16, 256}, {8, 32, 256}, {1, 256, 256}})
                      list.add(w.none, tile);
                  }},
    rung_info{.id = rung::naive_write,
              .name = "naive-write",
              .idea = "one element a thread: scattered reads, coalesced writes",
              .add_variants =
                  [](variant_list& list, int, usual_widths const& w) {
                    for (auto const& tile : {tile_shape{32, 4, 128}, {16, 16, 256}, {32, 32, 1024}, {256, 1, 256}})
                      list.add(w.none, tile);
                  }},
    rung_info{.id = rung::smem_conflict_read,
              .name = "smem-conflict-read",
              .idea = "through shared memory: both sides coalesce, its loads conflict",
              .add_variants = detail::add_through_shared_memory<smem_layout::source_major, false>,
              .layout = smem_layout::source_major},
    rung_info{.id = rung::smem_conflict_write,
              .name = "smem-conflict-write",
              .idea = "through shared memory: both sides coalesce, its stores conflict",
              .add_variants = detail::add_through_shared_memory<smem_layout::destination_major, false>,
              .layout = smem_layout::destination_major},
    rung_info{.id = rung::smem_padded,
              .name = "smem-padded",
              .idea = "rows of shared memory one bank longer: no conflicts",
              .add_variants = detail::add_through_shared_memory<smem_layout::padded, false>,
              .layout = smem_layout::padded},
    rung_info{.id = rung::smem_swizzled,
              .name = "smem-swizzled",
              .idea = "columns XORed with rows: no conflicts and no padding",
              .add_variants = detail::add_through_shared_memory<smem_layout::swizzled, false>,
              .layout = smem_layout::swizzled},
    rung_info{.id = rung::vec_conflict_read,
              .name = "vec-conflict-read",
              .idea = "16-byte vectors on one global side, conflicting loads",
              .add_variants = detail::add_through_shared_memory<smem_layout::source_major, true>,
              .source = detail::kVectors,
              .destination = detail::kVectors,
              .sides = vector_sides::one,
              .layout = smem_layout::source_major},
    rung_info{.id = rung::vec_padded,
              .name = "vec-padded",
              .idea = "16-byte vectors on one global side, padded",
              .add_variants = detail::add_through_shared_memory<smem_layout::padded, true>,
              .source = detail::kVectors,
              .destination = detail::kVectors,
              .sides = vector_sides::one,
              .layout = smem_layout::padded},
    rung_info{.id = rung::vec_swizzled,
              .name = "vec-swizzled",
              .idea = "16-byte vectors on one global side, swizzled",
              .add_variants = detail::add_through_shared_memory<smem_layout::swizzled, true>,
              .source = detail::kVectors,
              .destination = detail::kVectors,
              .sides = vector_sides::one,
              .layout = smem_layout::swizzled},
    rung_info{.id = rung::vec_both,
              .name = "vec-both",
              .idea = "16-byte vectors on both sides, transposed in registers, destination rows first",
              .add_variants =
                  [](variant_list& list, int size, usual_widths const& w) {
                    list.add(w.both, by_size<tile_shape>(size, {256, 256, 256, 2}, {128, 128, 256}, {64, 64, 256}, {32, 32, 256},
                                                         {32, 16, 256}));
                    list.add(w.both, by_size<tile_shape>(size, {256, 128, 128, 2}, {64, 64, 64}, {32, 32, 64}, {16, 16, 64},
                                                         {16, 16, 256}));
                    list.add(w.both, by_size<tile_shape>(size, {128, 128, 64}, {256, 128, 256}, {128, 64, 256}, {64, 32, 256},
                                                         {32, 32, 256}));
                    list.add(w.read, by_size<tile_shape>(size, {256, 128, 128, 2}, {256, 64, 256}, {128, 64, 256}, {32, 32, 256},
                                                         {32, 16, 256}));
                    list.add(w.write, by_size<tile_shape>(size, {128, 32, 64, 12}, {128, 32, 128}, {64, 64, 256}, {32, 32, 256},
                                                          {32, 16, 256}));
                    list.add(w.none, by_size<tile_shape>(size, {128, 32, 64, 12}, {128, 32, 128}, {128, 64, 256}, {128, 32, 256},
                                                         {32, 16, 256}));
                  },
              .source = detail::kVectors,
              .destination = detail::kVectors,
              .order = raster::destination_rows,
              .is_planned = true},
    rung_info{.id = rung::tma_store,
              .name = "tma-store",
              .idea = "16-byte vectors in, boxes of a swizzled tile out by TMA",
              .add_variants =
                  [](variant_list& list, int size, usual_widths const& w) {
                    for (int const width : {w.vector, 1}) {
                      access_widths const widths{width, kBoxAccess};
                      bool const bytes_alone = size == 1 && width == 1;  // more of them per thread would spill
                      list.add(widths, bytes_alone ? tile_shape{128, 128, 256}
                                                   : by_size<tile_shape>(size, {128, 256, 128, 2}, {128, 128, 256}, {64, 64, 256},
                                                                         {32, 32, 256}, {32, 16, 256}));
                      if (width == w.vector)
                        list.add(widths, by_size<tile_shape>(size, {128, 128, 64}, {64, 64, 64}, {32, 32, 64}, {16, 16, 64},
                                                             {16, 16, 128}));
                    }
                  },
              .source = detail::kVectors,
              .destination = detail::kBoxes,
              .order = raster::destination_rows},
    rung_info{.id = rung::tma_conflict,
              .name = "tma-conflict",
              .idea = "TMA on both sides with plain tiles, transposed element by element: conflicts",
              .add_variants =
                  [](variant_list& list, int size, usual_widths const& w) {
                    list.add(w.boxes, by_size<tile_shape>(size, {128, 128, 256}, {64, 64, 256}, {64, 64, 256}, {32, 32, 256},
                                                          {32, 16, 256}));
                    list.add(w.boxes, by_size<tile_shape>(size, {256, 128, 256}, {128, 64, 256}, {32, 32, 256}, {16, 16, 256},
                                                          {16, 16, 256}));
                  },
              .source = detail::kBoxes,
              .destination = detail::kBoxes,
              .order = raster::destination_rows},
    rung_info{.id = rung::tma,
              .name = "tma",
              .idea = "TMA on both sides with swizzled tiles, transposed in registers along diagonals: no conflicts",
              .add_variants =
                  [](variant_list& list, int size, usual_widths const& w) {
                    list.add(w.boxes, by_size<tile_shape>(size, {256, 128, 128}, {128, 128, 256}, {128, 64, 256}, {32, 32, 256},
                                                          {32, 16, 256}));
                    list.add(w.boxes, by_size<tile_shape>(size, {128, 128, 64}, {64, 64, 64}, {64, 64, 256}, {64, 32, 256},
                                                          {16, 16, 128}));
                    list.add(w.boxes, by_size<tile_shape>(size, {128, 128, 64, 1, 2}, {128, 64, 128, 1, 2}, {64, 64, 256, 1, 2},
                                                          {32, 32, 256, 1, 2}, {32, 16, 256, 1, 2}));
                  },
              .source = detail::kBoxes,
              .destination = detail::kBoxes,
              .order = raster::destination_rows},
    rung_info{
        .id = rung::registers,
        .name = "register",
        .idea = "no shared memory: squares of vectors, transposed in a thread's registers",
        .add_variants =
            [](variant_list& list, int size, usual_widths const& w) {
              list.add(w.both,
                       by_size<tile_shape>(size, {256, 256, 256}, {128, 128, 256}, {128, 64, 512}, {32, 32, 256}, {16, 16, 256}));
              list.add(w.both,
                       by_size<tile_shape>(size, {128, 128, 64}, {128, 64, 128}, {64, 64, 256}, {64, 32, 512}, {32, 16, 256}));
              list.add(w.both,
                       by_size<tile_shape>(size, {128, 256, 128}, {64, 64, 64}, {64, 32, 128}, {32, 32, 128}, {32, 32, 256}));
              list.add(w.read,
                       by_size<tile_shape>(size, {64, 128, 256}, {64, 64, 256}, {64, 64, 256}, {32, 32, 256}, {16, 16, 256}));
              list.add(w.write,
                       by_size<tile_shape>(size, {128, 64, 256}, {64, 64, 256}, {64, 64, 256}, {32, 32, 256}, {16, 16, 256}));
              list.add(w.none,
                       by_size<tile_shape>(size, {64, 64, 256}, {64, 64, 256}, {64, 64, 256}, {32, 32, 256}, {16, 16, 256}));
            },
        .source = detail::kVectors,
        .destination = detail::kVectors,
        .order = raster::destination_rows},
    rung_info{.id = rung::register_shuffle,
              .name = "register-shuffle",
              .idea = "no shared memory: squares of a warp's lanes, exchanged by shuffles",
              .add_variants =
                  [](variant_list& list, int size, usual_widths const& w) {
                    // Four blocks leave a thread 128 registers. With 142, nvcc issues the last of 64 loads after shuffles.
                    list.add(w.both, by_size<tile_shape>(size, {256, 256, 512}, {128, 128, 128, 4}, {64, 64, 256}, {64, 64, 512},
                                                         {64, 32, 256}));
                    list.add(w.both, by_size<tile_shape>(size, {256, 128, 256}, {128, 128, 256}, {128, 64, 256}, {64, 32, 256},
                                                         {32, 32, 256}));
                    if (w.vector > 1) list.add(w.none, {64, 64, 128});
                  },
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

/// Elements of a rung's vectors, at least one.
constexpr int vector_length(rung id, int element_size) {
  int const bytes = info_of(id).vector_bytes;
  return element_size < bytes ? bytes / element_size : 1;
}

/// All variants of a rung for an element size in bytes: 1, 2, 4, 8 or 16.
constexpr variant_list variants_of(rung id, int element_size) {
  auto const& info = info_of(id);
  variant_list list{.planned = info.is_planned};
  int const v = vector_length(id, element_size);
  usual_widths const widths{.vector = v, .both = {v, v}, .read = {v, 1}, .write = {1, v}};
  info.add_variants(list, element_size, widths);
  return list;
}

namespace tile {
/// The program of a rung for an element type, in one of its variants, as the member `type`. It stands beside the program.
template <rung Rung, class T, variant Form>
struct program_of;
}  // namespace tile

}  // namespace cornerturn
