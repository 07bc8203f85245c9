#include "cornerturn/plan.hpp"

#include <cstdlib>
#include <numeric>
#include <random>
#include <thread>

#include "cornerturn/cornerturn.hpp"
#include "engine/gpu/devices.hpp"
#include "gpu/gpu_test.hpp"
#include "measure/stream_timer.hpp"
#include "problem/print.hpp"
#include "problem/validate.hpp"
#include "support/fake_clock.hpp"
#include "support/message.hpp"
#include "support/plain.hpp"
#include "support/random_problem.hpp"
#include "support/scratch.hpp"
#include "support/seeds.hpp"

namespace cornerturn {
namespace {

using gpu_plan = test::on_gpu<testing::Test>;

constexpr std::size_t kRoom = 1 << 20, kPlanGuard = 64;

/// Both sides on the device, the destination with guards before and behind it.
struct device_case {
  std::vector<std::byte> source = std::vector<std::byte>(kRoom), expected = std::vector<std::byte>(kRoom, std::byte(0xEE));
  device_memory from = allocate_device(kRoom), to = allocate_device(kRoom);

  explicit device_case(unsigned seed) {
    std::mt19937 random(seed);
    for (auto& byte : source) byte = std::byte(random());
    check(cudaMemcpy(from.get(), source.data(), kRoom, cudaMemcpyHostToDevice), "cudaMemcpy");
    check(cudaMemset(to.get(), 0xEE, kRoom), "cudaMemset");
  }
  std::byte* source_at(std::size_t byte) const { return static_cast<std::byte*>(from.get()) + byte; }
  std::byte* destination_at(std::size_t byte) const { return static_cast<std::byte*>(to.get()) + byte; }
  bool is_right() const {
    std::vector<std::byte> result(kRoom);
    check(cudaMemcpy(result.data(), to.get(), kRoom, cudaMemcpyDeviceToHost), "cudaMemcpy");
    return result == expected;
  }
};

struct lists {
  std::vector<std::int64_t> shape, source, destination;
  explicit lists(problem const& p) {
    for (mode const& m : p.modes)
      shape.push_back(m.extent), source.push_back(m.source_stride), destination.push_back(m.destination_stride);
  }
};

TEST_F(gpu_plan, one_shot_calls_follow_the_definition_on_random_problems) {
  test::for_each_seed(300, [](unsigned seed) {
    problem const p = test::random_problem(seed, {.rank = 6, .extent = 9});
    auto const shift = kPlanGuard + seed % 17, other = kPlanGuard + seed % 13;
    if (source_range(p).high + std::int64_t(shift) > std::int64_t(kRoom) ||
        destination_range(p).high + std::int64_t(other + kPlanGuard) > std::int64_t(kRoom))
      return;
    device_case each(seed);
    test::permute_plainly(p, each.source.data() + shift, each.expected.data() + other);
    lists const l(p);
    auto const size = shared_element_size(p);
    strided_copy(each.source_at(shift + std::size_t(p.source_offset * size)), l.source,
                 each.destination_at(other + std::size_t(p.destination_offset * size)), l.destination, l.shape, size);
    ASSERT_TRUE(each.is_right()) << to_string(p);
  });
}

TEST_F(gpu_plan, is_shared_by_eight_threads_and_two_streams) {
  constexpr std::int64_t kSide = 100;
  problem const p{.modes = {{kSide, 1, kSide}, {kSide, kSide, 1}}, .element_size = 4};
  auto const turn = plan_permute({kSide, kSide}, {1, 0}, 4);
  std::vector<std::unique_ptr<device_case>> cases;
  for (unsigned i = 0; i < 8; ++i) {
    cases.push_back(std::make_unique<device_case>(i));
    test::permute_plainly(p, cases[i]->source.data(), cases[i]->expected.data());
  }
  auto const first = make_stream(), second = make_stream();
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < 8; ++i)
    threads.emplace_back([&, i] {
      for (int times = 0; times < 50; ++times)
        turn.run(cases[i]->from.get(), cases[i]->to.get(), times % 2 ? first.get() : second.get());
    });
  for (auto& each : threads) each.join();
  check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  for (auto const& each : cases) EXPECT_TRUE(each->is_right());
}

TEST_F(gpu_plan, is_captured_and_replayed) {
  problem const p{.modes = {{30, 1, 50}, {50, 30, 1}}, .element_size = 2};
  auto const turn = plan_permute({50, 30}, {1, 0}, 2);
  device_case each(1);
  auto const stream = make_stream();
  auto const enqueue = [&] {
    turn.run(each.from.get(), each.to.get(), stream.get());
    permute(each.source_at(kRoom / 2), each.destination_at(kRoom / 2), {50, 30}, {1, 0}, 2, {.stream = stream.get()});
  };
  auto const graph = capture_graph(stream.get(), 1, enqueue, cudaStreamCaptureModeGlobal);
  for (int times = 0; times < 2; ++times) check(cudaGraphLaunch(graph.get(), stream.get()), "cudaGraphLaunch");
  check(cudaStreamSynchronize(stream.get()), "cudaStreamSynchronize");
  for (std::size_t const at : {std::size_t(0), kRoom / 2})
    test::permute_plainly(p, each.source.data() + at, each.expected.data() + at);
  EXPECT_TRUE(each.is_right());
}

/// A cache of measured plans that nobody else uses.
struct own_cache {
  test::scratch folder;
  own_cache() {
    setenv("CORNERTURN_CACHE_DIR", (folder / "").c_str(), 1);
    cache_clear();
  }
  ~own_cache() {
    unsetenv("CORNERTURN_CACHE_DIR");
    cache_clear();
  }
};

TEST_F(gpu_plan, is_measured_in_time) {
  own_cache const cache;
  test::fake_clock const clock(5e-3);
  plan_permute({1000, 3000}, {1, 0}, 4, {.effort = planning_effort::measure, .source_alignment = 4});
  EXPECT_LT(clock.seconds(), 0.4);  // 0.3, and the last round
}

TEST_F(gpu_plan, is_measured_and_remembered) {
  own_cache const cache;
  auto const timed = plan_permute({1000, 3000}, {1, 0}, 4, {.effort = planning_effort::measure, .source_alignment = 4});
  EXPECT_NE(timed.describe().find("that were timed"), std::string::npos) << timed.describe();
  auto const again = plan_permute({1000, 3000}, {1, 0}, 4, {.source_alignment = 4});
  EXPECT_NE(again.describe().find("measured before"), std::string::npos) << again.describe();
}

TEST_F(gpu_plan, refuses_memory_it_is_not_for) {
  using test::message_of;
  auto const on_gpu = plan_permute({20, 20}, {1, 0}, 4);
  auto const on_cpu = plan_permute({20, 20}, {1, 0}, 4, {.processor = processor_kind::cpu});
  device_case const each(1);
  std::vector<int> from(400), to(400);
  EXPECT_NE(message_of([&] { on_gpu.run(from.data(), to.data()); }).find("memory of device 0, which the plan was made for"),
            std::string::npos);
  EXPECT_EQ(message_of([&] { on_cpu.run(each.from.get(), each.to.get()); }),
            "source is memory of device 0; it must be host memory, which the plan was made for");
  EXPECT_NE(
      message_of([&] { on_gpu.run(each.source_at(4), each.to.get()); }).find("a multiple of 16 bytes, as the plan was made for"),
      std::string::npos);
  EXPECT_NE(message_of([&] {
              plan_permute({20, 20}, {1, 0}, 4, {.device = 1000});
            }).find("device is 1000; it must be -1"),
            std::string::npos);
  EXPECT_NE(on_gpu.describe().find("on device 0 ("), std::string::npos) << on_gpu.describe();
}

/// The attributes of the H200's model are those that CUDA reports, and no plan on an H200 mentions another card.
TEST_F(gpu_plan, of_an_h200_is_estimated_by_its_own_model) {
  auto const card = gpu::attributes_of_device(0);
  auto const said = plan_permute({300, 200}, {1, 0}, 4, {.device = 0}).describe();
  EXPECT_EQ(said.find("scaled from an H200") != std::string::npos, card.name != h200_model().limits.name) << said;
  if (card.name != h200_model().limits.name) return;
  auto const& known = h200_model().limits;
  EXPECT_EQ(card.sm_count, known.sm_count);
  EXPECT_EQ(card.clock_hz, known.clock_hz);
  EXPECT_NEAR(card.memory_bytes_per_second, known.memory_bytes_per_second, 1e6);
  EXPECT_EQ(card.l2_bytes, known.l2_bytes);
  EXPECT_EQ(card.threads_per_sm, known.threads_per_sm);
  EXPECT_EQ(card.registers_per_sm, known.registers_per_sm);
  EXPECT_EQ(card.blocks_per_sm, known.blocks_per_sm);
  EXPECT_EQ(card.shared_bytes_per_sm, known.shared_bytes_per_sm);
  EXPECT_EQ(card.reserved_shared_bytes, known.reserved_shared_bytes);
  EXPECT_EQ(card.cluster_blocks, known.cluster_blocks);
}

}  // namespace
}  // namespace cornerturn
