#include "cornerturn/inplace.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <vector>

#include "cornerturn/error.hpp"
#include "gpu/gpu_test.hpp"
#include "inplace/gpu.hpp"
#include "inplace/plan.hpp"
#include "measure/stream_timer.hpp"
#include "problem/canonical.hpp"
#include "support/inplace.hpp"
#include "support/rectangles.hpp"
#include "support/seeds.hpp"

namespace cornerturn {
namespace {

/// Moves an array by way of device memory, where it begins as many bytes past a 64-byte boundary as on the host.
template <class Move>
void on_device(std::byte* data, std::int64_t bytes, Move const& move) {
  static test::device_scratch scratch;
  constexpr std::size_t kGuard = 256;
  auto const shift = reinterpret_cast<std::uintptr_t>(data) % 64;
  auto const all = std::size_t(bytes) + shift + 2 * kGuard;
  auto* const memory = scratch.at_least(all);
  check(cudaMemset(memory, 0xEE, all), "cudaMemset");
  auto* const at = memory + kGuard + shift;
  check(cudaMemcpy(at, data, std::size_t(bytes), cudaMemcpyHostToDevice), "cudaMemcpy");
  move(at);
  std::vector<std::byte> result(all);
  check(cudaMemcpy(result.data(), memory, all, cudaMemcpyDeviceToHost), "cudaMemcpy");
  auto const first = result.begin() + std::ptrdiff_t(kGuard + shift), last = first + bytes;
  auto const is_guard = [](std::byte each) { return each == std::byte{0xEE}; };
  EXPECT_TRUE(std::all_of(result.begin(), first, is_guard) && std::all_of(last, result.end(), is_guard));
  std::copy(first, last, data);
}

void by_the_library(std::byte* data, test::square_problem const& p) {
  on_device(data, p.bytes(), [&](void* at) { permute_inplace(at, p.shape, p.axes, p.element_size); });
}

struct gpu_inplace : test::on_gpu<> {};

TEST_F(gpu_inplace, transposes_rectangles) {
  for (std::int64_t const size : {1, 2, 4, 8, 16, 12})
    for (auto const& [m, n] : {std::array<std::int64_t, 2>{4096, 1024}, {1024, 6144}, {3001, 2003}, {2003, 3001}, {1024, 48}})
      test::check_inplace(test::rectangles_with(1, m, n, 1, size), std::size_t(m % 2 ? size : 0), by_the_library);
}

/// Arrays of structures and structures of arrays that fit into no cluster, so that chunks and boxes move them.
TEST_F(gpu_inplace, transposes_skinny_rectangles) {
  for (std::int64_t const size : {1, 2, 4, 8, 16})
    for (std::int64_t const fields : {2, 3, 7, 16, 64}) {
      for (std::int64_t const rest : {0, 16, 31}) {
        auto const many = 12'000'000 / (size * fields) / 960 * 960 + rest;
        for (auto const& [m, n] : {std::array<std::int64_t, 2>{many, fields}, {fields, many}})
          test::check_inplace(test::rectangles_with(1, m, n, 1, size), std::size_t(fields == 7 ? size : 0), by_the_library);
      }
    }
}

/// Long runs, which one pass moves.
TEST_F(gpu_inplace, permutes_long_runs) {
  for (std::int64_t const size : {1, 4, 16})
    for (auto const& shape : {std::vector<std::int64_t>{2, 300, 1, 190, 80}, {1, 20, 7, 300, 200}, {1, 5, 1, 7, 100'000}})
      test::check_inplace({shape, {0, 3, 2, 1, 4}, size}, std::size_t(size), by_the_library);
}

/// Groups that are too long for a cluster, so that neighbours are separated or a mode is divided.
TEST_F(gpu_inplace, divides_the_sides_of_cubes) {
  test::check_inplace({{496, 496, 496}, {2, 0, 1}, 16}, 0, by_the_library);
  test::check_inplace({{496, 496, 496}, {1, 2, 0}, 16}, 16, by_the_library);
  test::check_inplace({{256, 300, 3200}, {1, 0, 2}, 4}, 4, by_the_library);
}

TEST_F(gpu_inplace, follows_the_definition_on_random_rectangles) {
  auto const* const count = std::getenv("CORNERTURN_FUZZ_COUNT");
  test::for_each_seed(count ? unsigned(std::atoi(count)) : 500, [](unsigned seed) {
    auto const p = test::random_rectangles(seed, seed % 4 ? 200'000 : 8'000'000);
    test::check_inplace(p, seed % 3 ? 0 : seed % 64, by_the_library);
  });
}

TEST_F(gpu_inplace, follows_the_definition_on_random_skinny_rectangles) {
  auto const* const count = std::getenv("CORNERTURN_FUZZ_COUNT");
  test::for_each_seed(count ? unsigned(std::atoi(count)) : 200, [](unsigned seed) {
    auto const p = test::random_skinny(seed, 4'000'000, 64);
    test::check_inplace(p, seed % 3 ? 0 : std::size_t(p.element_size), by_the_library);
  });
}

/// Cuts that a plan would not choose: few and many slots, panels far from where they were, clusters of every size.
TEST_F(gpu_inplace, follows_the_definition_for_any_cut) {
  test::for_each_seed(300, [](unsigned seed) {
    auto const p = test::random_rectangles(seed, 1'000'000);
    test::check_inplace(p, seed % 2 ? 0 : std::size_t(p.element_size), [&](std::byte* data, test::square_problem const&) {
      auto const aligned = alignment_of(data, data);
      auto const whole = rectangles_of(canonical(permutation(p.shape, {}, p.axes, p.element_size)), aligned);
      ASSERT_TRUE(whole);
      auto const most = std::min(whole->rows, whole->columns);
      std::optional<candidate> way;  // the first cut from any on whose panels fit
      for (auto parts = seed * 7919 % most + 1; !way; parts = parts % most + 1)
        if (auto const passes = plan_passes(*whole, cut_into(*whole, parts), seed % 4 < 2, aligned, h200_model()))
          way = with_copies(*passes, aligned, h200_model());
      auto const workspace = allocate_device(std::size_t(way->workspace_bytes) + 16);
      on_device(data, p.bytes(),
                [&](void* at) { gpu::run(way->steps, {.destination = at, .workspace = workspace.get()}, nullptr); });
    });
  });
}

TEST_F(gpu_inplace, runs_with_the_callers_workspace_and_in_a_graph) {
  auto const p = test::rectangles_with(1, 3001, 2003, 1, 4);
  auto const plan = plan_permute_inplace(p.shape, p.axes, p.element_size, {.processor = processor_kind::gpu});
  ASSERT_GT(plan.workspace_bytes(), 0);
  auto const workspace = allocate_device(std::size_t(plan.workspace_bytes()));
  for (auto* const given : {workspace.get(), static_cast<void*>(nullptr)})
    test::check_inplace(p, 0, [&](std::byte* data, auto const&) {
      on_device(data, p.bytes(), [&](void* at) {
        auto const stream = make_stream();
        auto const graph = capture_graph(stream.get(), 1, [&] { plan.run(at, stream.get(), given); });
        check(cudaGraphLaunch(graph.get(), stream.get()), "cudaGraphLaunch");
        check(cudaStreamSynchronize(stream.get()), "cudaStreamSynchronize");
      });
    });
}

TEST_F(gpu_inplace, leaves_the_array_untouched_if_no_workspace_can_be_allocated) {
  constexpr std::int64_t m = 3001, n = 2003;
  auto const plan = plan_permute_inplace({m, n}, {1, 0}, 4, {.processor = processor_kind::gpu});
  auto const array = allocate_device(m * n * 4);
  std::vector<unsigned> before(m * n), after(m * n);
  for (std::size_t i = 0; i < before.size(); ++i) before[i] = unsigned(i);
  check(cudaMemcpy(array.get(), before.data(), m * n * 4, cudaMemcpyHostToDevice), "cudaMemcpy");
  cudaMemPool_t pool;  // has what earlier runs have freed
  check(cudaDeviceGetDefaultMemPool(&pool, 0), "cudaDeviceGetDefaultMemPool");
  check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  check(cudaMemPoolTrimTo(pool, 0), "cudaMemPoolTrimTo");
  std::vector<device_memory> rest;  // all that the GPU still has
  for (std::size_t bytes = std::size_t(1) << 38; bytes > 0;) {
    void* memory = nullptr;
    if (cudaMalloc(&memory, bytes) == cudaSuccess) {
      rest.emplace_back(memory);
    } else {
      cudaGetLastError();
      bytes = bytes > (1 << 16) ? bytes / 2 : 0;
    }
  }
  void* left = nullptr;
  if (cudaMallocAsync(&left, std::size_t(plan.workspace_bytes()), nullptr) == cudaSuccess) {
    check(cudaFreeAsync(left, nullptr), "cudaFreeAsync");
    GTEST_SKIP() << "the GPU's pool keeps some memory";
  }
  cudaGetLastError();
  try {
    plan.run(array.get());
    ADD_FAILURE() << "the workspace was allocated";
  } catch (error const& e) {
    EXPECT_EQ(e.kind(), error_kind::memory) << e.what();
  }
  check(cudaMemcpy(after.data(), array.get(), m * n * 4, cudaMemcpyDeviceToHost), "cudaMemcpy");
  EXPECT_TRUE(before == after);
}

}  // namespace
}  // namespace cornerturn
