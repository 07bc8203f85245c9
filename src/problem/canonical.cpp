#include "problem/canonical.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace cornerturn {
namespace {

bool is_product(std::int64_t value, std::int64_t left, std::int64_t right) {
  std::int64_t product;
  return !__builtin_mul_overflow(left, right, &product) && product == value;
}

bool fusable(mode const& outer, mode const& inner) {
  return is_product(outer.source_stride, inner.source_stride, inner.extent) &&
         is_product(outer.destination_stride, inner.destination_stride, inner.extent) &&
         is_product(outer.factor_stride, inner.factor_stride, inner.extent);
}

void drop_unit_modes(problem& p) {
  std::erase_if(p.modes, [](mode const& m) { return m.extent == 1; });
}

void normalise_signs(problem& p) {
  for (mode& m : p.modes) {
    if (m.destination_stride > 0) continue;
    p.source_offset += (m.extent - 1) * m.source_stride;
    p.destination_offset += (m.extent - 1) * m.destination_stride;
    p.factor_offset += (m.extent - 1) * m.factor_stride;
    m.source_stride = -m.source_stride;
    m.destination_stride = -m.destination_stride;
    m.factor_stride = -m.factor_stride;
  }
}

void fix_order(problem& p) {
  auto key = [](mode const& m) { return std::tuple(m.destination_stride, m.source_stride, m.extent); };
  std::ranges::sort(p.modes, std::ranges::greater{}, key);
}

bool fuse_one_pair(std::vector<mode>& modes) {
  for (auto outer = modes.begin(); outer != modes.end(); ++outer) {
    for (auto inner = modes.begin(); inner != modes.end(); ++inner) {
      if (outer == inner || !fusable(*outer, *inner)) continue;
      inner->extent *= outer->extent;
      modes.erase(outer);
      return true;
    }
  }
  return false;
}

}  // namespace

problem split_elements(problem const& given, std::int64_t largest) {
  std::int64_t const size = shared_element_size(given), unit = std::gcd(size, largest), units = size / unit;
  if (units == 1) return given;

  problem result = given;
  // The strides of a mode of extent 1 are meaningless, and `validate` does not bound them: scaling them could overflow.
  drop_unit_modes(result);
  for (mode& m : result.modes) {
    m.source_stride *= units;
    m.destination_stride *= units;
  }
  result.modes.push_back({units, 1, 1});
  result.source_offset *= units;
  result.destination_offset *= units;
  result.element_size = unit;
  return result;
}

problem canonical(problem const& given) {
  bool const empty = std::ranges::any_of(given.modes, [](mode const& m) { return m.extent == 0; });
  bool const is_moved_as_bytes = !given.operation && given.element_size.are_equal();
  if (empty) {
    auto const size = is_moved_as_bytes ? std::gcd(shared_element_size(given), kLargestElement) : given.element_size;
    return {.modes = {{0, 0, 0}}, .element_size = size, .operation = given.operation};
  }

  problem result = is_moved_as_bytes ? split_elements(given) : given;
  drop_unit_modes(result);
  normalise_signs(result);
  // The modes are sorted before fusing, too: with equal destination strides, the order decides which modes fuse.
  fix_order(result);
  while (fuse_one_pair(result.modes)) continue;
  fix_order(result);
  return result;
}

}  // namespace cornerturn
