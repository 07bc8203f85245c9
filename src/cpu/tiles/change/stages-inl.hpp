// change_row.cpp includes this file for each target, inside its namespace. The functions change elements of any two types in
// three stages, between which numbers are in the level 1 cache.

/// The most numbers that are changed at once: two for every element. They stay in the level 1 cache.
constexpr std::int64_t kAtOnce = 2 * cpu_limits::kMostAtOnce;

/// Converts elements to numbers. `numbers` has room for whole vectors.
template <class T, class C>
void load_array(std::byte const* from, void* numbers, std::int64_t count) {
  auto* const to = static_cast<C*>(numbers);
  constexpr auto kSize = std::int64_t(sizeof(T));
  if constexpr (kHasVectors<T, C>) {
#if HWY_TARGET != HWY_SCALAR
    const hn::CappedTag<C, kCacheLine / sizeof(C)> d;
    for_vectors(
        std::int64_t(hn::Lanes(d)), count,
        [&](std::int64_t i) HWY_ATTR { hn::StoreU(load_numbers<T>(d, from + i * kSize), d, to + i); },
        [&](std::int64_t i, std::int64_t left) HWY_ATTR {
          std::byte rest[hn::MaxLanes(d) * sizeof(T)] = {};
          std::memcpy(rest, from + i * kSize, std::size_t(left * kSize));
          hn::StoreU(load_numbers<T>(d, rest), d, to + i);
        });
#endif
  } else {
    for (std::int64_t i = 0; i < count; ++i) {
      T each;
      std::memcpy(&each, from + i * kSize, sizeof each);
      if constexpr (std::is_same_v<C, std::int64_t> && std::is_same_v<T, element::boolean_bits>)
        to[i] = each.bits != 0;
      else if constexpr (std::is_same_v<C, std::int64_t>)
        to[i] = C(each);
      else
        to[i] = element::number_of<C>(each);
    }
  }
}

/// Converts numbers to the nearest elements.
template <class T, class C>
void store_array(void const* numbers, std::byte* to, std::int64_t count, [[maybe_unused]] bool saturate) {
  auto const* const from = static_cast<C const*>(numbers);
  constexpr auto kSize = std::int64_t(sizeof(T));
  if constexpr (kHasVectors<T, C>) {
#if HWY_TARGET != HWY_SCALAR
    const hn::CappedTag<C, kCacheLine / sizeof(C)> d;
    for_vectors(
        std::int64_t(hn::Lanes(d)), count,
        [&](std::int64_t i) HWY_ATTR { store_numbers<T>(d, hn::Load(d, from + i), to + i * kSize, saturate); },
        [&](std::int64_t i, std::int64_t left) HWY_ATTR {
          std::byte rest[hn::MaxLanes(d) * sizeof(T)];
          store_numbers<T>(d, hn::Load(d, from + i), rest, saturate);
          std::memcpy(to + i * kSize, rest, std::size_t(left * kSize));
        });
#endif
  } else {
    for (std::int64_t i = 0; i < count; ++i) {
      T each;
      if constexpr (std::is_same_v<C, std::int64_t>)
        each = T(from[i]);
      else
        each = element::element_of<T>(from[i], saturate);
      std::memcpy(to + i * kSize, &each, sizeof each);
    }
  }
}

/// Computes the new numbers from the source's and, with `Reads`, the destination's numbers. There is room for whole vectors.
template <bool Reads, bool Across, class C>
void combine_array(part_factors<C> const& by, C* numbers, C const* old, std::int64_t count) {
#if HWY_TARGET != HWY_SCALAR
  if constexpr (HWY_NATIVE_FMA || !(Reads || Across)) {
    const hn::CappedTag<C, kCacheLine / sizeof(C)> d;
    vector_factors const factors(d, by);
    for (std::int64_t i = 0; i < count; i += std::int64_t(hn::Lanes(d)))
      hn::Store(combined<Reads, Across>(d, factors, hn::Load(d, numbers + i), hn::Load(d, old + i)), d, numbers + i);
    return;
  }
#endif
  using std::fma;
  for (std::int64_t i = 0; i < count; i += 2) {
    C const s[] = {numbers[i], numbers[i + 1]}, d[] = {old[i], old[i + 1]};
    for (int k = 0; k < 2; ++k) {
      C added = 0;
      if constexpr (Reads && Across) added = fma(by.beta[k], d[k], by.beta_across[k] * d[1 - k]);
      if constexpr (Across)
        numbers[i + k] = fma(by.alpha[k], s[k], fma(by.alpha_across[k], s[1 - k], added));
      else
        numbers[i + k] = element::combined<Reads>(by.alpha[k], s[k], by.beta[k], d[k]);
    }
  }
}

