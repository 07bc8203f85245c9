#include "support/plain.hpp"

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
  std::vector<std::int64_t> index(p.modes.size(), 0);
  for (mode const& m : p.modes) {
    if (m.extent == 0) return;
  }
  std::int64_t from = p.source_offset, to = p.destination_offset, factor = p.factor_offset;
  auto const step = [&](mode const& m, std::int64_t times) {
    from += times * m.source_stride, to += times * m.destination_stride, factor += times * m.factor_stride;
  };
  for (;;) {
    visit(from, to, factor);
    auto k = index.size();
    while (k > 0 && ++index[k - 1] == p.modes[k - 1].extent) {
      step(p.modes[k - 1], 1 - p.modes[k - 1].extent);
      index[--k] = 0;
    }
    if (k == 0) return;
    step(p.modes[k - 1], 1);
  }
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

}  // namespace

void permute_plainly(problem const& p, std::byte const* source, std::byte* destination) {
  if (!p.operation) {
    auto const size = shared_element_size(p);
    return for_each_index(p, [&](auto from, auto to, auto) {
      if (size == 1)
        destination[to] = source[from];
      else
        std::memcpy(destination + to * size, source + from * size, std::size_t(size));
    });
  }
  auto const by = element::factors::of(*p.operation);
  element::visit_type(p.operation->source, [&]<class S>(S) {
    element::visit_type(p.operation->destination, [&]<class D>(D) {
      for_each_index(p, [&](auto from, auto to, auto factor) {
        S s;
        D d;
        std::memcpy(&s, source + from * std::int64_t(sizeof s), sizeof s);
        std::memcpy(&d, destination + to * std::int64_t(sizeof d), sizeof d);
        d = is_affine(*p.operation) ? scaled(*p.operation, s, d, factor)
            : by.reads_destination  ? element::applied<true>(by, s, d)
                                    : element::applied<false>(by, s, d);
        std::memcpy(destination + to * std::int64_t(sizeof d), &d, sizeof d);
      });
    });
  });
}

void unify_nans(problem const& p, std::byte* destination) {
  if (!p.operation) return;
  element::visit_type(p.operation->destination, [&]<class D>(D) {
    for_each_index(p, [&](auto, auto to, auto) {
      D d;
      std::memcpy(&d, destination + to * std::int64_t(sizeof d), sizeof d);
      d = unified(d);
      std::memcpy(destination + to * std::int64_t(sizeof d), &d, sizeof d);
    });
  });
}

}  // namespace cornerturn::test
