// change_row.cpp and change_panel.cpp include this file for each target, inside its namespace. The functions convert vectors of
// elements to numbers and back, as `number_of` and `element_of` do for single elements.

namespace hn = hwy::HWY_NAMESPACE;

/// True if elements of type T are converted by vectors. The other types are integers for which few processors have instructions.
template <class T, class C>
inline constexpr bool kHasVectors =
    std::is_floating_point_v<C> && !std::is_same_v<T, std::uint32_t> && !(std::is_integral_v<T> && sizeof(T) == 8) &&
    !(std::is_same_v<T, double> && std::is_same_v<C, float>);

/// True if Highway converts 16-bit floating-point numbers by instructions of the processor, which round to the nearest even.
inline constexpr bool kHasF16 = HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL;

/// Loads elements of type T, one for each lane of D.
template <class T, class D>
HWY_INLINE hn::Vec<hn::Rebind<T, D>> load_lanes(D, std::byte const* from) {
  const hn::Rebind<T, D> lanes;
  return hn::BitCast(lanes,
                     hn::LoadU(hn::Repartition<std::uint8_t, decltype(lanes)>(), reinterpret_cast<std::uint8_t const*>(from)));
}

/// Stores a vector. With `Streams`, `to` is aligned to the vector, and vectors that are not too short are stored past the caches.
template <bool Streams, class D, class V>
HWY_INLINE void store_lanes(D, V v, std::byte* to) {
  const hn::Repartition<std::uint8_t, D> all;
  auto* const at = reinterpret_cast<std::uint8_t*>(to);
  if constexpr (Streams && hn::MaxLanes(all) >= kVectorBlock)
    hn::Stream(hn::BitCast(all, v), all, at);
  else
    hn::StoreU(hn::BitCast(all, v), all, at);
}

/// The places within a block of the bytes of integers of `Size` bytes, reversed.
template <int Size>
struct reversed_places {
  alignas(kVectorBlock) std::uint8_t places[kVectorBlock];
  constexpr reversed_places() : places() {
    for (int i = 0; i < int(kVectorBlock); ++i) places[i] = std::uint8_t(i / Size * Size + Size - 1 - i % Size);
  }
};

/// Swaps the bytes of each integer of `Size` bytes of a vector.
template <int Size, class D, class V>
HWY_INLINE V with_bytes_swapped(D d, V v) {
  static constexpr reversed_places<Size> kReversed;
  const hn::Repartition<std::uint8_t, D> all;
  return hn::BitCast(d, hn::TableLookupBytes(hn::BitCast(all, v), hn::LoadDup128(all, kReversed.places)));
}

/// Decodes the codes of a small floating-point format to numbers of 32 bits.
template <class D, class V>
HWY_INLINE hn::Vec<D> numbers_of_codes(D d, V codes, element::small_format format) {
  const hn::RebindToUnsigned<D> bits;
  const hn::RebindToSigned<D> whole;
  auto const set = [&](std::uint32_t value) HWY_ATTR { return hn::Set(bits, value); };
  int const shift = 23 - format.mantissa_bits;
  auto const magnitude = hn::And(codes, set(format.sign() - 1));
  auto const normal = hn::Add(hn::ShiftLeftSame(magnitude, shift), set(std::uint32_t(127 - format.bias()) << 23));
  auto const least = hn::Set(d, std::bit_cast<float>(std::uint32_t(128 - format.bias() - format.mantissa_bits) << 23));
  auto const subnormal = hn::BitCast(bits, hn::Mul(hn::ConvertTo(d, hn::BitCast(whole, magnitude)), least));
  auto const is_below = [&](std::uint32_t limit) HWY_ATTR {
    return hn::RebindMask(bits, hn::Lt(hn::BitCast(whole, magnitude), hn::Set(whole, std::int32_t(limit))));
  };
  auto result = hn::IfThenElse(is_below(1u << format.mantissa_bits), subnormal, normal);
  if (format.has_infinity) {
    auto const beyond = hn::Or(hn::ShiftLeftSame(magnitude, shift), set(0x7f800000u));  // keeps the bits of NaN
    result = hn::IfThenElse(is_below(format.infinity()), result, beyond);
  } else {
    result = hn::IfThenElse(is_below(format.largest() + 1), result, set(0x7fc00000u));
  }
  auto const sign = hn::ShiftLeftSame(hn::And(codes, set(format.sign())), 31 - format.mantissa_bits - format.exponent_bits);
  return hn::BitCast(d, hn::Or(result, sign));
}

