// change_row.cpp includes this file for each target, inside its namespace. The functions convert vectors of elements to numbers
// and back, as `number_of` and `element_of` do for single elements.

namespace hn = hwy::HWY_NAMESPACE;

/// True if elements of type T are converted by vectors. The other types are integers for which few processors have instructions.
template <class T, class C>
inline constexpr bool kHasVectors =
    std::is_floating_point_v<C> && !std::is_same_v<T, std::uint32_t> && !(std::is_integral_v<T> && sizeof(T) == 8) &&
    !(std::is_same_v<T, double> && std::is_same_v<C, float>);

/// True if Highway converts 16-bit floating-point numbers by instructions of the processor, which round to the nearest even.
inline constexpr bool kHasF16 = HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL;

/// Loads as many lanes of T as D has.
template <class T, class D>
HWY_INLINE hn::Vec<hn::Rebind<T, D>> load_lanes(D, std::byte const* from) {
  const hn::Rebind<T, D> lanes;
  return hn::BitCast(lanes,
                     hn::LoadU(hn::Repartition<std::uint8_t, decltype(lanes)>(), reinterpret_cast<std::uint8_t const*>(from)));
}

/// Stores a vector. If it `Streams`, `to` is aligned to the vector, which goes past the caches, unless it is too short for that.
template <bool Streams, class D, class V>
HWY_INLINE void store_lanes(D, V v, std::byte* to) {
  const hn::Repartition<std::uint8_t, D> all;
  auto* const at = reinterpret_cast<std::uint8_t*>(to);
  if constexpr (Streams && hn::MaxLanes(all) >= kVectorBlock)
    hn::Stream(hn::BitCast(all, v), all, at);
  else
    hn::StoreU(hn::BitCast(all, v), all, at);
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

template <class T>
inline constexpr element::small_format kFormatOf = {};
template <>
inline constexpr element::small_format kFormatOf<element::f8_e4m3fn_bits> = element::kF8E4M3FN;
template <>
inline constexpr element::small_format kFormatOf<element::f8_e5m2_bits> = element::kF8E5M2;
template <>
inline constexpr element::small_format kFormatOf<element::f16_bits> = element::kF16;
template <>
inline constexpr element::small_format kFormatOf<element::bf16_bits> = element::kBF16;

/// Converts the elements from `from` on to numbers, one in each lane.
template <class T, class D>
HWY_INLINE hn::Vec<D> load_numbers(D d, std::byte const* from) {
  using C = hn::TFromD<D>;
  const hn::RebindToSigned<D> whole;
  const hn::RebindToUnsigned<D> bits;
  if constexpr (std::is_same_v<T, C>) {
    return load_lanes<T>(d, from);
  } else if constexpr (std::is_same_v<C, double>) {
    if constexpr (std::is_same_v<T, std::int32_t>)
      return hn::PromoteTo(d, load_lanes<T>(d, from));
    else
      return hn::PromoteTo(d, load_numbers<T>(hn::Rebind<float, D>(), from));
  } else if constexpr (std::is_same_v<T, std::int32_t>) {
    return hn::ConvertTo(d, load_lanes<T>(d, from));
  } else if constexpr (std::is_integral_v<T>) {
    return hn::ConvertTo(d, hn::PromoteTo(whole, load_lanes<T>(d, from)));
  } else if constexpr (std::is_same_v<T, element::boolean_bits>) {
    auto const all = hn::PromoteTo(whole, load_lanes<std::uint8_t>(d, from));
    return hn::IfThenZeroElse(hn::RebindMask(d, hn::Eq(all, hn::Zero(whole))), hn::Set(d, 1.0f));
  } else if constexpr (std::is_same_v<T, element::f16_bits> && kHasF16) {
    return hn::PromoteTo(d, load_lanes<hwy::float16_t>(d, from));
  } else {
    auto const codes = hn::PromoteTo(bits, load_lanes<hwy::UnsignedFromSize<sizeof(T)>>(d, from));
    if constexpr (std::is_same_v<T, element::bf16_bits>)
      return hn::BitCast(d, hn::ShiftLeft<16>(codes));
    else
      return numbers_of_codes(d, codes, kFormatOf<T>);
  }
}

/// Clamps numbers to the range of an integer type, whose limits are exact in a lane. NaN becomes 0.
template <class T, class D>
HWY_INLINE hn::Vec<D> within_range(D d, hn::Vec<D> numbers) {
  using C = hn::TFromD<D>;
  auto const known = hn::IfThenElseZero(hn::Eq(numbers, numbers), numbers);
  return hn::Min(hn::Max(known, hn::Set(d, C(std::numeric_limits<T>::min()))), hn::Set(d, C(std::numeric_limits<T>::max())));
}

/// Converts doubles to numbers of 32 bits that round to every smaller format as the doubles do (round to odd): they are truncated
/// to 24 bits, of which the last is 1 if a bit was lost. Numbers that are subnormal with 32 bits are rounded to the least
/// subnormal number of bf16 instead.
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

/// Stores the elements that are nearest to numbers, as `store_lanes` does.
template <class T, bool Streams = false, class D>
HWY_INLINE void store_numbers(D d, hn::Vec<D> numbers, std::byte* to, bool saturate) {
  using C = hn::TFromD<D>;
  const hn::Rebind<std::int32_t, D> whole;
  if constexpr (std::is_same_v<T, C>) {
    store_lanes<Streams>(d, numbers, to);
  } else if constexpr (std::is_same_v<C, double>) {
    const hn::Rebind<float, D> narrow;
    if constexpr (std::is_same_v<T, float>)
      store_lanes<Streams>(narrow, hn::DemoteTo(narrow, numbers), to);
    else if constexpr (std::is_same_v<T, std::int32_t>)
      store_lanes<Streams>(whole, hn::DemoteTo(whole, within_range<T>(d, numbers)), to);
    else if constexpr (std::is_integral_v<T>)
      store_numbers<T, Streams>(narrow, hn::ConvertTo(narrow, hn::DemoteTo(whole, within_range<T>(d, numbers))), to, saturate);
    else if constexpr (std::is_same_v<T, element::boolean_bits>)
      store_numbers<T, Streams>(narrow, hn::DemoteTo(narrow, hn::IfThenZeroElse(hn::Eq(numbers, hn::Zero(d)), hn::Set(d, 1.0))), to,
                       saturate);
    else
      store_numbers<T, Streams>(narrow, with_sticky_bit(d, numbers), to, saturate);
  } else if constexpr (std::is_same_v<T, std::int32_t>) {
    auto const known = hn::IfThenElseZero(hn::Eq(numbers, numbers), numbers);
    auto const beyond = hn::RebindMask(whole, hn::Ge(known, hn::Set(d, 0x1p31f)));
    auto const least = hn::Max(known, hn::Set(d, -0x1p31f));
    store_lanes<Streams>(whole, hn::IfThenElse(beyond, hn::Set(whole, std::numeric_limits<T>::max()), hn::ConvertTo(whole, least)), to);
  } else if constexpr (std::is_integral_v<T>) {
    const hn::Rebind<T, D> lanes;
    store_lanes<Streams>(lanes, hn::DemoteTo(lanes, hn::ConvertTo(whole, within_range<T>(d, numbers))), to);
  } else if constexpr (std::is_same_v<T, element::boolean_bits>) {
    const hn::Rebind<std::uint8_t, D> lanes;
    auto const is_zero = hn::RebindMask(whole, hn::Eq(numbers, hn::Zero(d)));
    store_lanes<Streams>(lanes, hn::DemoteTo(lanes, hn::IfThenZeroElse(is_zero, hn::Set(whole, 1))), to);
  } else if constexpr (std::is_same_v<T, element::f16_bits> && kHasF16) {
    const hn::Rebind<hwy::float16_t, D> lanes;
    store_lanes<Streams>(lanes, hn::DemoteTo(lanes, numbers), to);
  } else {
    const hn::Rebind<hwy::UnsignedFromSize<sizeof(T)>, D> lanes;
    store_lanes<Streams>(lanes, hn::DemoteTo(lanes, hn::BitCast(whole, rounded_codes(d, numbers, kFormatOf<T>, saturate))), to);
  }
}

/// Calls body(i) with the first element i of each whole vector, and then rest(i, n) if n elements from i on are left.
template <class Body, class Rest>
HWY_INLINE void for_vectors(std::int64_t lanes, std::int64_t count, Body const& body, Rest const& rest) {
  std::int64_t i = 0;
  for (; i + lanes <= count; i += lanes) body(i);
  if (i < count) rest(i, count - i);
}
