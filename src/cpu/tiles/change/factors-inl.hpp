// change_row.cpp and change_panel.cpp include this file for each target, inside its namespace. The types hold the factors of an
// operation for vectors of numbers.

/// The type of an element's parts.
template <class T>
struct part_type {
  using type = T;
};
template <class T>
struct part_type<element::complex_of<T>> {
  using type = T;
};

/// The factors of the two parts of a complex element. Each part of the result is that part of the source times `alpha`, plus the
/// other part times `alpha_across`; `beta` and `beta_across` do the same for the destination. Both parts of a real element have
/// equal factors.
template <class C>
struct part_factors {
  C alpha[2], alpha_across[2], beta[2], beta_across[2];

  part_factors(element::factors const& by, bool conjugate)
      : alpha{C(by.alpha), conjugate ? -C(by.alpha) : C(by.alpha)},
        alpha_across{conjugate ? C(by.alpha_imaginary) : -C(by.alpha_imaginary), C(by.alpha_imaginary)},
        beta{C(by.beta), C(by.beta)},
        beta_across{-C(by.beta_imaginary), C(by.beta_imaginary)} {}
};

#if HWY_TARGET != HWY_SCALAR

/// The factors of a vector of parts.
template <class D>
struct vector_factors {
  hn::Vec<D> alpha, alpha_across, beta, beta_across;

  HWY_INLINE vector_factors(D d, part_factors<hn::TFromD<D>> const& by)
      : alpha(both(d, by.alpha)),
        alpha_across(both(d, by.alpha_across)),
        beta(both(d, by.beta)),
        beta_across(both(d, by.beta_across)) {}

 private:
  static HWY_INLINE hn::Vec<D> both(D d, hn::TFromD<D> const* parts) {
    return hn::OddEven(hn::Set(d, parts[1]), hn::Set(d, parts[0]));
  }
};

/// Computes alpha * s or, with `Reads`, alpha * s + beta * old. With `Across`, alpha and beta are complex.
template <bool Reads, bool Across, class D>
HWY_INLINE hn::Vec<D> combined(D d, vector_factors<D> const& by, hn::Vec<D> s, [[maybe_unused]] hn::Vec<D> old) {
  if constexpr (Across) {
    auto added = hn::Zero(d);
    if constexpr (Reads) added = hn::MulAdd(by.beta, old, hn::Mul(by.beta_across, hn::Reverse2(d, old)));
    return hn::MulAdd(by.alpha, s, hn::MulAdd(by.alpha_across, hn::Reverse2(d, s), added));
  } else if constexpr (Reads) {
    return hn::MulAdd(by.alpha, s, hn::Mul(by.beta, old));
  } else {
    return hn::Mul(by.alpha, s);
  }
}

#endif