/// Applies `rounded_bits` to each number.
template <class D>
HWY_INLINE hn::Vec<hn::RebindToUnsigned<D>> rounded_codes(D d, hn::Vec<D> numbers, element::small_format format, bool saturate) {
  const hn::RebindToUnsigned<D> bits;
  const hn::RebindToSigned<D> whole;
  auto const set = [&](std::uint32_t value) HWY_ATTR { return hn::Set(bits, value); };
  auto const is_below = [&](auto some, std::uint32_t limit) HWY_ATTR {
    return hn::RebindMask(bits, hn::Lt(hn::BitCast(whole, some), hn::Set(whole, std::int32_t(limit))));
  };
  int const dropped = 23 - format.mantissa_bits;
  auto const all = hn::BitCast(bits, numbers), magnitude = hn::And(all, set(0x7fffffffu));
  auto const odd = hn::And(hn::ShiftRightSame(magnitude, dropped), set(1));
  auto const even = hn::Add(hn::Add(magnitude, set((1u << (dropped - 1)) - 1)), odd);
  auto code = hn::Sub(hn::ShiftRightSame(even, dropped), set(std::uint32_t(127 - format.bias()) << format.mantissa_bits));
  if (format.bias() < 127) {
    // The last bit of this sum is the least subnormal number of the format.
    auto const aligner = std::uint32_t(127 + 24 - format.bias() - format.mantissa_bits) << 23;
    auto const sum = hn::Add(hn::BitCast(d, magnitude), hn::BitCast(d, set(aligner)));
    auto const subnormal = hn::Sub(hn::BitCast(bits, sum), set(aligner));
    code = hn::IfThenElse(is_below(magnitude, std::uint32_t(128 - format.bias()) << 23), subnormal, code);
  }
  unsigned const beyond = saturate ? format.largest() : format.has_infinity ? format.infinity() : format.nan();
  code = hn::IfThenElse(is_below(code, format.largest() + 1), code, set(beyond));
  code = hn::IfThenElse(is_below(magnitude, 0x7f800001u), code, set(format.nan()));
  return hn::Or(code, hn::ShiftRightSame(hn::And(all, set(0x80000000u)), 31 - format.mantissa_bits - format.exponent_bits));
}

/// Applies `rounded_bits` for bf16 to each number. A carry out of the mantissa raises the exponent, at most to infinity's.
template <class D>
HWY_INLINE hn::Vec<hn::RebindToUnsigned<D>> rounded_to_bf16([[maybe_unused]] D d, hn::Vec<D> numbers) {
  const hn::RebindToUnsigned<D> bits;
  auto const set = [&](std::uint32_t value) HWY_ATTR { return hn::Set(bits, value); };
  auto const all = hn::BitCast(bits, numbers);
  auto const odd = hn::And(hn::ShiftRight<16>(all), set(1));
  auto const even = hn::Add(hn::Add(all, set(0x7fff)), odd);
  auto const nan = hn::Or(hn::And(all, set(0x80000000u)), set(element::bf16_bits::kFormat.nan() << 16));
  return hn::ShiftRight<16>(hn::IfThenElse(hn::RebindMask(bits, hn::IsNaN(numbers)), nan, even));
}

/// A vector of the bits of elements of type T, one for each lane of D.
template <class T, class D>
using raw_vector = hn::Vec<hn::Rebind<hwy::UnsignedFromSize<sizeof(T)>, D>>;

