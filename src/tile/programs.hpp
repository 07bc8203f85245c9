#pragma once

#include <type_traits>

#include "tile/catalogue.hpp"
#include "tile/copy.hpp"
#include "tile/naive.hpp"
#include "tile/smem.hpp"
#include "tile/vec_both.hpp"

namespace cornerturn::tile {

/// The program behind a rung for an element type and its access widths.
template <rung Rung, class T, int N_V, int M_V>
constexpr auto select_program() {
  constexpr tile_shape shape = tile_of(Rung, sizeof(T), {N_V, M_V});
  constexpr int M = shape.rows, N = shape.cols;
  if constexpr (Rung == rung::copy)
    return std::type_identity<copy<T, shape.threads, N_V>>{};
  else if constexpr (Rung == rung::naive_read)
    return std::type_identity<naive<T, M, N, reads_coalesce<M, N>>>{};
  else if constexpr (Rung == rung::naive_write)
    return std::type_identity<naive<T, M, N, writes_coalesce<M, N>>>{};
  else if constexpr (Rung == rung::vec_both)
    return std::type_identity<vec_both<T, M, N, shape.threads, shape.blocks, N_V, M_V>>{};
  else {
    using layout = std::conditional_t<Rung == rung::smem_conflict_read || Rung == rung::vec_conflict_read, source_major<T, M, N>,
                                      std::conditional_t<Rung == rung::smem_conflict_write, destination_major<T, M, N>,
                                                         std::conditional_t<Rung == rung::smem_padded || Rung == rung::vec_padded,
                                                                            padded<T, M, N>, swizzled<T, M, N>>>>;
    return std::type_identity<smem<T, M, N, shape.threads, layout, N_V, M_V>>{};
  }
}
template <rung Rung, class T, int N_V, int M_V>
using program = typename decltype(select_program<Rung, T, N_V, M_V>())::type;

/// Calls visit(program) with the program of a rung and its access widths, which are those that a plan may choose: single
/// elements, or vectors of 16 bytes where the rung has them.
template <class T, class Visit>
void visit_program(rung id, access_widths widths, Visit const& visit) {
  constexpr int V = 16 / int(sizeof(T));
  auto const with = [&]<rung Rung>(std::integral_constant<rung, Rung>) {
    constexpr bool kBoth = Rung == rung::copy || Rung == rung::vec_both, kMixed = is_vector_rung(Rung) && Rung != rung::copy;
    auto const try_widths = [&]<int N_V, int M_V, bool Exists>() {
      if constexpr (Exists)
        if (widths == access_widths{N_V, M_V}) visit(program<Rung, T, N_V, M_V>{});
    };
    try_widths.template operator()<1, 1, true>();
    try_widths.template operator()<V, V, kBoth && (V > 1)>();
    try_widths.template operator()<V, 1, kMixed && (V > 1)>();
    try_widths.template operator()<1, V, kMixed && (V > 1)>();
  };
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    ((id == kRungs[I].id ? with(std::integral_constant<rung, kRungs[I].id>{}) : void()), ...);
  }
  (std::make_index_sequence<kRungs.size()>{});
}

}  // namespace cornerturn::tile
