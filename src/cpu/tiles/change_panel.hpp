#pragma once

#include "cornerturn/element_operation.hpp"
#include "cpu/panel.hpp"

namespace cornerturn::cpu {

/// Transposes the rows of a panel and changes their elements by the panel's `changer`, in vector registers. Returns the number of
/// rows that it has transposed: all of them, or with beta those that fill whole pairs of cache lines; none of a panel that is
/// smaller than a square of vectors.
using panel_changer = offset (*)(streamed_panel const&);

/// The function for an operation; null if there is none for its types, or for the vectors of this processor.
panel_changer panel_changer_of(element_operation const& operation);

}  // namespace cornerturn::cpu
