#include <algorithm>

#include "engine/host/host.hpp"
#include "fuzz/check.hpp"
#include "kernel/packed/plan.hpp"
#include "plan/candidate.hpp"
#include "support/packed.hpp"

namespace cornerturn::fuzz {

std::string check_gpu_packed(random_source& random, memories&, std::string_view, decision_counts& counts) {
  auto const read = random.one_of<std::int64_t>({1, 4, 16}), written = random.one_of<std::int64_t>({1, 4, 16});
  auto const some = [&](std::int64_t unit, std::int64_t least, std::int64_t most) {
    return unit * random.between(least, most / unit);
  };
  test::packed_case const each{
      some(read, 1, 96),   some(written, 1, 200), some(read, 0, 32), some(written, 0, 32), some(std::max(read, written), 0, 32),
      random.between(1, 3)};
  bit_packing const packed{random.one_of({4, 2, 1}), random.one_in(2)};
  return test::wrong_byte(each, packed, [&](auto const& source, auto& result, packed_matrices const& all) {
    auto const* const from = source.data() + each.begin;
    auto* const to = result.data() + each.begin;
    auto const way = single_step(plan_packed(all, alignment_of(from, to)));
    host::run(way.steps, {.source = from, .destination = to});
    auto const decided = decisions_of(way.steps.front());
    counts.add(decided.family, decided.values);
  });
}

}  // namespace cornerturn::fuzz
