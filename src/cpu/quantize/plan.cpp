#include "cpu/quantize/plan.hpp"

#include <fmt/format.h>

#include "cornerturn/text.hpp"
#include "kernel/quantize/decisions.hpp"
#include "kernel/quantize/job.hpp"
#include "kernel/quantize/plan.hpp"

namespace cornerturn {

plan_decisions<cpu_quantize> cpu_quantize::decisions() {
  constexpr int kVector = 16;
  auto const are_whole = [](cpu_quantize const& plan) {
    return plan.layout.rows % kVector == 0 && plan.layout.cols % kVector == 0;
  };
  return joined(quantize_layout_decisions<cpu_quantize>(), {{{"sides", {"other sides", "sides of whole vectors"}, are_whole}}});
}

std::string describe(cpu_quantize const& plan) {
  auto const& layout = plan.layout;
  return fmt::format("quantize {} to {}, {}: {} of {}x{} elements", name_of(layout.source_type), name_of(layout.type),
                     name_of(layout.blocks), count_text(quantization_of(layout, {}).tiles(), "tile"), kScaleTile, kScaleTile);
}

}  // namespace cornerturn
