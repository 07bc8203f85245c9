#include "cpu/tiles/change_panel.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "cpu/sizes.hpp"
#include "cpu/tiles/change_row.hpp"
#include "cpu/tiles/plan.hpp"
#include "element/pairs.hpp"
#include "problem/element_types.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/tiles/change_panel.cpp"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

// Highway compiles this file once for each target (a set of instructions). The files below belong to the target's namespace. Each
// file uses files of the paragraphs before it.
HWY_BEFORE_NAMESPACE();
namespace cornerturn::cpu::HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR

panel_changer changer_of_panels(element_operation const&) { return nullptr; }

#else

#include "cpu/panel-inl.hpp"

#include "cpu/tiles/change/numbers-inl.hpp"
#include "cpu/transpose-inl.hpp"

#include "cpu/stream-inl.hpp"
#include "cpu/tiles/change/factors-inl.hpp"

#include "cpu/lines-inl.hpp"

#include "cpu/tiles/change/transposed-inl.hpp"

template <bool FillLines>
panel_changer changer_for_vectors(element_operation const& operation) {
  panel_changer result = nullptr;
  if constexpr (FillLines) {
    auto const by = element::factors::of(operation);
    element::visit_pair_of(element::transposed_pairs{}, operation, [&]<class S, class D>(element::type_pair<S, D>) {
      result = by.reads_destination ? transpose_lines<changed_after<true, false, S, D>>
                                    : transpose_lines<changed_after<false, false, S, D>>;
      if constexpr (element::kIsComplex<D>)
        if (by.are_complex)
          result = by.reads_destination ? transpose_lines<changed_after<true, true, S, D>>
                                        : transpose_lines<changed_after<false, true, S, D>>;
    });
    if (only_swaps(operation)) {
      bool const is_complex = cornerturn::is_complex(operation.source);
      auto const size = size_of(operation.source);
      result = size == 2   ? transpose_lines<swapped_after<2, 2>>
               : size == 4 ? transpose_lines<swapped_after<4, 4>>
               : size == 8 ? (is_complex ? transpose_lines<swapped_after<8, 4>> : transpose_lines<swapped_after<8, 8>>)
                           : transpose_lines<swapped_after<16, 8>>;
    }
    if (!by.reads_destination)
      element::visit_pair_of(element::narrowed_pairs{}, operation,
                             [&]<class S, class D>(element::type_pair<S, D>) { result = transpose_lines<changed_before<S, D>>; });
  }
  return result;
}

panel_changer changer_of_panels(element_operation const& operation) { return changer_for_vectors<kWholeLines>(operation); }

#endif

}  // namespace cornerturn::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cornerturn::cpu {

HWY_EXPORT(changer_of_panels);

panel_changer panel_changer_of(element_operation const& operation) { return HWY_DYNAMIC_DISPATCH(changer_of_panels)(operation); }

}  // namespace cornerturn::cpu
#endif
