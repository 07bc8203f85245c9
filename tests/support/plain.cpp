#include "support/plain.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <type_traits>
#include <vector>

#include "element/apply.hpp"
#include "problem/element_types.hpp"

namespace cornerturn::test {
namespace {

/// Calls visit(source offset, destination offset, factor offset), in elements, for every index.
template <class Visit>
void for_each_index(problem const& p, Visit const& visit) {
  for (mode const& m : p.modes) {
    if (m.extent == 0) return;
  }
  mode const inner = p.modes.empty() ? mode() : p.modes.back();
  std::vector<std::int64_t> index(p.modes.empty() ? 0 : p.modes.size() - 1, 0);  // of the other modes
  std::int64_t from = p.source_offset, to = p.destination_offset, factor = p.factor_offset;
  auto const step = [&](mode const& m, std::int64_t times) {
    from += times * m.source_stride, to += times * m.destination_stride, factor += times * m.factor_stride;
  };
  for (;;) {
    for (std::int64_t i = 0; i < inner.extent; ++i)
      visit(from + i * inner.source_stride, to + i * inner.destination_stride, factor + i * inner.factor_stride);
    auto k = index.size();
    while (k > 0 && ++index[k - 1] == p.modes[k - 1].extent) {
      step(p.modes[k - 1], 1 - p.modes[k - 1].extent);
      index[--k] = 0;
    }
    if (k == 0) return;
    step(p.modes[k - 1], 1);
  }
}

/// Copies elements of `Size` bytes. The compiler knows this size, so it calls no function for an element.
template <std::int64_t Size>
void copy_elements(problem const& p, std::byte const* source, std::byte* destination) {
  for_each_index(p, [=](auto from, auto to, auto) { std::memcpy(destination + to * Size, source + from * Size, Size); });
}

/// The new element where each has factors of its own.
template <class S, class D>
D scaled(element_operation const& operation, S s, D d, std::int64_t factor) {
  if constexpr (element::kIsComplex<S> || element::kIsComplex<D>) {
    return d;
  } else {
    using C = element::compute_type<S, D>;
    auto const read = [&](void const* from, C missing) { return from ? static_cast<C const*>(from)[factor] : missing; };
    return element::scaled<D>(s, read(operation.scale, element::kNoScale<C>), read(operation.bias, element::kNoBias<C>),
                              operation.saturate);
  }
}

/// Reverses the bytes of an element, or of the parts of a complex one.
template <class T>
void reverse_bytes(T& each) {
  constexpr auto kPart = std::ptrdiff_t(sizeof(T) / (1 + element::kIsComplex<T>));
  auto* const first = reinterpret_cast<std::byte*>(&each);
  for (std::ptrdiff_t at = 0; at < std::ptrdiff_t(sizeof(T)); at += kPart) std::reverse(first + at, first + at + kPart);
}

/// Writes the new element at `to`. The loop that calls it is the same for all types, which compiles more quickly.
template <class S, class D>
void change_element(element_operation const& operation, element::factors const& by, std::byte const* from, std::byte* to,
                    std::int64_t factor) {
  S s;
  D d;
  std::memcpy(&s, from, sizeof s);
  std::memcpy(&d, to, sizeof d);
  if (operation.source_swapped) reverse_bytes(s);
  if (operation.destination_swapped) reverse_bytes(d);
  d = is_affine(operation)   ? scaled(operation, s, d, factor)
      : by.reads_destination ? element::applied<true>(by, s, d)
                             : element::applied<false>(by, s, d);
  if (operation.destination_swapped) reverse_bytes(d);
  std::memcpy(to, &d, sizeof d);
}

template <class T>
T unified(T each) {
  using namespace element;
  if constexpr (std::is_floating_point_v<T>)
    return each == each ? each : std::numeric_limits<T>::quiet_NaN();
  else if constexpr (kIsComplex<T>)
    return {unified(each.real), unified(each.imaginary)};
  else if constexpr (!std::is_integral_v<T> && !std::is_same_v<T, boolean_bits>)
    return number_of<float>(each) == number_of<float>(each) ? each
                                                            : element_of<T>(std::numeric_limits<float>::quiet_NaN(), false);
  else
    return each;
}

template <class T>
void unify_element(std::byte* at, bool swapped) {
  T each;
  std::memcpy(&each, at, sizeof each);
  if (swapped) reverse_bytes(each);
  each = unified(each);
  if (swapped) reverse_bytes(each);
  std::memcpy(at, &each, sizeof each);
}

}  // namespace

void permute_plainly(problem const& p, std::byte const* source, std::byte* destination) {
  if (p.operation && only_swaps(*p.operation)) {
    auto const size = p.element_size.source, part = size / (1 + is_complex(p.operation->source));
    return for_each_index(p, [&](auto from, auto to, auto) {
      for (std::int64_t at = 0; at < size; at += part)
        std::reverse_copy(source + from * size + at, source + from * size + at + part, destination + to * size + at);
    });
  }
  if (p.operation) {
    auto const& operation = *p.operation;
    decltype(&change_element<float, float>) change = nullptr;
    element::visit_type(operation.source, [&]<class S>(S) {
      element::visit_type(operation.destination, [&]<class D>(D) { change = change_element<S, D>; });
    });
    auto const by = element::factors::of(operation);
    auto const size = size_of(operation.source), new_size = size_of(operation.destination);
    return for_each_index(p, [&](auto from, auto to, auto factor) {
      change(operation, by, source + from * size, destination + to * new_size, factor);
    });
  }
  switch (auto const size = shared_element_size(p)) {
    case 1:
      return copy_elements<1>(p, source, destination);
    case 2:
      return copy_elements<2>(p, source, destination);
    case 4:
      return copy_elements<4>(p, source, destination);
    case 8:
      return copy_elements<8>(p, source, destination);
    case 16:
      return copy_elements<16>(p, source, destination);
    default:
      for_each_index(
          p, [&](auto from, auto to, auto) { std::memcpy(destination + to * size, source + from * size, std::size_t(size)); });
  }
}

void unify_nans(problem const& p, std::byte* destination) {
  if (!p.operation || only_swaps(*p.operation)) return;
  decltype(&unify_element<float>) unify = nullptr;
  element::visit_type(p.operation->destination, [&]<class D>(D) { unify = unify_element<D>; });
  auto const size = size_of(p.operation->destination);
  for_each_index(p, [&](auto, auto to, auto) { unify(destination + to * size, p.operation->destination_swapped); });
}

}  // namespace cornerturn::test
