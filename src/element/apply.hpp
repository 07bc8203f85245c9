#pragma once

#include <cmath>
#include <cstdint>
#include <type_traits>

#include "element/convert.hpp"

namespace cornerturn::element {

/// The factors and options of an `element_operation` for elements whose types are known.
struct factors {
  double alpha = 1, alpha_imaginary = 0, beta = 0, beta_imaginary = 0;
  bool conjugate = false, saturate = false;
  bool are_complex = false;  ///< an imaginary part is not 0
  bool computes = true;      ///< alpha is not 1 or beta is not 0

  static factors of(element_operation const& each) {
    return {each.alpha.real(),
            each.alpha.imag(),
            each.beta.real(),
            each.beta.imag(),
            each.conjugate,
            each.saturate,
            each.alpha.imag() != 0 || each.beta.imag() != 0,
            each.alpha != 1.0 || each.beta != 0.0};
  }
  CORNERTURN_HOST_DEVICE bool reads_destination() const { return beta != 0 || beta_imaginary != 0; }
};

/// alpha * s + beta * d, rounded once. Without d, the sign of a zero stays.
template <class C>
CORNERTURN_HOST_DEVICE C combined(C alpha, C s, C beta, C const* d) {
  using std::fma;
  return d ? fma(alpha, s, beta * *d) : alpha * s;
}

/// The new element of type D: alpha * op(s) + beta * d. `d` is null unless beta is other than 0.
template <class D, class S>
CORNERTURN_HOST_DEVICE D applied(factors const& by, S s, D const* d) {
  using C = compute_type<S, D>;
  using std::fma;
  if constexpr (kIsComplex<D>) {
    using part = decltype(D::real);
    C real, imaginary = 0;
    if constexpr (kIsComplex<S>)
      real = C(s.real), imaginary = C(by.conjugate ? -s.imaginary : s.imaginary);
    else
      real = number_of<C>(s);
    C const old_real = d ? C(d->real) : C(0), old_imaginary = d ? C(d->imaginary) : C(0);
    C const a = C(by.alpha), b = C(by.beta);
    if (by.are_complex) {
      C const ai = C(by.alpha_imaginary), bi = C(by.beta_imaginary);
      C const from_old = d ? fma(b, old_real, -(bi * old_imaginary)) : C(0),
              from_old_imaginary = d ? fma(b, old_imaginary, bi * old_real) : C(0);
      return {part(fma(a, real, fma(-ai, imaginary, from_old))), part(fma(a, imaginary, fma(ai, real, from_old_imaginary)))};
    }
    return {part(combined(a, real, b, d ? &old_real : nullptr)), part(combined(a, imaginary, b, d ? &old_imaginary : nullptr))};
  } else if constexpr (kIsComplex<S>) {
    return D{};  // refused when the operation is stated
  } else {
    constexpr bool kAreWhole = (std::is_integral_v<S> || std::is_same_v<S, boolean_bits>) && std::is_integral_v<D>;
    if constexpr (kAreWhole)
      if (!by.computes) {
        if constexpr (std::is_same_v<S, boolean_bits>)
          return D(s.bits != 0);
        else
          return D(s);
      }
    C const old = d ? number_of<C>(*d) : C(0);
    return element_of<D>(combined(C(by.alpha), number_of<C>(s), C(by.beta), d ? &old : nullptr), by.saturate);
  }
}

}  // namespace cornerturn::element