/// Converts elements to numbers, one in each lane.
template <class T, class D>
HWY_INLINE hn::Vec<D> numbers_in(D d, raw_vector<T, D> raw) {
  using C = hn::TFromD<D>;
  const hn::RebindToSigned<D> whole;
  const hn::RebindToUnsigned<D> bits;
  if constexpr (std::is_same_v<T, C>) {
    return hn::BitCast(d, raw);
  } else if constexpr (std::is_same_v<C, double>) {
    if constexpr (std::is_same_v<T, std::int32_t>)
      return hn::PromoteTo(d, hn::BitCast(hn::Rebind<T, D>(), raw));
    else
      return hn::PromoteTo(d, numbers_in<T>(hn::Rebind<float, D>(), raw));
  } else if constexpr (std::is_same_v<T, std::int32_t>) {
    return hn::ConvertTo(d, hn::BitCast(whole, raw));
  } else if constexpr (std::is_integral_v<T>) {
    return hn::ConvertTo(d, hn::PromoteTo(whole, hn::BitCast(hn::Rebind<T, D>(), raw)));
  } else if constexpr (std::is_same_v<T, element::boolean_bits>) {
    return hn::IfThenZeroElse(hn::RebindMask(d, hn::Eq(hn::PromoteTo(whole, raw), hn::Zero(whole))), hn::Set(d, 1.0f));
  } else if constexpr (std::is_same_v<T, element::f16_bits> && kHasF16) {
    return hn::PromoteTo(d, hn::BitCast(hn::Rebind<hwy::float16_t, D>(), raw));
  } else {
    auto const codes = hn::PromoteTo(bits, raw);
    if constexpr (std::is_same_v<T, element::bf16_bits>)
      return hn::BitCast(d, hn::ShiftLeft<16>(codes));
    else
      return numbers_of_codes(d, codes, T::kFormat);
  }
}

/// Converts the elements from `from` on to numbers, one in each lane.
template <class T, class D>
HWY_INLINE hn::Vec<D> load_numbers(D d, std::byte const* from) {
  return numbers_in<T>(d, load_lanes<hwy::UnsignedFromSize<sizeof(T)>>(d, from));
}

/// Clamps numbers to the range of an integer type, whose limits are exact in a lane. NaN becomes 0.
template <class T, class D>
HWY_INLINE hn::Vec<D> within_range(D d, hn::Vec<D> numbers) {
  using C = hn::TFromD<D>;
  auto const known = hn::IfThenElseZero(hn::Eq(numbers, numbers), numbers);
  return hn::Min(hn::Max(known, hn::Set(d, C(std::numeric_limits<T>::min()))), hn::Set(d, C(std::numeric_limits<T>::max())));
}

/// Converts doubles to numbers of 32 bits that round to every smaller format as the doubles do (round to odd): they are truncated
/// to 24 bits, and the last bit is set to 1 if a bit was lost. Numbers that are subnormal with 32 bits are rounded to a multiple
/// of 2^-133, the least subnormal number of bf16, instead.
template <class D>
HWY_INLINE hn::Vec<hn::Rebind<float, D>> with_sticky_bit(D d, hn::Vec<D> numbers) {
  constexpr std::uint64_t kLost = (std::uint64_t(1) << 29) - 1;
  const hn::RebindToUnsigned<D> bits;
  auto const all = hn::BitCast(bits, numbers);
  auto const carry = hn::Add(hn::And(all, hn::Set(bits, kLost)), hn::Set(bits, kLost));  // bit 29 is 1 if a bit is lost
  auto const kept = hn::AndNot(hn::Set(bits, kLost), hn::Or(all, carry));
  auto const aligner = hn::Set(d, 0x1p-81);  // the last bit of this number is 2^-133
  auto const tiny = hn::CopySign(hn::Sub(hn::Add(hn::Abs(numbers), aligner), aligner), numbers);
  auto const is_tiny = hn::Lt(hn::Abs(numbers), hn::Set(d, 0x1p-126));
  return hn::DemoteTo(hn::Rebind<float, D>(), hn::IfThenElse(is_tiny, tiny, hn::BitCast(d, kept)));
}

