#pragma once

#include <memory>

#include "api/choice.hpp"
#include "cornerturn/element_operation.hpp"
#include "plan/prepared.hpp"
#include "plan/request_key.hpp"

namespace cornerturn {

/// Throws `error` for a pair of types that `quantize` does not support.
void expect_quantizable(element_type source, element_type type);

/// The key of a call in the plan cache.
request_key key_of(quantize_layout const& layout, where const& at);

/// A plan of this layout without a choice yet.
prepared_plan unplanned_for(quantize_layout const& layout, where const& at);

/// The candidates of a GPU for such a plan. Both arguments must outlive the selection, which refers to them.
selection selection_of(prepared_plan const& plan, quantize_layout const& layout);

/// Plans a matrix to quantise. Its steps need a `quantize_call` and, if the amax is wanted, its address as the destination.
std::shared_ptr<prepared_plan const> prepare_quantize(quantize_layout const& layout, where const& at);

}  // namespace cornerturn
