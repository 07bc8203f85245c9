#include "cpu/tiles/change_row.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "cpu/sizes.hpp"
#include "cpu/tiles/tiles.hpp"
#include "element/pairs.hpp"
#include "element/select.hpp"
#include "problem/element_types.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/tiles/change_row.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

// Highway compiles this file once for each target (a set of instructions). The files below belong to the target's namespace. Each
// file uses files of the paragraphs before it.
HWY_BEFORE_NAMESPACE();
namespace cornerturn::cpu::HWY_NAMESPACE {

using functions = element_changer::functions;

#if HWY_TARGET == HWY_SCALAR

template <class T, class C>
inline constexpr bool kHasVectors = false;

#else
#include "cpu/tiles/change/numbers-inl.hpp"
#endif

#include "cpu/tiles/change/factors-inl.hpp"

#include "cpu/tiles/change/swapped-inl.hpp"

#include "cpu/tiles/change/fused-inl.hpp"
#include "cpu/tiles/change/stages-inl.hpp"

#include "cpu/tiles/change/scale-inl.hpp"

/// The functions that change elements of any two types by stages.
template <class C>
functions staged_functions(element_operation const& operation) {
  functions result{.row = change_row_by_stages<C>, .lines = change_lines_by_stages<C>};
  if constexpr (std::is_floating_point_v<C>)
    if (is_affine(operation)) result.row = scale_row<C>, set_scaling_rows(operation, result);
  if (operation.source_swapped) result.swap_source = swap_of_parts(operation.source);
  if (operation.destination_swapped) result.swap_destination = swap_of_parts(operation.destination);
  element::visit_type(operation.source, [&]<class T>(T) {
    using part = typename part_type<T>::type;
    if constexpr (kBecome<part, C>) result.load = load_array<part, C>;
  });
  element::visit_type(operation.destination, [&]<class T>(T) {
    using part = typename part_type<T>::type;
    if constexpr (kBecome<part, C>) result.load_old = load_array<part, C>, result.store = store_array<part, C>;
  });
  return result;
}

functions functions_of(element_operation const& operation) {
  if (only_swaps(operation)) return swapping_functions(operation.source);
  if (auto const found = is_affine(operation) ? functions() : fused_functions(operation); found.row) return found;
  auto const types = element::selected_types::of(operation);
  return types.are_whole ? staged_functions<std::int64_t>(operation)
         : types.is_wide ? staged_functions<double>(operation)
                         : staged_functions<float>(operation);
}

}  // namespace cornerturn::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cornerturn::cpu {

HWY_EXPORT(functions_of);

element_changer::element_changer(element_operation const& operation, std::int64_t most_at_once)
    : factors(element::factors::of(operation)),
      scale(operation.scale),
      bias(operation.bias),
      source_size(size_of(operation.source)),
      destination_size(size_of(operation.destination)),
      source_parts(1 + is_complex(operation.source)),
      destination_parts(1 + is_complex(operation.destination)),
      at_once(most_at_once),
      functions_(HWY_DYNAMIC_DISPATCH(functions_of)(operation)),
      panel_(panel_changer_of(operation)) {
  assert(1 <= at_once && at_once <= cpu_limits::kMostAtOnce);
}

}  // namespace cornerturn::cpu
#endif
