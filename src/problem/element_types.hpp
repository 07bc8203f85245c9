#pragma once

#include <string>

#include "cornerturn/element_operation.hpp"
#include "problem/problem.hpp"

namespace cornerturn {

/// True if each element has factors of its own.
inline bool is_affine(element_operation const& operation) { return operation.scale || operation.bias; }

/// The bytes of each number of scale and bias: 8 if the operation computes with 64 bits, else 4.
int factor_size(element_operation const& operation);

/// True if an operation copies the bits of each element: the types are equal, or integers of equal size, nothing is computed, and
/// the bytes of both sides or of neither are swapped.
bool copies_bits(element_operation const& operation);

/// True if an operation only swaps the bytes of each element, or of the parts of complex ones.
bool only_swaps(element_operation const& operation);

/// The sizes of an operation's elements in bytes.
element_sizes sizes_of(element_operation const& operation);

/// A problem of elements with these sizes, which the operation changes or, if it copies bits, which are copied. Throws `error`
/// for a complex source with a real destination, for complex factors with a real destination, for saturation to other types than
/// 8-bit floats, and for scale or bias with complex types, with alpha or beta, with another number of strides than the problem
/// has modes, or with strides that lead beyond 64 bits.
problem with_operation(problem given, element_operation const& operation);

/// The operation in one line, e.g. "f32 to bf16, alpha 0.5".
std::string to_string(element_operation const& operation);

}  // namespace cornerturn
