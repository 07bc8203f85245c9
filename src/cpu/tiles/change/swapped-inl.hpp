// change_row.cpp includes this file for each target, inside its namespace. The functions swap the bytes of numbers.

/// Numbers of type T, an unsigned integer, whose bytes are swapped.
template <class T>
struct swapped {
  static constexpr auto kSize = std::int64_t(sizeof(T)), kInLine = kCacheLine / kSize;

  template <bool Streams>
  static void change_each(std::byte const* from, std::byte* to, std::int64_t count) {
    std::int64_t i = 0;
#if HWY_TARGET != HWY_SCALAR
    const hn::CappedTag<T, kInLine> d;
    for (auto const lanes = std::int64_t(hn::Lanes(d)); i + lanes <= count; i += lanes)
      store_lanes<Streams>(d, with_bytes_swapped<kSize>(d, load_lanes<T>(d, from + i * kSize)), to + i * kSize);
#endif
    for (; i < count; ++i) {
      T each;
      std::memcpy(&each, from + i * kSize, sizeof each);
      each = element::swapped_integer(each);
      std::memcpy(to + i * kSize, &each, sizeof each);
    }
  }

  template <bool Streams>
  static void change_row(element_changer const& by, std::byte const* from, std::byte* to, std::int64_t count,
                         row_factors const&) {
    change_each<Streams>(from, to, count * by.source_parts);
  }

  static void change_lines(element_changer const&, std::byte const* const* rows, std::int64_t at, std::int64_t count,
                           std::byte* to) {
    for (std::int64_t k = 0; k < count; ++k) change_each<false>(rows[k] + at, to + k * kCacheLine, kInLine);
  }

  static constexpr functions all() { return {.row = change_row<false>, .stream = change_row<true>, .lines = change_lines}; }
};

/// Calls visit(T{}) with the unsigned integer of the size of a type's numbers, which are the parts of complex elements.
template <class Visit>
auto with_integer(element_type type, Visit const& visit) {
  auto const size = size_of(type) / (1 + is_complex(type));
  return size == 2 ? visit(std::uint16_t()) : size == 4 ? visit(std::uint32_t()) : visit(std::uint64_t());
}

/// The function that swaps the numbers of a type, one after another.
functions::swap_bytes* swap_of_parts(element_type type) {
  return with_integer(type, []<class T>(T) { return &swapped<T>::template change_each<false>; });
}

/// The functions of an operation that only swaps the bytes of this type.
functions swapping_functions(element_type type) {
  return with_integer(type, []<class T>(T) { return swapped<T>::all(); });
}
