// change_row.cpp includes this file for each target, inside its namespace. The functions change rows whose elements have a
// scale and a bias.

/// Copies the factors of `count` elements, or fills in `missing` if the operation has no factors of this kind.
template <class C>
void read_factors(void const* given, row_factors const& along, C missing, C* to, std::int64_t count) {
  if (!given) {
    std::fill_n(to, count, missing);
    return;
  }
  auto const* const from = static_cast<C const*>(given) + along.first;
  if (along.step == 1)
    std::copy_n(from, count, to);
  else
    for (std::int64_t i = 0; i < count; ++i) to[i] = from[i * along.step];
}

/// Computes scale * number + bias. There is room for whole vectors. If `IsOne`, there is one scale and one bias.
template <bool IsOne, class C>
void scale_array(C* numbers, C const* scale, C const* bias, std::int64_t count) {
#if HWY_TARGET != HWY_SCALAR
  if constexpr (HWY_NATIVE_FMA) {
    const hn::CappedTag<C, kCacheLine / sizeof(C)> d;
    auto const factors = [&](C const* from, std::int64_t i)
                             HWY_ATTR { return IsOne ? hn::Set(d, *from) : hn::Load(d, from + i); };
    for (std::int64_t i = 0; i < count; i += std::int64_t(hn::Lanes(d)))
      hn::Store(hn::MulAdd(factors(scale, i), hn::Load(d, numbers + i), factors(bias, i)), d, numbers + i);
    return;
  }
#endif
  for (std::int64_t i = 0; i < count; ++i) numbers[i] = std::fma(scale[IsOne ? 0 : i], numbers[i], bias[IsOne ? 0 : i]);
}

/// Changes a row whose elements have a scale and a bias.
template <class C>
void scale_row(element_changer const& by, std::byte const* from, std::byte* to, std::int64_t count, row_factors const& along) {
  number_room<C> room;
  alignas(kCacheLine) C scale[sizeof(room.source) / sizeof(C)];
  bool const is_one = along.step == 0;
  for (std::int64_t first = 0, many; first < count; first += many) {
    many = std::min(2 * by.at_once, count - first);
    assert(many <= kAtOnce);
    load_source(by, room, from + first * by.source_size, room.source, many);
    if (first == 0 || !is_one) {
      row_factors const here{along.first + first * along.step, along.step};
      auto const needed = is_one ? 1 : many;
      read_factors(by.scale, here, element::kNoScale<C>, scale, needed);
      read_factors(by.bias, here, element::kNoBias<C>, room.old, needed);
    }
    (is_one ? scale_array<true, C> : scale_array<false, C>)(room.source, scale, room.old, many);
    store_destination(by, room, to + first * by.destination_size, many);
  }
}

#if HWY_TARGET != HWY_SCALAR && HWY_NATIVE_FMA

template <class S, class D, bool Streams, class Tag, class V>
HWY_INLINE void scale_vector(Tag d, V scale, V bias, bool saturate, std::byte const* from, std::byte* to) {
  store_numbers<D, Streams>(d, hn::MulAdd(scale, load_numbers<S>(d, from), bias), to, saturate);
}

/// Changes a row that has one scale and one bias. Numbers stay in vectors. Other rows change by stages, and are not streamed.
template <class S, class D, bool Streams>
void scale_row_in_vectors(element_changer const& by, std::byte const* from, std::byte* to, std::int64_t count,
                          row_factors const& along) {
  using C = element::compute_type<S, D>;
  using tag = hn::CappedTag<C, kCacheLine / sizeof(C)>;
  constexpr tag d;
  if (along.step != 0) return scale_row<C>(by, from, to, count, along);
  C factors[2];
  read_factors(by.scale, along, element::kNoScale<C>, factors, 1);
  read_factors(by.bias, along, element::kNoBias<C>, factors + 1, 1);
  auto const scale = hn::Set(d, factors[0]), bias = hn::Set(d, factors[1]);
  bool const saturate = by.factors.saturate;
  constexpr auto kRead = std::int64_t(sizeof(S)), kWritten = std::int64_t(sizeof(D));
  for_vectors(
      std::int64_t(hn::Lanes(d)), count,
      [&](std::int64_t i)
          HWY_ATTR { scale_vector<S, D, Streams>(d, scale, bias, saturate, from + i * kRead, to + i * kWritten); },
      [&](std::int64_t i, std::int64_t left) HWY_ATTR {
        std::byte before[hn::MaxLanes(d) * sizeof(S)] = {}, after[hn::MaxLanes(d) * sizeof(D)];
        std::memcpy(before, from + i * kRead, std::size_t(left * kRead));
        scale_vector<S, D, false>(d, scale, bias, saturate, before, after);
        std::memcpy(to + i * kWritten, after, std::size_t(left * kWritten));
      });
}

#endif

/// Sets the functions of rows that have a scale and a bias, if the two types have loops of their own.
void set_scaling_rows([[maybe_unused]] element_operation const& operation, [[maybe_unused]] functions& all) {
#if HWY_TARGET != HWY_SCALAR && HWY_NATIVE_FMA
  element::visit_pair_of(element::compiled_affine_pairs{}, operation, [&]<class S, class D>(element::type_pair<S, D>) {
    all.row = scale_row_in_vectors<S, D, false>, all.stream = scale_row_in_vectors<S, D, true>;
  });
#endif
}
