#pragma once

#include <complex>
#include <type_traits>

#include "cornerturn/element_operation.hpp"

namespace cornerturn {

/// The type of elements that are float, double or complex numbers of these.
template <class T>
inline constexpr element_type kTypeOf = std::is_same_v<T, float>                 ? element_type::f32
                                        : std::is_same_v<T, double>              ? element_type::f64
                                        : std::is_same_v<T, std::complex<float>> ? element_type::c64
                                                                                 : element_type::c128;

}  // namespace cornerturn
