#include "fuzz/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <type_traits>
#include <variant>

#include "cpu/convert/convert.hpp"
#include "cpu/run.hpp"
#include "cpu/tiles/tiles.hpp"
#include "engine/cpu/cpu.hpp"
#include "fuzz/places.hpp"
#include "fuzz/problems.hpp"
#include "inplace/cpu.hpp"
#include "inplace/plan.hpp"
#include "plan/cpu_candidates.hpp"
#include "problem/canonical.hpp"
#include "problem/permuted.hpp"
#include "problem/print.hpp"
#include "problem/validate.hpp"
#include "support/numbered.hpp"
#include "support/plain.hpp"
#include "support/random_operation.hpp"
#include "support/special_numbers.hpp"

namespace cornerturn::fuzz {
namespace {

using raw = std::vector<std::byte>;

/// The place of an array of `bytes` bytes: often so that its first or last byte is beside a page.
placement random_placement(random_source& random, std::size_t bytes) {
  if (random.one_in(3)) return {.at_end = true, .into_line = (arena::kLine - bytes % arena::kLine) % arena::kLine};
  return {.at_end = random.one_in(2), .into_line = random_into_line(random)};
}

/// The number of shares that have something to move, if a step is divided into `shares` shares; 0 stands for as many as
/// a run in threads has.
std::int64_t busy_shares(step const& each, int shares, thread_limits const& threads) {
  return std::visit(
      [&]<class Plan>(Plan const& plan) -> std::int64_t {
        auto const within = [&](std::int64_t tasks, std::int64_t bytes) {
          return std::min<std::int64_t>(tasks, shares > 0 ? shares : cpu::threads_worth(bytes, threads));
        };
        if constexpr (requires { plan.tasks(), plan.bytes(); })
          return within(plan.tasks(), plan.bytes());
        else if constexpr (requires { plan.tasks(); })
          return within(plan.tasks(), plan.bytes);
        else
          return 1;
      },
      each.kernel);
}

/// Runs a plan of one step in `shares` shares, one after another and the last one first, with exactly the memory that it needs.
/// What a share writes must not belong to another.
void run_in_shares(step const& only, memories& in, std::byte const* source, std::byte* destination, int shares) {
  auto const image = [&](std::int64_t bytes) {
    return in.image.place(std::size_t(bytes), {.at_end = true, .into_line = 0}).data();
  };
  std::function<bool(std::int64_t)> const go_on = [](std::int64_t) { return true; };
  if (auto const* const tiles = std::get_if<cpu_plan>(&only.kernel)) {
    auto* const memory = tiles->needs_image() ? image((tiles->image_bytes() + 63) / 64 * 64) : nullptr;
    for (int i = shares; i-- > 0;)
      cpu::move_tiles(*tiles, {.source = source,
                               .destination = destination,
                               .first = tiles->tasks() * i / shares,
                               .end = tiles->tasks() * (i + 1) / shares,
                               .image = memory,
                               .report = &go_on});
    return;
  }
  auto const& boxes = std::get<cpu_convert>(only.kernel);
  auto* const memory = image((cpu::convert_memory(boxes) + 63) / 64 * 64);
  for (int i = shares; i-- > 0;)
    cpu::convert_boxes(boxes, {.source = source,
                               .destination = destination,
                               .first = boxes.tasks() * i / shares,
                               .end = boxes.tasks() * (i + 1) / shares,
                               .memory = memory,
                               .report = go_on});
}

std::string first_difference(raw const& expected, std::span<std::byte const> result) {
  if (std::memcmp(expected.data(), result.data(), expected.size()) == 0) return {};
  auto const wrong = std::ranges::mismatch(expected, result).in1 - expected.begin();
  return fmt::format("byte {} of {} is wrong", wrong, expected.size());
}

/// Moves a problem by each of its plans and compares.
std::string check_plans(problem const& p, shape_kind kind, random_source& random, memories& in, std::string_view target,
                        decision_counts& counts) {
  auto const read = std::size_t(source_range(p).high), written = std::size_t(destination_range(p).high);
  auto const simplest = canonical(p);
  auto const hint = random_hint(random, kind);
  auto const source = in.source.place(read, random_placement(random, read));
  auto const destination = in.destination.place(written, random_placement(random, written));
  auto const filled = test::numbered_source(p, std::int64_t(read), 0);
  std::ranges::copy(filled, source.begin());
  raw before(written, arena::kFilled);
  if (p.operation) test::mix_in_special_numbers(p.operation->destination, before);
  auto expected = before;
  test::permute_plainly(p, source.data(), expected.data());
  test::unify_nans(p, expected.data());
  for (auto const& way : cpu_candidates_of(simplest, hint)) {
    std::ranges::copy(before, destination.begin());
    auto const& only = only_step(way);
    bool const in_threads = hint.limits.threads.share < 4096;
    int const shares = in_threads ? 0 : int(random.one_in(2) ? 1 : random.between(2, 5));
    if (in_threads)
      cpu::run(way.steps, {.source = source.data(), .destination = destination.data()},
               random.one_in(2) ? [](double) {} : std::function<void(double)>());
    else
      run_in_shares(only, in, source.data(), destination.data(), shares);
    test::unify_nans(p, destination.data());
    counts.add(only, {.begins_a_line = begins_a_line(destination.data()),
                      .in_shares = busy_shares(only, shares, hint.limits.threads) > 1,
                      .target = target});
    auto wrong = first_difference(expected, destination);
    if (wrong.empty() && std::memcmp(filled.data(), source.data(), read) != 0) wrong = "the source was written";
    if (wrong.empty() && !(in.source.is_whole() && in.destination.is_whole() && in.image.is_whole()))
      wrong = "a byte outside the arrays was written";
    if (!wrong.empty())
      return fmt::format("{} of {} by {}, {} shares, {} bytes into a line", wrong, to_string(p), describe(way), shares,
                         reinterpret_cast<std::uintptr_t>(destination.data()) % arena::kLine);
  }
  return {};
}

std::int64_t random_bytes(random_source& random, shape_kind kind = shape_kind::any) {
  if (kind != shape_kind::any) return random.between(2'000, random.one_in(8) ? 60'000 : 24'000);
  if (random.one_in(40)) return random.between(20'000, 200'000);
  return random.one_in(2) ? random.between(1'000, 20'000) : random.between(1, 3'000);
}

/// An operation between types that change in vector registers while they are transposed.
element_operation random_in_registers(random_source& random) {
  using enum element_type;
  using types = std::pair<element_type, element_type>;
  auto const [source, destination] = random.one_of<types>({{f32, f32},
                                                           {f64, f64},
                                                           {c64, c64},
                                                           {c128, c128},
                                                           {f16, f32},
                                                           {bf16, f32},
                                                           {f32, f64},
                                                           {f32, f16},
                                                           {f32, bf16},
                                                           {f64, f32}});
  element_operation result{source, destination, random.one_of({1.0, 0.5, -2.0}), random.one_of({0.0, 0.0, 0.75})};
  if (is_complex(destination)) result.conjugate = random.one_in(2), result.alpha.imag(random.one_of({0.0, 1.5}));
  return result;
}

/// The ways of the CPU in place among which it chooses one; or, if it cannot exchange the modes at once, its sequence of
/// exchanges, each in the cheapest way.
std::vector<candidate> ways_inplace(problem const& canonical, cpu_limits const& limits, std::int64_t most_workspace) {
  std::vector<candidate> result;
  if (auto const whole = exchange_of(canonical))
    for (auto const& each : cpu_exchanges(*whole, limits, most_workspace)) result.push_back(each.way());
  if (!result.empty()) return result;
  if (auto sequence = cpu_inplace_candidate_of(canonical, limits, most_workspace)) result.push_back(*std::move(sequence));
  return result;
}

bool fits(problem const& p) {
  auto const most = std::int64_t(memories::kMost) / 2;
  return source_range(p).high <= most && destination_range(p).high <= most;
}

}  // namespace

std::string check_copy(random_source& random, memories& in, std::string_view target, decision_counts& counts) {
  using enum shape_kind;
  auto const kind = random.one_of({any, matrix, fields, fields, units, shared});
  auto const size = random_element_size(random);
  auto const p = random_problem(random, random_bytes(random, kind) / size, size, kind);
  return fits(p) ? check_plans(p, kind, random, in, target, counts) : "";
}

std::string check_change(random_source& random, memories& in, std::string_view target, decision_counts& counts) {
  auto const kind = random.one_of({shape_kind::any, shape_kind::any, shape_kind::matrix});
  bool const in_registers = kind == shape_kind::matrix && random.one_in(2);
  auto const drawn = random_problem(random, random_bytes(random, kind), 1, kind);
  auto const p = in_registers ? with_operation(drawn, random_in_registers(random))
                              : test::with_random_operation(drawn, random.generator32());
  if (!p.operation || !fits(p)) return {};
  // the factors of a test have room for 256 indices of each mode
  bool const has_long_mode = std::ranges::any_of(p.modes, [](mode const& m) { return m.extent > 256; });
  return is_affine(*p.operation) && has_long_mode ? "" : check_plans(p, kind, random, in, target, counts);
}

std::string check_inplace(random_source& random, memories& in, std::string_view target, decision_counts& counts) {
  auto const given = random_inplace(random, random_bytes(random));
  auto const p = permutation(given.shape, {}, given.axes, given.element_size);
  auto const simplest = canonical(p);
  if (std::ranges::all_of(simplest.modes, stays) || !fits(p)) return {};
  auto const limits = random_limits(random);
  auto const ways = ways_inplace(simplest, limits, random.one_in(2) ? kAnyWorkspace : random.between(0, 4096));
  auto const bytes = std::size_t(bytes_of(p));
  auto const array = in.destination.place(bytes, random_placement(random, bytes));
  auto const before = test::numbered(std::int64_t(bytes));
  auto expected = before;
  test::permute_plainly(p, before.data(), expected.data());
  for (auto const& way : ways) {
    std::ranges::copy(before, array.begin());
    auto const workspace = in.source.place(std::size_t(way.workspace_bytes),
                                           {.at_end = random.one_in(2), .into_line = std::size_t(16 * random.between(0, 3))});
    cpu::run(way.steps, {.destination = array.data(), .workspace = workspace.data()});
    for (auto const& each : way.steps)
      counts.add(each, {.begins_a_line = begins_a_line(array.data()),
                        .in_shares = busy_shares(each, 0, limits.threads) > 1,
                        .target = target});
    auto wrong = first_difference(expected, array);
    if (wrong.empty() && !(in.destination.is_whole() && in.source.is_whole())) wrong = "a byte outside the array was written";
    if (!wrong.empty())
      return fmt::format("{} of {} by {}, {} bytes into a line", wrong, to_string(p), describe(way),
                         reinterpret_cast<std::uintptr_t>(array.data()) % arena::kLine);
  }
  return {};
}

}  // namespace cornerturn::fuzz
