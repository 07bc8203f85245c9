#pragma once

#include "cornerturn/element_operation.hpp"

namespace cornerturn {

/// Throws `error` for a pair of types that `quantize` does not support.
void expect_quantizable(element_type source, element_type type);

}  // namespace cornerturn
