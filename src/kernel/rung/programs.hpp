#pragma once

#include <type_traits>
#include <utility>

#include "kernel/rung/copy.hpp"
#include "kernel/rung/copy_tma.hpp"
#include "kernel/rung/naive.hpp"
#include "kernel/rung/register_shuffle.hpp"
#include "kernel/rung/registers.hpp"
#include "kernel/rung/smem.hpp"
#include "kernel/rung/tma.hpp"
#include "kernel/rung/tma_store.hpp"
#include "kernel/rung/variants.hpp"
#include "kernel/rung/vec_both.hpp"

namespace cornerturn::tile {

/// The layout of an M x N tile in shared memory.
template <smem_layout Layout, class T, int M, int N>
constexpr auto select_layout() {
  if constexpr (Layout == smem_layout::source_major) {
    return std::type_identity<source_major<T, M, N>>{};
  } else if constexpr (Layout == smem_layout::destination_major) {
    return std::type_identity<destination_major<T, M, N>>{};
  } else if constexpr (Layout == smem_layout::padded) {
    return std::type_identity<padded<T, M, N>>{};
  } else {
    static_assert(Layout == smem_layout::swizzled);
    return std::type_identity<swizzled<T, M, N>>{};
  }
}

/// The program of a rung for an element type, in one of its variants.
template <rung Rung, class T, int Variant>
constexpr auto select_program() {
  constexpr variant form = variants_of(Rung, sizeof(T)).items[Variant];
  constexpr int M = form.tile.rows, N = form.tile.cols, kThreads = form.tile.threads, kBlocks = form.tile.blocks;
  constexpr int N_V = form.widths.source, M_V = form.widths.destination;
  if constexpr (Rung == rung::copy) {
    return std::type_identity<copy<T, M, N, kThreads, N_V>>{};
  } else if constexpr (Rung == rung::copy_tma) {
    return std::type_identity<copy_tma<T, M, N, kThreads>>{};
  } else if constexpr (Rung == rung::naive_read) {
    return std::type_identity<naive<T, M, N, reads_coalesce<M, N>>>{};
  } else if constexpr (Rung == rung::naive_write) {
    return std::type_identity<naive<T, M, N, writes_coalesce<M, N>>>{};
  } else if constexpr (Rung == rung::vec_both) {
    return std::type_identity<vec_both<T, M, N, kThreads, kBlocks, N_V, M_V>>{};
  } else if constexpr (Rung == rung::tma_store) {
    return std::type_identity<tma_store<T, M, N, kThreads, kBlocks, N_V>>{};
  } else if constexpr (Rung == rung::tma_conflict) {
    return std::type_identity<tma<T, M, N, kThreads, kBlocks, form.tile.tiles, unswizzled<T, M, N, kThreads>>>{};
  } else if constexpr (Rung == rung::tma) {
    return std::type_identity<tma<T, M, N, kThreads, kBlocks, form.tile.tiles, diagonal<T, M, N, kThreads>>>{};
  } else if constexpr (Rung == rung::registers) {
    return std::type_identity<registers<T, M, N, kThreads, kBlocks, N_V, M_V>>{};
  } else if constexpr (Rung == rung::register_shuffle) {
    return std::type_identity<register_shuffle<T, M, N, kThreads, N_V>>{};
  } else {
    using layout = typename decltype(select_layout<info_of(Rung).layout, T, M, N>())::type;
    return std::type_identity<smem<T, M, N, kThreads, layout, N_V, M_V>>{};
  }
}
template <rung Rung, class T, int Variant>
using program = typename decltype(select_program<Rung, T, Variant>())::type;

namespace detail {

/// Calls visit(program) if the variant is of this use and has these widths and this tile.
template <class T, variant_use Use, rung Rung, int Variant, class Visit>
void visit_variant(access_widths widths, tile_shape const& tile, Visit const& visit) {
  constexpr variant form = variants_of(Rung, sizeof(T)).items[Variant];
  if constexpr (form.use == Use) {
    static_assert(program<Rung, T, Variant>::kRaster == info_of(Rung).order);
    if (form.widths == widths && form.tile == tile) visit(program<Rung, T, Variant>{});
  }
}

}  // namespace detail

/// Calls visit(program) with the program of a rung in the variant with these widths and this tile, if the variant has this use.
template <class T, variant_use Use, class Visit>
void visit_program(rung id, access_widths widths, tile_shape const& tile, Visit const& visit) {
  auto const with = [&]<rung Rung, int... Variant>(std::integral_constant<rung, Rung>, std::integer_sequence<int, Variant...>) {
    (detail::visit_variant<T, Use, Rung, Variant>(widths, tile, visit), ...);
  };
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    ((id == kRungs[I].id ? with(std::integral_constant<rung, kRungs[I].id>{},
                                std::make_integer_sequence<int, variants_of(kRungs[I].id, sizeof(T)).count>{})
                         : void()),
     ...);
  }
  (std::make_index_sequence<kRungs.size()>{});
}

}  // namespace cornerturn::tile
