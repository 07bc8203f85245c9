#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "cuda/launch.cuh"
#include "engine/cpu/cpu.hpp"
#include "gpu/gpu_test.hpp"
#include "launch/compiled.hpp"
#include "measure/stream_timer.hpp"
#include "pattern/grammar.hpp"
#include "plan/choose.hpp"
#include "plan/limited.hpp"
#include "problem/canonical.hpp"
#include "problem/element_types.hpp"
#include "problem/permuted.hpp"
#include "support/plain.hpp"
#include "support/program_cases.hpp"

namespace cornerturn {
namespace {

constexpr int kWords = 1 << 14, kThreads = 1024;
constexpr std::size_t kBytes = kWords * sizeof(std::uint32_t);
constexpr long long kLate = 4'000'000;  ///< cycles: about 2 ms, in which everything behind is enqueued

/// Copies, but lets the next launch start at once and writes late.
__global__ void write_late(std::uint32_t const* from, std::uint32_t* to) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  cudaTriggerProgrammaticLaunchCompletion();
#endif
  for (long long const start = clock64(); clock64() - start < kLate;) {
  }
  for (int i = threadIdx.x; i < kWords; i += kThreads) to[i] = from[i];
}

/// Copies as another library's kernel may: it reads before it waits for the launch in front, because its source was written by
/// the launch before that.
__global__ void read_early(std::uint32_t const* from, std::uint32_t* to) {
  int const i = blockIdx.x * kThreads + threadIdx.x;
  auto const held = __ldcg(from + i);
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  cudaGridDependencySynchronize();
#endif
  to[i] = held;
}

using bytes = std::vector<std::byte>;

bytes random_bytes(unsigned seed) {
  bytes result(kBytes);
  for (auto& each : result) each = std::byte((seed = seed * 1664525u + 1013904223u) >> 24);
  return result;
}

/// One of the arrays that launches move between, with what it holds if all goes well.
struct array {
  device_memory memory = allocate_device(kBytes);
  bytes expected;

  explicit array(unsigned seed) : expected(random_bytes(seed)) {
    check(cudaMemcpy(memory.get(), expected.data(), kBytes, cudaMemcpyHostToDevice), "cudaMemcpy");
  }
  std::uint32_t* words() const { return static_cast<std::uint32_t*>(memory.get()); }
  bool is_right() const {
    bytes held(kBytes);
    check(cudaMemcpy(held.data(), memory.get(), kBytes, cudaMemcpyDeviceToHost), "cudaMemcpy");
    return held == expected;
  }
};

/// A launch of one of our kernels. A launch in place changes its source, and does not access the other array.
struct chained_launch {
  problem moved;
  candidate way;
  bool is_in_place = false;

