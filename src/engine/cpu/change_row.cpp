#include "engine/cpu/change_row.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "element/pairs.hpp"
#include "engine/cpu/tiles.hpp"
#include "plan/cpu_sizes.hpp"
#include "problem/element_types.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu/change_row.cpp"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

// Highway compiles this file once for each target.
HWY_BEFORE_NAMESPACE();
namespace cornerturn::cpu::HWY_NAMESPACE {

using functions = element_changer::functions;

/// The numbers that are changed at once. They stay in the level 1 cache.
constexpr std::int64_t kAtOnce = 512;

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

#if HWY_TARGET == HWY_SCALAR

template <class T, class C>
inline constexpr bool kHasVectors = false;

#else

#include "engine/cpu/numbers-inl.hpp"

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

/// Calls body(i) with the first element i of each whole vector, and then rest(i, n) if n elements from i on are left.
template <class Body, class Rest>
HWY_INLINE void for_vectors(std::int64_t lanes, std::int64_t count, Body const& body, Rest const& rest) {
  std::int64_t i = 0;
  for (; i + lanes <= count; i += lanes) body(i);
  if (i < count) rest(i, count - i);
}

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

/// Computes the new numbers from those of the source and, with `Reads`, of the destination. There is room for whole vectors.
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

/// Buffers for the numbers between two stages, with room for a whole vector after the last number.
template <class C>
struct number_room {
  alignas(kCacheLine) C source[kAtOnce + kCacheLine / sizeof(C)], old[kAtOnce + kCacheLine / sizeof(C)];
};

/// Changes the numbers of `count` elements that were read, and writes the elements.
template <class C>
void finish_stages(element_changer const& by, number_room<C>& room, std::byte* to, std::int64_t count) {
  auto const& stages = by.stages();
  auto const parts = count * by.destination_parts;
  if (by.source_parts < by.destination_parts)
    for (auto i = count; i-- > 0;) room.source[2 * i] = room.source[i], room.source[2 * i + 1] = 0;
  if constexpr (!std::is_same_v<C, std::int64_t>) {
    bool const reads = by.factors.reads_destination, across = by.factors.are_complex;
    part_factors<C> const factors(by.factors, by.factors.conjugate && by.source_parts == 2);
    if (reads) stages.load_old(to, room.old, parts);
    auto* const combine = reads ? (across ? combine_array<true, true, C> : combine_array<true, false, C>)
                                : (across ? combine_array<false, true, C> : combine_array<false, false, C>);
    combine(factors, room.source, room.old, parts);
  }
  stages.store(room.source, to, parts, by.factors.saturate);
}

template <class C>
void change_row_by_stages(element_changer const& by, std::byte const* from, std::byte* to, std::int64_t count,
                          row_factors const&) {
  number_room<C> room;
  std::int64_t const most = kAtOnce / 2;
  for (std::int64_t first = 0, many; first < count; first += many) {
    many = std::min(most, count - first);
    by.stages().load(from + first * by.source_size, room.source, many * by.source_parts);
    finish_stages(by, room, to + first * by.destination_size, many);
  }
}

template <class C>
void change_lines_by_stages(element_changer const& by, std::byte const* const* rows, std::int64_t at, std::int64_t count,
                            std::byte* to) {
  number_room<C> room;
  auto const elements = kCacheLine / by.destination_size, most = kAtOnce / 2 / elements;
  for (std::int64_t first = 0, many; first < count; first += many) {
    many = std::min(most, count - first);
    for (std::int64_t k = 0; k < many; ++k)
      by.stages().load(rows[first + k] + at, room.source + k * elements * by.source_parts, elements * by.source_parts);
    finish_stages(by, room, to + first * kCacheLine, many * elements);
  }
}

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
    many = std::min(kAtOnce, count - first);
    by.stages().load(from + first * by.source_size, room.source, many);
    if (first == 0 || !is_one) {
      row_factors const here{along.first + first * along.step, along.step};
      auto const needed = is_one ? 1 : many;
      read_factors(by.scale, here, element::kNoScale<C>, scale, needed);
      read_factors(by.bias, here, element::kNoBias<C>, room.old, needed);
    }
    (is_one ? scale_array<true, C> : scale_array<false, C>)(room.source, scale, room.old, many);
    by.stages().store(room.source, to + first * by.destination_size, many, by.factors.saturate);
  }
}