/// Buffers for the numbers between two stages, with room for a whole vector after the last number, and for elements whose bytes
/// are swapped.
template <class C>
struct number_room {
  alignas(kCacheLine) C source[kAtOnce + kCacheLine / sizeof(C)], old[kAtOnce + kCacheLine / sizeof(C)];
  std::byte native[kAtOnce * sizeof(std::uint64_t)];

  /// The elements in the processor's byte order, if `swap` is not null in the room's memory.
  std::byte const* in_native_order(functions::swap_bytes* swap, std::byte const* from, std::int64_t count) {
    if (!swap) return from;
    swap(from, native, count);
    return native;
  }
};

/// Reads `count` numbers of the source.
template <class C>
void load_source(element_changer const& by, number_room<C>& room, std::byte const* from, C* to, std::int64_t count) {
  auto const& stages = by.stages();
  stages.load(room.in_native_order(stages.swap_source, from, count), to, count);
}

/// Writes `count` numbers to the destination.
template <class C>
void store_destination(element_changer const& by, number_room<C> const& room, std::byte* to, std::int64_t count) {
  auto const& stages = by.stages();
  stages.store(room.source, to, count, by.factors.saturate);
  if (stages.swap_destination) stages.swap_destination(to, to, count);
}

/// Changes the numbers of `count` elements that were read, and writes the elements.
template <class C>
void finish_stages(element_changer const& by, number_room<C>& room, std::byte* to, std::int64_t count) {
  auto const& stages = by.stages();
  auto const parts = count * by.destination_parts;
  assert(parts <= kAtOnce && count * by.source_parts <= kAtOnce);
  if (by.source_parts < by.destination_parts)
    for (auto i = count; i-- > 0;) room.source[2 * i] = room.source[i], room.source[2 * i + 1] = 0;
  if constexpr (!std::is_same_v<C, std::int64_t>) {
    bool const reads = by.factors.reads_destination, across = by.factors.are_complex;
    part_factors<C> const factors(by.factors, by.factors.conjugate && by.source_parts == 2);
    if (reads) stages.load_old(room.in_native_order(stages.swap_destination, to, parts), room.old, parts);
    auto* const combine = reads ? (across ? combine_array<true, true, C> : combine_array<true, false, C>)
                                : (across ? combine_array<false, true, C> : combine_array<false, false, C>);
    combine(factors, room.source, room.old, parts);
  }
  store_destination(by, room, to, parts);
}

template <class C>
void change_row_by_stages(element_changer const& by, std::byte const* from, std::byte* to, std::int64_t count,
                          row_factors const&) {
  number_room<C> room;
  for (std::int64_t first = 0, many; first < count; first += many) {
    many = std::min(by.at_once, count - first);
    load_source(by, room, from + first * by.source_size, room.source, many * by.source_parts);
    finish_stages(by, room, to + first * by.destination_size, many);
  }
}

template <class C>
void change_lines_by_stages(element_changer const& by, std::byte const* const* rows, std::int64_t at, std::int64_t count,
                            std::byte* to) {
  number_room<C> room;
  auto const elements = kCacheLine / by.destination_size, most = std::max<std::int64_t>(1, by.at_once / elements);
  for (std::int64_t first = 0, many; first < count; first += many) {
    many = std::min(most, count - first);
    for (std::int64_t k = 0; k < many; ++k)
      load_source(by, room, rows[first + k] + at, room.source + k * elements * by.source_parts, elements * by.source_parts);
    finish_stages(by, room, to + first * kCacheLine, many * elements);
  }
}

/// True if elements of type T, or the parts of complex ones, become numbers of type C in some operation.
template <class T, class C>
inline constexpr bool kBecome = std::is_same_v<C, std::int64_t>
                                    ? (std::is_integral_v<T> || std::is_same_v<T, element::boolean_bits>)
                                    : (std::is_same_v<C, double> || !element::kIsWide<T>);
