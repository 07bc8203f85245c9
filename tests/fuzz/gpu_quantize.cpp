#include <fmt/format.h>

#include <variant>

#include "engine/host/host.hpp"
#include "fuzz/check.hpp"
#include "plan/quantize_candidates.hpp"
#include "support/plain_quantize.hpp"
#include "support/quantized.hpp"
#include "support/with_workspace.hpp"

namespace cornerturn::fuzz {

std::string check_gpu_quantize(random_source& random, memories&, std::string_view, decision_counts& counts) {
  auto const each = test::random_quantize_case(random.generator32());
  auto const seed = unsigned(random.between(0, 1 << 30));
  test::quantized_arrays wanted(each, seed);
  test::quantize_plainly(wanted.given(), wanted.call.source);
  for (auto const& way : quantize_candidates_of(wanted.layout)) {
    test::quantized_arrays got(each, seed);
    bool const is_kept =
        test::keeps_to_workspace(way, got.memory(), [](auto const& steps, plan_memory const& in) { host::run(steps, in); });
    for (auto const& one : way.steps)
      if (std::holds_alternative<quantize_plan>(one.kernel)) {
        auto const decided = decisions_of(one);
        counts.add(decided.family, decided.values);
      }
    if (!is_kept) return fmt::format("a byte after the workspace was written: {}, {}", each.text(), describe(way));
    if (!(got == wanted)) return fmt::format("an output is wrong: {}, {}", each.text(), describe(way));
  }
  return {};
}

}  // namespace cornerturn::fuzz
