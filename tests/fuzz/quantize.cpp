#include "cpu/quantize/quantize.hpp"

#include <fmt/format.h>

#include "fuzz/check.hpp"
#include "fuzz/families.hpp"
#include "fuzz/places.hpp"
#include "problem/element_types.hpp"
#include "support/placed_quantize.hpp"
#include "support/plain_quantize.hpp"

namespace cornerturn::fuzz {
namespace {

/// The values of the choices of "quantize".
std::vector<std::string_view> decisions_of(test::quantize_case const& each, quantization const& given, int threads) {
  constexpr std::string_view kBlocks[] = {"one given scale", "a scale a row", "1 x 128", "128 x 128"};
  bool const is_computed = each.blocks != scale_blocks::tensor;
  return {name_of(each.source),
          name_of_destination(each.destination),
          kBlocks[int(each.blocks)],
          given.scale_address                ? "in memory"
          : is_computed && each.power_of_two ? "power of two"
                                             : "as it is",
          each.has_rows && each.has_columns ? "along both"
          : each.has_rows                   ? "along rows"
                                            : "along columns",
          each.rows % 16 == 0 && each.cols % 16 == 0 ? "sides of whole vectors" : "other sides",
          threads == 1 ? "one thread" : "several threads"};
}

}  // namespace

std::string check_quantize(random_source& random, memories&, std::string_view target, decision_counts& counts) {
  auto const each = test::random_quantize_case(random.generator32());
  auto const seed = unsigned(random.between(0, 1 << 30));
  test::quantized_arrays wanted(each, seed), got(each, seed);
  test::quantize_plainly(wanted.given, wanted.source());
  test::placed_quantize placed(got, [&] { return random_place(random); });
  thread_limits const threads{.most = int(random.one_of({1, 1, 2, 3})), .quantized_tiles = random.between(1, 3)};
  cpu::quantize(placed.given(), placed.source(), threads);
  counts.add("quantize", decisions_of(each, wanted.given, threads.most), target);
  if (!placed.take()) return fmt::format("a byte outside the outputs was written: {}", each.text());
  return got == wanted ? "" : fmt::format("an output is wrong: {}, at most {} threads", each.text(), threads.most);
}

}  // namespace cornerturn::fuzz