  array& result_of(array& from, array& to) const { return is_in_place ? from : to; }
  void run(array& from, array& to, cudaStream_t stream) const {
    gpu::run(way.steps, {from.memory.get(), result_of(from, to).memory.get()}, stream);
  }
  /// What follows for the arrays; slower than the launch, so that launches which are to overlap are all enqueued before.
  void expect(array& from, array& to) const {
    bytes const source = from.expected;
    test::permute_plainly(moved, source.data(), result_of(from, to).expected.data());
  }
};

/// A launch of a kernel of one family.
chained_launch launch_by(std::string_view family, problem const& p) {
  for (bool const is_in_place : {false, true})
    for (auto& each : is_in_place ? one_step_inplace(canonical(p), {}) : candidates_of(canonical(p), {}))
      if (with_kernel(each.steps.front(), [&](auto const& plan) { return plan.family == family; })) return {p, each, is_in_place};
  throw std::logic_error("no such plan");
}

/// A launch of every family of the tables, and of programs with other loops. Those of the rungs do not overlap.
std::vector<chained_launch> every_launch() {
  using numbers = std::vector<std::int64_t>;
  std::vector<chained_launch> result;
  for (auto const& each : test::kernel_facts()) result.push_back(launch_by(each.name, each.small()));
  result.push_back(launch_by("interleave", permutation(numbers{3, 21'845}, {}, numbers{1, 0}, 1)));
  auto const images =
      with_operation(permutation(numbers{2, 32, 64, 3}, {}, numbers{0, 3, 1, 2}, 1), {element_type::u8, element_type::f32});
  auto const image = with_operation(permutation(numbers{32, 64, 3}, {}, numbers{2, 0, 1}, 1), *images.operation);
  constexpr std::int64_t kImageBytes = 32 * 64 * 3;
  result.push_back({images, single_step(with_sources(plan_planes(canonical(image), {}).value(), {0, kImageBytes}, kImageBytes))});
  return result;
}

TEST(gpu_overlap_launches, are_of_every_family) {
  auto const launches = every_launch();
  all_families::for_each([&]<class Plan>() {
    EXPECT_TRUE(std::ranges::any_of(launches, [](auto const& each) {
      return std::holds_alternative<Plan>(each.way.steps.front().kernel);
    })) << Plan::family;
  });
}

class gpu_overlap : public test::on_gpu<testing::Test> {
 protected:
  void SetUp() override {
    on_gpu::SetUp();
    if (!IsSkipped() && !gpu::overlaps_launches()) GTEST_SKIP() << "launches do not overlap on this GPU";
  }

  /// Enqueues a copy that lets the next launch start long before it writes.
  void enqueue_write(array const& from, array& to) const {
    launch_kernel(&write_late, {1, kThreads}, stream_.get(), from.words(), to.words());
    to.expected = from.expected;
  }
  void wait() const { check(cudaStreamSynchronize(stream_.get()), "cudaStreamSynchronize"); }

  stream_handle stream_;
};

TEST_F(gpu_overlap, every_program_waits_for_the_launch_in_front) {
  stream_ = make_stream();
  array const newer(1);
  for (auto const& each : every_launch()) {
    array from(2), to(3);
    enqueue_write(newer, from);
    each.run(from, to, stream_.get());
    each.expect(from, to);
    wait();
    EXPECT_TRUE(from.is_right() && to.is_right()) << describe(each.way);
  }
}

/// A kernel of ours that let its successor start before its own wait would break this.
TEST_F(gpu_overlap, other_kernels_may_read_what_was_written_two_launches_before) {
  stream_ = make_stream();
  auto const steps = every_launch();
  array const newer(1);
  for (auto const& first : steps)
    for (auto const& second : steps) {
      array from(2), to(3), apart(4), elsewhere(5), read(6);
      enqueue_write(newer, from);
      first.run(from, to, stream_.get());
      second.run(apart, elsewhere, stream_.get());
      launch_kernel(&read_early, {kWords / kThreads, kThreads, 0, true}, stream_.get(), first.result_of(from, to).words(),
                    read.words());
      first.expect(from, to);
      second.expect(apart, elsewhere);
      read.expected = first.result_of(from, to).expected;
      wait();
      EXPECT_TRUE(read.is_right() && apart.is_right() && elsewhere.is_right()) << describe(first.way) << "\n"
                                                                               << describe(second.way);
    }
}

/// The arrays take turns A -> B -> C -> A, and each launch moves what the one before has just written. A launch in place leaves
/// the turn where it is.
TEST_F(gpu_overlap, chains_of_dependent_launches_are_in_order) {
  stream_ = make_stream();
  auto const steps = every_launch();
  std::mt19937 random;
  std::vector<chained_launch const*> chain(400);
  for (auto& each : chain) each = &steps[random() % steps.size()];
  array const newer(1);
  std::array<array, 3> arrays{array(2), array(3), array(4)};
  auto const follow_chain = [&](auto const& visit) {
    std::size_t turn = 0;
    for (auto const* const each : chain) {
      visit(*each, arrays[turn], arrays[(turn + 1) % 3]);
      if (!each->is_in_place) turn = (turn + 1) % 3;
    }
  };
  auto const enqueue_chain = [&] {
    enqueue_write(newer, arrays[0]);
    follow_chain([&](chained_launch const& each, array& from, array& to) { each.run(from, to, stream_.get()); });
    follow_chain([](chained_launch const& each, array& from, array& to) { each.expect(from, to); });
  };
  enqueue_chain();
  wait();
  for (auto const& each : arrays) EXPECT_TRUE(each.is_right()) << "on a stream";

  auto const graph = capture_graph(stream_.get(), 1, enqueue_chain);
  check(cudaGraphLaunch(graph.get(), stream_.get()), "cudaGraphLaunch");
  wait();
  for (auto const& each : arrays) EXPECT_TRUE(each.is_right()) << "in a graph";
}

TEST_F(gpu_overlap, is_allowed_in_a_graph_behind_our_own_launches_alone) {
  stream_ = make_stream();
  array const newer(1);
  array from(2), to(3), last(4);
  auto const matrix = launch_by("small", permutation(std::vector<std::int64_t>{64, 64}, {}, std::vector<std::int64_t>{1, 0}, 4));
  check(cudaStreamBeginCapture(stream_.get(), cudaStreamCaptureModeThreadLocal), "cudaStreamBeginCapture");
  enqueue_write(newer, from);
  matrix.run(from, to, stream_.get());
  matrix.run(to, last, stream_.get());
  cudaGraph_t graph;
  check(cudaStreamEndCapture(stream_.get(), &graph), "cudaStreamEndCapture");
  std::array<cudaGraphNode_t, 4> before, after;
  std::array<cudaGraphEdgeData, 4> edges;
  std::size_t count = edges.size();
#if CUDART_VERSION >= 13000
  check(cudaGraphGetEdges(graph, before.data(), after.data(), edges.data(), &count), "cudaGraphGetEdges");
#else
  check(cudaGraphGetEdges_v2(graph, before.data(), after.data(), edges.data(), &count), "cudaGraphGetEdges");
#endif
  ASSERT_EQ(count, 2u);
  EXPECT_EQ(std::ranges::count(edges.begin(), edges.begin() + 2, cudaGraphDependencyTypeProgrammatic,
                               [](auto const& edge) { return cudaGraphDependencyType(edge.type); }),
            1);
  check(cudaGraphDestroy(graph), "cudaGraphDestroy");
}

/// 500 x 126 bytes in tiles of 128 x 4: a launch for whole tiles, and one beside it for each edge.
TEST_F(gpu_overlap, launches_side_by_side_wait_for_those_before_and_are_complete_together) {
  constexpr std::int64_t kRows = 500, kColumns = 126;
  auto const steps = rearrangement_of("(m a b) (k c) -> m k b a c", {kRows, kColumns},
                                      std::vector<axis_length>{{"a", 4}, {"b", 32}, {"c", 4}}, {.padded = true});
  pattern_copy const copy{move_of(*steps, {kRows, kColumns}, {}), 1, {std::byte{7}}};
  auto const all = limited_candidates(copy, {}, h200_model());
  auto const way = std::ranges::find_if(all, [](candidate const& each) { return each.steps.back().is_beside_last; });
  ASSERT_NE(way, all.end());
  ASSERT_EQ(way->steps.size(), 3u);
  stream_ = make_stream();
  array const newer(1);
  for (bool const in_graph : {false, true})
    for (auto const& last : every_launch()) {
      array from(2), to(3), apart(4), elsewhere(5), read(6);
      auto const enqueue = [&] {
        enqueue_write(newer, from);
        gpu::run(way->steps, {from.memory.get(), to.memory.get()}, stream_.get());
        last.run(apart, elsewhere, stream_.get());
        launch_kernel(&read_early, {kWords / kThreads, kThreads, 0, true}, stream_.get(), to.words(), read.words());
      };
      graph_exec_handle graph;
      if (in_graph) {
        graph = capture_graph(stream_.get(), 1, enqueue);
        check(cudaGraphLaunch(graph.get(), stream_.get()), "cudaGraphLaunch");
      } else {
        enqueue();
      }
      last.expect(apart, elsewhere);
      wait();
      cpu::run(cpu_limited_candidate(copy), {.source = from.expected.data(), .destination = to.expected.data()});
      read.expected = to.expected;
      EXPECT_TRUE(to.is_right() && read.is_right() && apart.is_right() && elsewhere.is_right())
          << describe(*way) << "\n"
          << describe(last.way) << (in_graph ? ", in a graph" : "");
    }
}

}  // namespace
}  // namespace cornerturn
