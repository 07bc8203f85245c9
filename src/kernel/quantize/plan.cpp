#include "kernel/quantize/plan.hpp"

#include <cstdint>

#include "block/sizes.hpp"
#include "problem/element_types.hpp"

namespace cornerturn {

quantize_plan plan_quantize(quantization const& given, void const* source) {
  auto const is_aligned = [](void const* pointer, std::int64_t bytes) {
    return reinterpret_cast<std::uintptr_t>(pointer) % kUnitBytes == 0 && bytes % kUnitBytes == 0;
  };
  auto const size = size_of(given.source_type);
  return {{given, is_aligned(source, given.pitch * size) && given.cols * size % kUnitBytes == 0,
           is_aligned(given.row_wise.values, given.row_wise.pitch),
           is_aligned(given.column_wise.values, given.column_wise.pitch)}};
}

}  // namespace cornerturn
