// change_panel.cpp includes this file for each target, inside its namespace. The types are ways in which `transpose_lines`
// changes the elements of a panel.

/// Numbers of type C that fill a cache line.
template <class C>
using line_of_numbers = hn::CappedTag<C, kCacheLine / sizeof(C)>;

/// The factors of a panel's operation for vectors of numbers, of source elements of type S.
template <class S, class C>
HWY_INLINE vector_factors<line_of_numbers<C>> factors_of(streamed_panel const& t) {
  auto const& by = t.changer->factors;
  return {line_of_numbers<C>(), part_factors<C>(by, by.conjugate && element::kIsComplex<S>)};
}

/// Combines a cache line of numbers with the old numbers of the destination. The line is stored to the caches, because reading
/// the old numbers has brought it there.
template <bool Across, class C>
struct combined_line {
  static constexpr bool kReads = true;
  vector_factors<line_of_numbers<C>> factors;

  template <class D, class V>
  HWY_INLINE V with_old(D d, V v, V old) const {
    constexpr line_of_numbers<C> numbers;
    return hn::BitCast(d, combined<true, Across>(numbers, factors, hn::BitCast(numbers, v), hn::BitCast(numbers, old)));
  }
  template <class D, class V>
  HWY_INLINE void store(D d, V v, bytes* to) const {
    hn::Store(with_old(d, v, hn::Load(d, to)), d, to);
  }
  template <class D, class V, class M>
  HWY_INLINE void store_part(D d, V v, M mask, bytes* to) const {
    hn::BlendedStore(with_old(d, v, hn::MaskedLoad(mask, d, to)), mask, d, to);
  }
};

/// Changes transposed elements of type S, of one or two vectors, to two cache lines. With `Reads` only their type changes,
/// because the lines are combined with the destination.
template <bool Reads, bool Across, class S, class D, class Stores>
struct changed_stores {
  using C = element::compute_type<S, D>;
  using source = typename part_type<S>::type;
  using destination = typename part_type<D>::type;
  Stores stores;
  vector_factors<line_of_numbers<C>> factors;

  template <class Raw, class V>
  HWY_INLINE hn::Vec<Raw> changed(Raw d, V v) const {
    constexpr line_of_numbers<C> numbers;
    auto from =
        numbers_in<source>(numbers, hn::BitCast(hn::Rebind<hwy::UnsignedFromSize<sizeof(source)>, line_of_numbers<C>>(), v));
    if constexpr (!Reads) from = combined<false, Across>(numbers, factors, from, from);
    return hn::BitCast(d, elements_of<destination>(numbers, from, false));
  }

  template <class Raw, class V>
  HWY_INLINE void operator()(Raw d, offset column, V first, V second) const {
    stores(d, column, changed(d, first), changed(d, second));
  }
  template <class Raw, class V>
  HWY_INLINE void operator()(Raw d, offset column, V v) const {
    const hn::Half<Raw> half;
    stores(d, column, changed(d, hn::LowerHalf(half, v)), changed(d, hn::UpperHalf(half, v)));
  }
};

/// Elements change after they were transposed: both types have the same size, or the destination's elements have twice the bytes.
/// Numbers are computed in the type of the destination's elements, or of their parts.
template <bool Reads, bool Across, class S, class D>
struct changed_after {
  using C = element::compute_type<S, D>;
  static constexpr int kSize = sizeof(S);
  static constexpr offset kUnit = sizeof(D), kAlignment = Reads ? kUnit : std::min<offset>(kUnit, 4);
  using rows = plain_rows<kSize, 2 * kCacheLine / kUnit>;
  using line = std::conditional_t<Reads, combined_line<Across, C>, streamed_line>;

  static HWY_INLINE line line_of(streamed_panel const& t) {
    if constexpr (Reads)
      return {factors_of<S, C>(t)};
    else
      return {};
  }
  template <class Stores>
  static HWY_INLINE changed_stores<Reads, Across, S, D, Stores> stores(streamed_panel const& t, Stores const& stores) {
    return {stores, factors_of<S, C>(t)};
  }
};

/// Swaps the bytes of transposed numbers of `Part` bytes.
template <int Part, class Stores>
struct swapped_stores {
  Stores stores;

  template <class Raw, class V>
  HWY_INLINE void operator()(Raw d, offset column, V first, V second) const {
    stores(d, column, with_bytes_swapped<Part>(d, first), with_bytes_swapped<Part>(d, second));
  }
};

/// The bytes of elements, or of their parts of `Part` bytes, are swapped after they were transposed.
template <int Size, int Part>
struct swapped_after : copied<Size> {
  template <class Stores>
  static HWY_INLINE swapped_stores<Part, Stores> stores(streamed_panel const&, Stores const& stores) {
    return {stores};
  }
};

/// Rows whose elements change as they are loaded. An element has half the bytes in the destination.
template <class S, class D>
struct narrowed_rows {
  using C = element::compute_type<S, D>;
  static constexpr offset kCount = 2 * kCacheLine / offset(sizeof(D));
  bytes const* rows[kCount];

  explicit narrowed_rows(streamed_panel const& t) : factors_(factors_of<S, C>(t)) {}
  offset unit() const { return sizeof(S); }
  HWY_INLINE void change(offset, offset, offset) const {}
  template <class Raw>
  HWY_INLINE hn::Vec<Raw> load(Raw d, offset row, offset column) const {
    auto const* const from = reinterpret_cast<std::byte const*>(rows[row] + column * offset(sizeof(S)));
    return hn::Combine(d, half(d, from + kCacheLine), half(d, from));
  }

 private:
  template <class Raw>
  HWY_INLINE hn::Vec<hn::Half<Raw>> half(Raw, std::byte const* from) const {
    constexpr line_of_numbers<C> numbers;
    static_assert(sizeof(S) == sizeof(C) && sizeof(S) == 2 * sizeof(D));
    auto const changed = combined<false, false>(numbers, factors_, load_numbers<S>(numbers, from), hn::Zero(numbers));
    return hn::BitCast(hn::Half<Raw>(), elements_of<D>(numbers, changed, false));
  }

  vector_factors<line_of_numbers<C>> factors_;
};

/// Elements change before they are transposed, because fewer bytes are transposed then.
template <class S, class D>
struct changed_before : copied<sizeof(D)> {
  static constexpr offset kAlignment = std::min<offset>(sizeof(D), 4);
  using rows = narrowed_rows<S, D>;
};