/// The elements that are nearest to numbers.
template <class T, class D>
HWY_INLINE raw_vector<T, D> elements_of(D d, hn::Vec<D> numbers, bool saturate) {
  using C = hn::TFromD<D>;
  const hn::Rebind<hwy::UnsignedFromSize<sizeof(T)>, D> raw;
  const hn::Rebind<std::int32_t, D> whole;
  if constexpr (std::is_same_v<T, C>) {
    return hn::BitCast(raw, numbers);
  } else if constexpr (std::is_same_v<C, double>) {
    const hn::Rebind<float, D> narrow;
    if constexpr (std::is_same_v<T, float>)
      return hn::BitCast(raw, hn::DemoteTo(narrow, numbers));
    else if constexpr (std::is_same_v<T, std::int32_t>)
      return hn::BitCast(raw, hn::DemoteTo(whole, within_range<T>(d, numbers)));
    else if constexpr (std::is_integral_v<T>)
      return elements_of<T>(narrow, hn::ConvertTo(narrow, hn::DemoteTo(whole, within_range<T>(d, numbers))), saturate);
    else if constexpr (std::is_same_v<T, element::boolean_bits>)
      return elements_of<T>(narrow, hn::DemoteTo(narrow, hn::IfThenZeroElse(hn::Eq(numbers, hn::Zero(d)), hn::Set(d, 1.0))),
                            saturate);
    else
      return elements_of<T>(narrow, with_sticky_bit(d, numbers), saturate);
  } else if constexpr (std::is_same_v<T, std::int32_t>) {
    auto const known = hn::IfThenElseZero(hn::Eq(numbers, numbers), numbers);
    auto const beyond = hn::RebindMask(whole, hn::Ge(known, hn::Set(d, 0x1p31f)));
    auto const least = hn::ConvertTo(whole, hn::Max(known, hn::Set(d, -0x1p31f)));
    return hn::BitCast(raw, hn::IfThenElse(beyond, hn::Set(whole, std::numeric_limits<T>::max()), least));
  } else if constexpr (std::is_integral_v<T>) {
    return hn::BitCast(raw, hn::DemoteTo(hn::Rebind<T, D>(), hn::ConvertTo(whole, within_range<T>(d, numbers))));
  } else if constexpr (std::is_same_v<T, element::boolean_bits>) {
    auto const is_zero = hn::RebindMask(whole, hn::Eq(numbers, hn::Zero(d)));
    return hn::DemoteTo(raw, hn::IfThenZeroElse(is_zero, hn::Set(whole, 1)));
  } else if constexpr (std::is_same_v<T, element::f16_bits> && kHasF16) {
    return hn::BitCast(raw, hn::DemoteTo(hn::Rebind<hwy::float16_t, D>(), numbers));
  } else if constexpr (std::is_same_v<T, element::bf16_bits>) {
    return hn::TruncateTo(raw, rounded_to_bf16(d, numbers));
  } else {
    return hn::TruncateTo(raw, rounded_codes(d, numbers, T::kFormat, saturate));
  }
}

/// Stores the elements that are nearest to numbers, as `store_lanes` does.
template <class T, bool Streams = false, class D>
HWY_INLINE void store_numbers(D d, hn::Vec<D> numbers, std::byte* to, bool saturate) {
  store_lanes<Streams>(hn::Rebind<hwy::UnsignedFromSize<sizeof(T)>, D>(), elements_of<T>(d, numbers, saturate), to);
}

/// Calls body(i) with the first element i of each whole vector, then rest(i, n) if n elements remain from i on.
template <class Body, class Rest>
HWY_INLINE void for_vectors(std::int64_t lanes, std::int64_t count, Body const& body, Rest const& rest) {
  std::int64_t i = 0;
  for (; i + lanes <= count; i += lanes) body(i);
  if (i < count) rest(i, count - i);
}
