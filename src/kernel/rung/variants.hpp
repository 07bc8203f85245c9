#pragma once

#include <array>

#include "kernel/rung/catalogue.hpp"

namespace cornerturn {

/// The use of a variant of a rung: plans, the ladder, or only sweeps of the rung's tiles. A build has the variants of the first
/// uses, up to the one that CORNERTURN_KERNELS names, because all variants take long to compile.
enum class variant_use { plans, ladder, sweeps };

/// One variant of a rung: its access widths and its tile.
struct variant {
  access_widths widths;
  tile_shape tile;
  variant_use use = variant_use::plans;
};

/// The variants of a rung for an element size.
struct variant_list {
  bool planned = false;  ///< plans use all variants
  std::array<variant, 12> items{};
  int count = 0;

  constexpr void add(access_widths widths, tile_shape tile) {
    auto use = planned ? variant_use::plans : variant_use::ladder;
    for (int i = 0; i < count; ++i) {
      if (items[i].widths != widths) continue;
      if (items[i].tile == tile) return;
      if (!planned) use = variant_use::sweeps;
    }
    items[count++] = {widths, tile, use};
  }
  constexpr variant const* begin() const { return items.data(); }
  constexpr variant const* end() const { return items.data() + count; }
};

namespace detail {

/// Selects one of five values by element size: 1, 2, 4, 8 or 16 bytes.
template <class Value>
constexpr Value by_size(int element_size, Value of_1, Value of_2, Value of_4, Value of_8, Value of_16) {
  return element_size == 1 ? of_1 : element_size == 2 ? of_2 : element_size == 4 ? of_4 : element_size == 8 ? of_8 : of_16;
}

constexpr void add_copies(variant_list& list, access_widths widths) {
  int const v = widths.source;
  for (int const threads : {128, 256, 1024}) list.add(widths, {1, threads * v, threads});
}

constexpr void add_through_shared_memory(variant_list& list, rung id, int element_size, access_widths widths) {
  bool const conflicts = id == rung::smem_conflict_read || id == rung::smem_conflict_write || id == rung::vec_conflict_read;
  bool const bytes_alone = element_size == 1 && widths == access_widths{};  // 64 of them per thread would spill
  bool const faster_in_64 = bytes_alone && (id == rung::smem_padded || id == rung::smem_swizzled);
  int const side = by_size(element_size, faster_in_64 ? 64 : 128, 64, 64, conflicts ? 64 : 32, 32);
  list.add(widths, {side, side, bytes_alone && side > 64 ? 512 : 256});
}

}  // namespace detail

/// All variants of a rung for an element size in bytes (1, 2, 4, 8, 16). By default a plan uses the first variant with its access
/// widths. The first is the fastest found on an H200 (docs/notebook/gpu.md). The naive and the conflicting rungs are exceptions:
/// smaller tiles would be faster, but would show less of the scattered accesses or of the conflicts.
constexpr variant_list variants_of(rung id, int element_size) {
  using detail::by_size;
  int const size = element_size, v = vector_length(id, size);
  access_widths const both{v, v}, read{v, 1}, write{1, v}, none{1, 1};
  constexpr int kBox = kBoxAccess;
  variant_list list{.planned = id == rung::copy || id == rung::vec_both};
  switch (id) {
    case rung::copy:
      detail::add_copies(list, both);
      list.add(both, {32, by_size(size, 1024, 1024, 1024, 512, 256), 1024});
      list.add(none, {1, 128, 128});
      break;
    case rung::copy_tma: {
      int const box = 128 / size;
      for (auto const [rows, boxes] : {std::array{4, 8}, {4, 16}, {32, 4}, {64, 2}})
        list.add({kBox, kBox}, {rows, boxes * box, 32});
      break;
    }
    case rung::naive_read:
      for (auto const& tile : {tile_shape{32, 32, 1024}, {16, 16, 256}, {8, 32, 256}, {1, 256, 256}}) list.add(none, tile);
      break;
    case rung::naive_write:
      for (auto const& tile : {tile_shape{32, 4, 128}, {16, 16, 256}, {32, 32, 1024}, {256, 1, 256}}) list.add(none, tile);
      break;
    case rung::smem_conflict_read:
    case rung::smem_conflict_write:
    case rung::smem_padded:
    case rung::smem_swizzled:
      detail::add_through_shared_memory(list, id, size, none);
      for (auto const& tile : {tile_shape{16, 16, 256}, {32, 32, 256}, {64, 64, 256}}) list.add(none, tile);
      break;
    case rung::vec_conflict_read:
    case rung::vec_padded:
    case rung::vec_swizzled:
      detail::add_through_shared_memory(list, id, size, read);
      list.add(read, {32, 32, by_size(size, 64, 128, 256, 256, 256)});
      list.add(read, {64, 64, 256});
      detail::add_through_shared_memory(list, id, size, write);
      detail::add_through_shared_memory(list, id, size, none);
      break;
    case rung::vec_both:
      list.add(both, by_size<tile_shape>(size, {256, 256, 256, 2}, {128, 128, 256}, {64, 64, 256}, {32, 32, 256}, {32, 16, 256}));
      list.add(both, by_size<tile_shape>(size, {256, 128, 128, 2}, {64, 64, 64}, {32, 32, 64}, {16, 16, 64}, {16, 16, 256}));
      list.add(both, by_size<tile_shape>(size, {128, 128, 64}, {256, 128, 256}, {128, 64, 256}, {64, 32, 256}, {32, 32, 256}));
      list.add(read, by_size<tile_shape>(size, {256, 128, 128, 2}, {256, 64, 256}, {128, 64, 256}, {32, 32, 256}, {32, 16, 256}));
      list.add(write, by_size<tile_shape>(size, {128, 32, 64, 12}, {128, 32, 128}, {64, 64, 256}, {32, 32, 256}, {32, 16, 256}));
      list.add(none, by_size<tile_shape>(size, {128, 32, 64, 12}, {128, 32, 128}, {128, 64, 256}, {128, 32, 256}, {32, 16, 256}));
      break;
    case rung::tma_store:
      for (int const width : {v, 1}) {
        access_widths const widths{width, kBox};
        bool const bytes_alone = size == 1 && width == 1;  // more of them per thread would spill
        list.add(widths, bytes_alone ? tile_shape{128, 128, 256}
                                     : by_size<tile_shape>(size, {128, 256, 128, 2}, {128, 128, 256}, {64, 64, 256},
                                                           {32, 32, 256}, {32, 16, 256}));
        if (width == v)
          list.add(widths, by_size<tile_shape>(size, {128, 128, 64}, {64, 64, 64}, {32, 32, 64}, {16, 16, 64}, {16, 16, 128}));
      }
      break;
    case rung::tma_conflict:
      list.add({kBox, kBox},
               by_size<tile_shape>(size, {128, 128, 256}, {64, 64, 256}, {64, 64, 256}, {32, 32, 256}, {32, 16, 256}));
      list.add({kBox, kBox},
               by_size<tile_shape>(size, {256, 128, 256}, {128, 64, 256}, {32, 32, 256}, {16, 16, 256}, {16, 16, 256}));
      break;
    case rung::tma:
      list.add({kBox, kBox},
               by_size<tile_shape>(size, {256, 128, 128}, {128, 128, 256}, {128, 64, 256}, {32, 32, 256}, {32, 16, 256}));
      list.add({kBox, kBox},
               by_size<tile_shape>(size, {128, 128, 64}, {64, 64, 64}, {64, 64, 256}, {64, 32, 256}, {16, 16, 128}));
      list.add({kBox, kBox}, by_size<tile_shape>(size, {128, 128, 64, 1, 2}, {128, 64, 128, 1, 2}, {64, 64, 256, 1, 2},
                                                 {32, 32, 256, 1, 2}, {32, 16, 256, 1, 2}));
      break;
    case rung::registers:
      list.add(both, by_size<tile_shape>(size, {256, 256, 256}, {128, 128, 256}, {128, 64, 512}, {32, 32, 256}, {16, 16, 256}));
      list.add(both, by_size<tile_shape>(size, {128, 128, 64}, {128, 64, 128}, {64, 64, 256}, {64, 32, 512}, {32, 16, 256}));
      list.add(both, by_size<tile_shape>(size, {128, 256, 128}, {64, 64, 64}, {64, 32, 128}, {32, 32, 128}, {32, 32, 256}));
      list.add(read, by_size<tile_shape>(size, {64, 128, 256}, {64, 64, 256}, {64, 64, 256}, {32, 32, 256}, {16, 16, 256}));
      list.add(write, by_size<tile_shape>(size, {128, 64, 256}, {64, 64, 256}, {64, 64, 256}, {32, 32, 256}, {16, 16, 256}));
      list.add(none, by_size<tile_shape>(size, {64, 64, 256}, {64, 64, 256}, {64, 64, 256}, {32, 32, 256}, {16, 16, 256}));
      break;
    case rung::register_shuffle:
      list.add(both, by_size<tile_shape>(size, {256, 256, 512}, {128, 128, 128}, {64, 64, 256}, {64, 64, 512}, {64, 32, 256}));
      list.add(both, by_size<tile_shape>(size, {256, 128, 256}, {128, 128, 256}, {128, 64, 256}, {64, 32, 256}, {32, 32, 256}));
      if (v > 1) list.add(none, {64, 64, 128});
      break;
  }
  return list;
}

}  // namespace cornerturn
