// Times calls that move almost nothing, planning, and squares on threads that a call starts and on a pool, on the CPU. Prints
// JSON. Every round repeats each call up to some thousand times; figures are nanoseconds per call, the median over the rounds and
// the minimum.

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "cornerturn/cornerturn.hpp"

namespace {

constexpr int kRounds = 101;

struct call {
  std::string name;
  int times;  ///< repetitions per round
  std::function<void()> work;
  std::vector<double> nanoseconds = {};
};

}  // namespace

int main() {
  using clock = std::chrono::steady_clock;
  setenv("CORNERTURN_CACHE_DIR", "/nowhere", 1);  // no measured choices
  cornerturn::plan_options const on_cpu{.processor = cornerturn::processor_kind::cpu};
  auto const planned = [&](std::vector<std::int64_t> shape, std::vector<std::int64_t> axes, std::int64_t size) {
    return [=] { cornerturn::plan_permute(shape, axes, size, on_cpu); };
  };

  std::vector<float> from(1024 * 1024), to(from.size());
  std::vector<call> calls;
  for (std::int64_t const size : {4, 8})
    for (std::int64_t const side : {4, 8, 16, 32}) {
      auto const square = cornerturn::plan_permute({side, side}, {1, 0}, size, on_cpu);
      calls.push_back({fmt::format("run: {0}x{0} f{1}, plan at hand", side, 8 * size), 10'000,
                       [&, square] { square.run(from.data(), to.data()); }});
    }
  calls.insert(calls.end(), {{"permute: 8x8 f32, plan in the cache", 10'000,
                              [&] {
                                cornerturn::permute(from.data(), to.data(), {8, 8}, {1, 0}, 4);
                              }},
                             {"plan: 8x8 f32", 500, planned({8, 8}, {1, 0}, 4)},
                             {"plan: 8192x8192 f32", 100, planned({8192, 8192}, {1, 0}, 4)},
                             {"plan: 16383x16385 u8", 100, planned({16383, 16385}, {1, 0}, 1)},
                             {"plan: 256x224x224x3 u8 by 0,3,1,2", 100, planned({256, 224, 224, 3}, {0, 3, 1, 2}, 1)},
                             {"plan: 48x28x28x28x48 f32, reversed", 100, planned({48, 28, 28, 28, 48}, {4, 3, 2, 1, 0}, 4)}});
  cornerturn::thread_pool const pool;
  auto const workers = pool.workers();
  for (std::int64_t const side : {256, 362, 512, 724, 1024}) {
    auto const square = cornerturn::plan_permute({side, side}, {1, 0}, 4, on_cpu);
    calls.push_back({fmt::format("run: {0}x{0} f32", side), 40, [&, square] { square.run(from.data(), to.data()); }});
    calls.push_back(
        {fmt::format("run_on a pool: {0}x{0} f32", side), 40, [&, square] { square.run_on(workers, from.data(), to.data()); }});
  }
  for (int round = 0; round < kRounds; ++round)
    for (auto& each : calls) {
      auto const start = clock::now();
      for (int i = 0; i < each.times; ++i) each.work();
      each.nanoseconds.push_back(std::chrono::duration<double, std::nano>(clock::now() - start).count() / each.times);
    }

  auto const built = cornerturn::info();
  fmt::print("{{\n \"cornerturn\": \"{}\",\n \"compiler\": \"{}\",\n", built.version, built.compiler);
  fmt::print(" \"processor\": \"{}\",\n \"instructions\": \"{}\",\n \"calls\": [\n", built.cpu.name, built.cpu.instructions);
  for (auto& each : calls) {
    std::ranges::sort(each.nanoseconds);
    fmt::print("  {{\"name\": \"{}\", \"median_ns\": {:.1f}, \"quickest_ns\": {:.1f}}}{}\n", each.name,
               each.nanoseconds[kRounds / 2], each.nanoseconds.front(), &each == &calls.back() ? "" : ",");
  }
  fmt::print(" ]\n}}\n");
}
