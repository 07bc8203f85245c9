// change_row.cpp includes this file for each target, inside its namespace. The functions change elements of two types in one
// loop. Numbers stay in vector registers.

#if HWY_TARGET != HWY_SCALAR

/// Changes elements from one type to another. Numbers stay in vector registers.
template <bool Reads, bool Across, class S, class D>
struct fused {
  using C = element::compute_type<S, D>;
  using source = typename part_type<S>::type;
  using destination = typename part_type<D>::type;
  using tag = hn::CappedTag<C, kCacheLine / sizeof(C)>;
  static constexpr auto kRead = std::int64_t(sizeof(source)), kWritten = std::int64_t(sizeof(destination));

  static HWY_INLINE vector_factors<tag> factors_of(element_changer const& by) {
    return {tag(), part_factors<C>(by.factors, by.factors.conjugate && element::kIsComplex<S>)};
  }

  template <bool Streams>
  static HWY_INLINE void change_vector(vector_factors<tag> const& by, bool saturate, std::byte const* from, std::byte* to) {
    constexpr tag d;
    auto old = hn::Zero(d);
    if constexpr (Reads) old = load_numbers<destination>(d, to);
    store_numbers<destination, Streams>(d, combined<Reads, Across>(d, by, load_numbers<source>(d, from), old), to, saturate);
  }

  template <bool Streams>
  static void change_row(element_changer const& by, std::byte const* from, std::byte* to, std::int64_t count,
                         row_factors const&) {
    auto const factors = factors_of(by);
    bool const saturate = by.factors.saturate;
    for_vectors(
        std::int64_t(hn::Lanes(tag())), count * std::int64_t(sizeof(S)) / kRead,
        [&](std::int64_t i) HWY_ATTR { change_vector<Streams>(factors, saturate, from + i * kRead, to + i * kWritten); },
        [&](std::int64_t i, std::int64_t left) HWY_ATTR {
          std::byte before[hn::MaxLanes(tag()) * sizeof(source)] = {}, after[hn::MaxLanes(tag()) * sizeof(destination)] = {};
          std::memcpy(before, from + i * kRead, std::size_t(left * kRead));
          if constexpr (Reads) std::memcpy(after, to + i * kWritten, std::size_t(left * kWritten));
          change_vector<false>(factors, saturate, before, after);
          std::memcpy(to + i * kWritten, after, std::size_t(left * kWritten));
        });
  }

  static void change_lines(element_changer const& by, std::byte const* const* rows, std::int64_t at, std::int64_t count,
                           std::byte* to) {
    constexpr auto kParts = kCacheLine / kWritten;
    auto const factors = factors_of(by);
    bool const saturate = by.factors.saturate;
    for (std::int64_t k = 0; k < count; ++k)
      for (std::int64_t i = 0; i < kParts; i += std::int64_t(hn::Lanes(tag())))
        change_vector<false>(factors, saturate, rows[k] + at + i * kRead, to + k * kCacheLine + i * kWritten);
  }

  static constexpr functions all() { return {.row = change_row<false>, .stream = change_row<true>, .lines = change_lines}; }
};

#endif

/// The functions for a pair of types that has loops of its own; empty for other pairs.
functions fused_functions([[maybe_unused]] element_operation const& operation) {
  functions result;
#if HWY_TARGET != HWY_SCALAR
  auto const by = element::factors::of(operation);
  element::visit_compiled_pair(operation, [&]<class S, class D>(element::type_pair<S, D>) {
    if (!by.reads_destination && !by.are_complex) result = fused<false, false, S, D>::all();
#if HWY_NATIVE_FMA
    if (by.reads_destination && !by.are_complex) result = fused<true, false, S, D>::all();
    if constexpr (element::kIsComplex<D>)
      if (by.are_complex) result = by.reads_destination ? fused<true, true, S, D>::all() : fused<false, true, S, D>::all();
#endif
  });
#endif
  return result;
}