/// The type of an element's parts.
template <class T>
struct part_type {
  using type = T;
};
template <class T>
struct part_type<element::complex_of<T>> {
  using type = T;
};

/// True if elements of type T, or the parts of complex ones, become numbers of type C in some operation.
template <class T, class C>
inline constexpr bool kBecome = std::is_same_v<C, std::int64_t>
                                    ? (std::is_integral_v<T> || std::is_same_v<T, element::boolean_bits>)
                                    : (std::is_same_v<C, double> || !element::kIsWide<T>);

#if HWY_TARGET != HWY_SCALAR && HWY_NATIVE_FMA

template <class S, class D, class Tag, class V>
HWY_INLINE void scale_vector(Tag d, V scale, V bias, bool saturate, std::byte const* from, std::byte* to) {
  store_numbers<D>(d, hn::MulAdd(scale, load_numbers<S>(d, from), bias), to, saturate);
}

/// Changes a row that has one scale and one bias, and keeps its numbers in vectors. Other rows change by stages.
template <class S, class D>
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
      [&](std::int64_t i) HWY_ATTR { scale_vector<S, D>(d, scale, bias, saturate, from + i * kRead, to + i * kWritten); },
      [&](std::int64_t i, std::int64_t left) HWY_ATTR {
        std::byte before[hn::MaxLanes(d) * sizeof(S)] = {}, after[hn::MaxLanes(d) * sizeof(D)];
        std::memcpy(before, from + i * kRead, std::size_t(left * kRead));
        scale_vector<S, D>(d, scale, bias, saturate, before, after);
        std::memcpy(to + i * kWritten, after, std::size_t(left * kWritten));
      });
}

#endif

/// The row function with scale and bias: that of the two types if they have a loop of their own, else `otherwise`.
decltype(functions::row) scaling_row([[maybe_unused]] element_operation const& operation, decltype(functions::row) otherwise) {
  auto result = otherwise;
#if HWY_TARGET != HWY_SCALAR && HWY_NATIVE_FMA
  element::visit_pair_of(element::compiled_affine_pairs{}, operation.source, operation.destination,
                         [&]<class S, class D>(element::type_pair<S, D>) { result = scale_row_in_vectors<S, D>; });
#endif
  return result;
}

/// The functions that change elements of any two types by stages.
template <class C>
functions staged_functions(element_operation const& operation) {
  functions result{.row = change_row_by_stages<C>, .lines = change_lines_by_stages<C>};
  if constexpr (std::is_floating_point_v<C>)
    if (is_affine(operation)) result.row = scaling_row(operation, scale_row<C>);
  element::visit_type(operation.source, [&]<class T>(T) {
    using part = typename part_type<T>::type;
    if constexpr (kBecome<part, C>) result.load = load_array<part, C>;
  });
  element::visit_type(operation.destination, [&]<class T>(T) {
    using part = typename part_type<T>::type;
    if constexpr (kBecome<part, C>) result.load_old = load_array<part, C>, result.store = store_array<part, C>;
  });
  return result;
}

#if HWY_TARGET != HWY_SCALAR

