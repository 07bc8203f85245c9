#include <fmt/format.h>

#include <cstddef>
#include <random>
#include <span>

#include "cuda/handles.hpp"
#include "engine/gpu/gpu.hpp"
#include "gpu/gpu_test.hpp"
#include "gpu/readable_factors.hpp"
#include "plan/choose.hpp"
#include "problem/canonical.hpp"
#include "problem/print.hpp"
#include "problem/validate.hpp"
#include "support/numbered.hpp"
#include "support/plain.hpp"
#include "support/random_operation.hpp"
#include "support/random_problem.hpp"
#include "support/seeds.hpp"
#include "support/ways.hpp"

namespace cornerturn {
namespace {

constexpr std::size_t kMost = 1 << 20, kFuzzGuard = 512;

/// Memory on both sides of a copy, on the host and on the GPU.
struct gpu_fuzz : test::on_gpu<> {
  device_memory from, to;
  std::vector<std::byte> source = test::numbered(kMost), result = std::vector<std::byte>(kMost),
                         expected = std::vector<std::byte>(kMost);

  void SetUp() override {
    on_gpu::SetUp();
    if (IsSkipped()) return;
    from = allocate_device(kMost);
    to = allocate_device(kMost);
    check(cudaMemcpy(from.get(), source.data(), kMost, cudaMemcpyHostToDevice), "cudaMemcpy");
  }

