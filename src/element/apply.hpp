#pragma once

#include <type_traits>

#include "cornerturn/element_operation.hpp"
#include "element/convert.hpp"

namespace cornerturn::element {

/// The factors and options of an `element_operation` for elements whose types are known.
struct factors {
  double alpha = 1, alpha_imaginary = 0, beta = 0, beta_imaginary = 0;
  bool conjugate = false, saturate = false;
  bool are_complex = false;        ///< an imaginary part is not 0
  bool reads_destination = false;  ///< beta is not 0
  bool computes = false;           ///< alpha is not 1, beta is not 0, or there is a scale or a bias

  static factors of(element_operation const& each) {
    bool const reads = each.beta != 0.0;
    return {each.alpha.real(),
            each.alpha.imag(),
            each.beta.real(),
            each.beta.imag(),
            each.conjugate,
            each.saturate,
            each.alpha.imag() != 0 || each.beta.imag() != 0,
            reads,
            each.alpha != 1.0 || reads || each.scale || each.bias};
  }
};

/// alpha * s + beta * d, rounded once. Without beta * d, a zero keeps its sign.
template <bool Reads, class C>
CORNERTURN_HOST_DEVICE C combined(C alpha, C s, C beta, C d) {
  using std::fma;
  if constexpr (Reads)
    return fma(alpha, s, beta * d);
  else
    return alpha * s;
}

/// The new number of a real element with the number s: alpha * s + beta * d.
template <bool Reads, class C>
CORNERTURN_HOST_DEVICE C changed_number(factors const& by, C s, C d) {
  return combined<Reads>(C(by.alpha), s, C(by.beta), d);
}

/// The factor and the summand that change nothing. Only -0 keeps the sign of every zero.
template <class C>
inline constexpr C kNoScale = 1;
template <class C>
inline constexpr C kNoBias = C(-0.0);

/// The new element of type D: scale * s + bias.
template <class D, class C, class S>
CORNERTURN_HOST_DEVICE D scaled(S s, C scale, C bias, bool saturate) {
  using std::fma;
  return element_of<D>(fma(scale, number_of<C>(s), bias), saturate);
}

/// The new element of type D: alpha * op(s) + beta * d. `Reads` is `by.reads_destination`; without it, `d` is not used.
template <bool Reads, class D, class S>
CORNERTURN_HOST_DEVICE D applied(factors const& by, S s, [[maybe_unused]] D d) {
  using C = compute_type<S, D>;
  using std::fma;
  if constexpr (kIsComplex<D>) {
    using part = decltype(D::real);
    C real, imaginary = 0;
    if constexpr (kIsComplex<S>)
      real = C(s.real), imaginary = C(by.conjugate ? -s.imaginary : s.imaginary);
    else
      real = number_of<C>(s);
    C const old_real = C(d.real), old_imaginary = C(d.imaginary), a = C(by.alpha), b = C(by.beta);
    if (by.are_complex) {
      C const ai = C(by.alpha_imaginary), bi = C(by.beta_imaginary);
      C const from_old = Reads ? fma(b, old_real, -(bi * old_imaginary)) : C(0),
              from_old_imaginary = Reads ? fma(b, old_imaginary, bi * old_real) : C(0);
      return {part(fma(a, real, fma(-ai, imaginary, from_old))), part(fma(a, imaginary, fma(ai, real, from_old_imaginary)))};
    }
    return {part(combined<Reads>(a, real, b, old_real)), part(combined<Reads>(a, imaginary, b, old_imaginary))};
  } else if constexpr (kIsComplex<S>) {
    return D{};  // refused when the operation is stated
  } else {
    if constexpr ((std::is_integral_v<S> || std::is_same_v<S, boolean_bits>)&&std::is_integral_v<D>)
      if (!by.computes) {
        if constexpr (std::is_same_v<S, boolean_bits>)
          return D(s.bits != 0);
        else
          return D(s);
      }
    C old = 0;
    if constexpr (Reads) old = number_of<C>(d);
    return element_of<D>(changed_number<Reads>(by, number_of<C>(s), old), by.saturate);
  }
}

}  // namespace cornerturn::element