/// Changes elements between two types whose numbers stay in vector registers.
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

  static HWY_INLINE void change_vector(vector_factors<tag> const& by, bool saturate, std::byte const* from, std::byte* to) {
    constexpr tag d;
    auto old = hn::Zero(d);
    if constexpr (Reads) old = load_numbers<destination>(d, to);
    store_numbers<destination>(d, combined<Reads, Across>(d, by, load_numbers<source>(d, from), old), to, saturate);
  }

  static void change_row(element_changer const& by, std::byte const* from, std::byte* to, std::int64_t count,
                         row_factors const&) {
    auto const factors = factors_of(by);
    bool const saturate = by.factors.saturate;
    for_vectors(
        std::int64_t(hn::Lanes(tag())), count * std::int64_t(sizeof(S)) / kRead,
        [&](std::int64_t i) HWY_ATTR { change_vector(factors, saturate, from + i * kRead, to + i * kWritten); },
        [&](std::int64_t i, std::int64_t left) HWY_ATTR {
          std::byte before[hn::MaxLanes(tag()) * sizeof(source)] = {}, after[hn::MaxLanes(tag()) * sizeof(destination)] = {};
          std::memcpy(before, from + i * kRead, std::size_t(left * kRead));
          if constexpr (Reads) std::memcpy(after, to + i * kWritten, std::size_t(left * kWritten));
          change_vector(factors, saturate, before, after);
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
        change_vector(factors, saturate, rows[k] + at + i * kRead, to + k * kCacheLine + i * kWritten);
  }

  static constexpr functions all() { return {.row = change_row, .lines = change_lines}; }
};

#endif

/// The functions for two types that have loops of their own. Empty for other types.
functions fused_functions([[maybe_unused]] element_operation const& operation) {
  functions result;
#if HWY_TARGET != HWY_SCALAR
  auto const by = element::factors::of(operation);
  element::visit_compiled_pair(operation.source, operation.destination, [&]<class S, class D>(element::type_pair<S, D>) {
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

functions functions_of(element_operation const& operation) {
  if (auto const found = is_affine(operation) ? functions() : fused_functions(operation); found.row) return found;
  auto const is_wide = [](element_type type) {
    return element::visit_type(type, []<class T>(T) { return element::kIsWide<T>; });
  };
  bool const are_whole = (is_integer(operation.source) || operation.source == element_type::boolean) &&
                         is_integer(operation.destination) && !element::factors::of(operation).computes;
  return are_whole                                                     ? staged_functions<std::int64_t>(operation)
         : is_wide(operation.source) || is_wide(operation.destination) ? staged_functions<double>(operation)
                                                                       : staged_functions<float>(operation);
}

void stream_lines(std::byte const* from, std::byte* to, std::int64_t bytes) {
#if HWY_TARGET == HWY_SCALAR
  std::memcpy(to, from, std::size_t(bytes));
#else
  const hn::CappedTag<std::uint8_t, kCacheLine> d;
  auto const* const read = reinterpret_cast<std::uint8_t const*>(from);
  auto* const written = reinterpret_cast<std::uint8_t*>(to);
  for (std::int64_t at = 0; at < bytes; at += std::int64_t(hn::Lanes(d))) hn::Stream(hn::LoadU(d, read + at), d, written + at);
#endif
}

}  // namespace cornerturn::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cornerturn::cpu {

HWY_EXPORT(functions_of);
HWY_EXPORT(stream_lines);

element_changer::element_changer(element_operation const& operation)
    : factors(element::factors::of(operation)),
      scale(operation.scale),
      bias(operation.bias),
      source_size(size_of(operation.source)),
      destination_size(size_of(operation.destination)),
      source_parts(1 + is_complex(operation.source)),
      destination_parts(1 + is_complex(operation.destination)),
      functions_(HWY_DYNAMIC_DISPATCH(functions_of)(operation)) {}

void stream_row(std::byte const* from, std::byte* to, std::int64_t bytes) {
  auto const head = std::min(bytes, std::int64_t(-reinterpret_cast<std::uintptr_t>(to) % kCacheLine));
  auto const lines = (bytes - head) / kCacheLine * kCacheLine, tail = bytes - head - lines;
  std::memcpy(to, from, std::size_t(head));
  HWY_DYNAMIC_DISPATCH(stream_lines)(from + head, to + head, lines);
  std::memcpy(to + head + lines, from + head + lines, std::size_t(tail));
}

void end_streams() { hwy::FlushStream(); }

}  // namespace cornerturn::cpu
#endif
