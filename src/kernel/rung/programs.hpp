#pragma once

#include <utility>

#include "kernel/rung/copy.hpp"
#include "kernel/rung/copy_tma.hpp"
#include "kernel/rung/naive.hpp"
#include "kernel/rung/register_shuffle.hpp"
#include "kernel/rung/registers.hpp"
#include "kernel/rung/smem.hpp"
#include "kernel/rung/tma.hpp"
#include "kernel/rung/tma_store.hpp"
#include "kernel/rung/vec_both.hpp"

namespace cornerturn::tile {

/// The program of a rung for an element type, in one of its variants.
template <rung Rung, class T, int Variant>
using program = typename program_of<Rung, T, variants_of(Rung, sizeof(T)).items[Variant]>::type;

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
