#pragma once

#include "cornerturn/element_operation.hpp"

namespace cornerturn {

/// Throws `error` for types that `quantize` does not make of each other.
void expect_quantizable(element_type source, element_type type);

}  // namespace cornerturn
