#pragma once

#include <string>
#include <string_view>
#include <tuple>

#include "cpu/run.hpp"
#include "kernel/decisions.hpp"
#include "kernel/quantize/layout.hpp"
#include "machine/cpu_model.hpp"

namespace cornerturn {

/// How the CPU quantises a matrix: tile by tile, so that a layout has one plan. Its source is the `quantize_call` that has the
/// addresses of the arrays.
struct cpu_quantize {
  static constexpr std::string_view family = "cpu-quantize";
  static constexpr int version = 1;

  quantize_layout layout;
  thread_limits threads;

  auto parameters() const { return std::tuple(); }

  static plan_decisions<cpu_quantize> decisions();
};

std::string describe(cpu_quantize const& plan);

namespace cpu {

/// Quantises a matrix. `source` is the address of its `quantize_call`.
void run(cpu_quantize const& plan, void const* source, void* destination, run_context const& context = {});

}  // namespace cpu
}  // namespace cornerturn
