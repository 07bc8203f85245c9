#include "cpu/quantize/plan.hpp"

#include <fmt/format.h>

#include "fuzz/check.hpp"
#include "fuzz/places.hpp"
#include "support/placed_quantize.hpp"
#include "support/plain_quantize.hpp"

namespace cornerturn::fuzz {

std::string check_quantize(random_source& random, memories&, std::string_view target, decision_counts& counts) {
  auto const each = test::random_quantize_case(random.generator32());
  auto const seed = unsigned(random.between(0, 1 << 30));
  test::quantized_arrays wanted(each, seed), got(each, seed);
  test::quantize_plainly(wanted.given(), wanted.call.source);
  test::placed_quantize placed(got, [&] { return random_place(random); });
  cpu_quantize const plan{got.layout, {.most = int(random.one_of({1, 1, 2, 3})), .quantized_tiles = random.between(1, 3)}};
  cpu::run(plan, &placed.call(), nullptr);
  auto const* const first = got.layout.row_wise.is_wanted ? placed.call().row_values : placed.call().column_values;
  counts.add(step{plan}, {begins_a_line(first), plan.threads.most > 1, target});
  if (!placed.take()) return fmt::format("a byte outside the outputs was written: {}", each.text());
  return got == wanted ? "" : fmt::format("an output is wrong: {}, at most {} threads", each.text(), plan.threads.most);
}

}  // namespace cornerturn::fuzz