  /// Runs one way to move a problem, and compares every byte around the destination too.
  void expect_right(problem const& p, candidate const& way, std::size_t source_at, std::size_t destination_at) {
    auto const bytes = std::size_t(destination_range(p).high) + destination_at + kFuzzGuard;
    check(cudaMemset(to.get(), 0xEE, bytes), "cudaMemset");
    gpu::run(way.steps, {static_cast<std::byte*>(from.get()) + source_at, static_cast<std::byte*>(to.get()) + destination_at},
             nullptr);
    check(cudaMemcpy(result.data(), to.get(), bytes, cudaMemcpyDeviceToHost), "cudaMemcpy");
    auto const wrong = std::mismatch(result.begin(), result.begin() + std::ptrdiff_t(bytes), expected.begin()).first;
    ASSERT_EQ(wrong - result.begin(), std::ptrdiff_t(bytes)) << to_string(p) << "\n" << describe(way);
  }
};

TEST_F(gpu_fuzz, every_way_to_move_random_problems_is_right) {
  auto const* const count = std::getenv("CORNERTURN_FUZZ_COUNT");
  test::for_each_seed(count ? unsigned(std::atoi(count)) : 500, [&](unsigned seed) {
    std::mt19937 generator(seed);
    auto const draw = [&](auto const&... options) {
      std::int64_t const all[] = {options...};
      return all[generator() % sizeof...(options)];
    };
    auto const extent = draw(2, 3, 5, 9, 20, 70, 300);
    problem const p = test::random_problem(seed, {.rank = extent < 4 ? 12 : 6, .extent = extent, .zero_extents = false});
    // the guards before both sides keep what is misaligned so
    auto const source_at = std::size_t(kFuzzGuard) + std::size_t(draw(0, 0, 1, 2, 4, 8)),
               destination_at = std::size_t(kFuzzGuard) + std::size_t(draw(0, 0, 1, 2, 4, 8));
    if (std::size_t(destination_range(p).high) + destination_at + kFuzzGuard > kMost ||
        std::size_t(source_range(p).high) + source_at > kMost)
      return;
    std::ranges::fill(expected, std::byte{0xEE});
    test::permute_plainly(p, source.data() + source_at, expected.data() + destination_at);

    auto const simplest = canonical(p);
    alignment const aligned =
        alignment_of(static_cast<std::byte*>(from.get()) + source_at, static_cast<std::byte*>(to.get()) + destination_at);
    auto ways = candidates_of(simplest, aligned);
    auto const refitted = refit_elements(simplest, aligned);
    ways.push_back(single_step(plan_gather(refitted, aligned, {draw(16, 64, 256), draw(16, 64, 512), draw(256, 4096, 32768)})));
    if (auto const plan = plan_tiled(refitted, aligned, {draw(16, 64, 256), draw(16, 64, 512), draw(256, 4096, 16384)}))
      ways.push_back(single_step(*plan));
    for (auto const& way : {ways.front(), ways[generator() % ways.size()], ways.back()}) {
      expect_right(p, way, source_at, destination_at);
      if (HasFatalFailure()) return;
    }
  });
}

/// Runs a way on copies of the memory that `check_ways_run_by` compares, and copies the result back.
TEST_F(gpu_fuzz, every_way_to_change_elements_of_random_problems_is_right) {
  test::readable_factors const factors;
  auto const* const count = std::getenv("CORNERTURN_FUZZ_COUNT");
  test::for_each_seed(count ? unsigned(std::atoi(count)) : 5000, [&](unsigned seed) {
    std::mt19937 generator(seed);
    auto const p = test::random_typed_problem(generator);
    auto const source_shift = std::size_t(p.element_size.source) * (generator() % 4),
               destination_shift = std::size_t(p.element_size.destination) * (generator() % 4);
    auto const run = [&](std::span<step const> steps, plan_memory const& memory) {
      auto* const read = static_cast<std::byte*>(from.get()) + source_shift;
      auto* const written = static_cast<std::byte*>(to.get());
      auto const bytes = destination_shift + std::size_t(destination_range(p).high) + test::kWaysGuard;
      auto* const host = static_cast<std::byte*>(memory.destination) - destination_shift;
      check(cudaMemcpy(read, memory.source, std::size_t(source_range(p).high), cudaMemcpyHostToDevice), "cudaMemcpy");
      check(cudaMemcpy(written, host, bytes, cudaMemcpyHostToDevice), "cudaMemcpy");
      gpu::run(steps, {read, written + destination_shift}, nullptr);
      check(cudaMemcpy(host, written, bytes, cudaMemcpyDeviceToHost), "cudaMemcpy");
    };
    test::check_ways_run_by(run, p, source_shift, destination_shift,
                            [](problem const& simplest, alignment const& aligned) { return candidates_of(simplest, aligned); });
  });
}

/// A copy of few elements whose steps within a tile are longer than 32 bits count.
TEST_F(gpu_fuzz, offsets_past_32_bits_within_a_tile) {
  constexpr std::int64_t kFar = (std::int64_t(1) << 32) + 48, kColumns = 5;
  auto const far = allocate_device(std::size_t(kFar * (kColumns - 1) + 64));
  // rows are read in whole aligned 16-byte units, which end behind them
  for (std::int64_t c = 0; c < kColumns; ++c)
    check(cudaMemset(static_cast<std::byte*>(far.get()) + c * kFar, 0, 64), "cudaMemset");
  for (bool const to_far : {false, true}) {
    problem p{.modes = {{kColumns, kFar, 1}, {40, 1, kColumns}}, .element_size = 1};
    if (to_far)
      for (auto& each : p.modes) std::swap(each.source_stride, each.destination_stride);
    auto const rows = [&](void* at, std::byte* host, cudaMemcpyKind kind) {
      for (std::int64_t c = 0; c < kColumns; ++c) {
        auto* const there = static_cast<std::byte*>(at) + c * kFar;
        check(kind == cudaMemcpyHostToDevice ? cudaMemcpy(there, host + c * 40, 40, kind)
                                             : cudaMemcpy(host + c * 40, there, 40, kind),
              "cudaMemcpy");
      }
    };
    if (!to_far) rows(far.get(), source.data(), cudaMemcpyHostToDevice);
    for (auto const& way : candidates_of(canonical(p), {})) {
      gpu::run(way.steps, {to_far ? from.get() : far.get(), to_far ? far.get() : to.get()}, nullptr);
      if (to_far)
        rows(far.get(), result.data(), cudaMemcpyDeviceToHost);
      else
        check(cudaMemcpy(result.data(), to.get(), 200, cudaMemcpyDeviceToHost), "cudaMemcpy");
      for (int r = 0; r < 40; ++r)
        for (int c = 0; c < kColumns; ++c) {
          auto const dense = std::size_t(r * kColumns + c), long_rows = std::size_t(c * 40 + r);
          ASSERT_EQ(result[to_far ? long_rows : dense], source[to_far ? dense : long_rows]) << describe(way);
        }
    }
  }
}

}  // namespace
}  // namespace cornerturn
