#include <fmt/format.h>

#include <algorithm>

#include "base/round.hpp"
#include "engine/host/host.hpp"
#include "fuzz/check.hpp"
#include "fuzz/places.hpp"
#include "kernel/packed/plan.hpp"
#include "plan/packed.hpp"
#include "support/packed.hpp"
#include "support/packed_moves.hpp"

namespace cornerturn::fuzz {
namespace {

/// Moves a random rearrangement by all launches that it needs.
std::string check_move(random_source& random, memories& in) {
  auto const each = test::random_packed_move(random.generator32()());
  if (!each.has_result()) return {};
  auto const source = in.source.place(each.source.size(), {random.one_in(2), random_into_line(random)});
  auto const result = in.destination.place(each.destination.size(), {random.one_in(2), random_into_line(random)});
  std::ranges::copy(each.source, source.begin()), std::ranges::copy(each.destination, result.begin());
  auto const* const from = source.data() + each.source_first;
  auto* const to = result.data() + each.destination_first;
  auto const way = packed_candidate(each.move, each.packed, each.pad, alignment_of(from, to));
  auto const workspace = in.image.place(std::size_t(round_up(way.workspace_bytes, std::int64_t(arena::kLine))), {.at_end = true});
  host::run(way.steps, {.source = from, .destination = to, .workspace = workspace.data()});
  if (!std::ranges::equal(result, test::moved_plainly(each))) return fmt::format("a byte is wrong: {}", describe(way));
  bool const is_whole = in.source.is_whole() && in.destination.is_whole() && in.image.is_whole();
  return is_whole ? "" : fmt::format("a byte outside the arrays was written: {}", describe(way));
}

}  // namespace

std::string check_gpu_packed(random_source& random, memories& in, std::string_view, decision_counts& counts) {
  if (random.one_in(2)) return check_move(random, in);
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
