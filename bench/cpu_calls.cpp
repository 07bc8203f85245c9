// Times calls that move almost nothing, planning, squares on several threads, in a row and after a rest, and squares whose rows
// are a power of two apart beside their neighbours, on the CPU. Prints JSON. Every round repeats each call up to some thousand
// times; figures are nanoseconds per call, the median over the rounds and the minimum.

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "cornerturn/cornerturn.hpp"

namespace {

constexpr int kRounds = 101;

struct call {
  std::string name;
  int times;  ///< repetitions per round
  std::function<void()> work;
  std::chrono::milliseconds rest = {};  ///< before each round
  std::vector<double> nanoseconds = {};
};

constexpr cornerturn::plan_options kOnCpu{.processor = cornerturn::processor_kind::cpu};

/// Adds plans whose elements change, and plans in place, one of which is refused.
void add_planning(std::vector<call>& calls) {
  using namespace cornerturn;
  calls.push_back({"plan: 32x14x16x14x16x3 f32 to bf16 by 0,1,3,2,4,5", 20, [] {
                     plan_permute({32, 14, 16, 14, 16, 3}, {0, 1, 3, 2, 4, 5}, {element_type::f32, element_type::bf16}, kOnCpu);
                   }});
  auto const in_place = [](std::vector<std::int64_t> shape, std::vector<std::int64_t> axes, std::int64_t size,
                           std::int64_t workspace = -1) {
    return [=] {
      try {
        plan_permute_inplace(shape, axes, size, {.processor = processor_kind::cpu, .workspace = workspace});
      } catch (error const&) {
      }
    };
  };
  calls.push_back({"plan in place: 16384x16384 f32", 100, in_place({16384, 16384}, {1, 0}, 4)});
  calls.push_back({"plan in place: 12345x6789 f32", 20, in_place({12345, 6789}, {1, 0}, 4)});
  calls.push_back({"plan in place: 48x40x36x32x64 f32, reversed", 1, in_place({48, 40, 36, 32, 64}, {4, 3, 2, 1, 0}, 4)});
  calls.push_back({"plan in place: 2670713x812 u8, refused", 1, in_place({2'670'713, 812}, {1, 0}, 1, 0)});
}

/// Adds squares with warm caches on one thread. Both arrays begin at the same offset within a page, as NumPy's large arrays do.
void add_neighbours(std::vector<call>& calls) {
  auto const page = std::uintptr_t(sysconf(_SC_PAGESIZE)), off = std::uintptr_t(16);
  for (auto const& [side, size] : std::vector<std::pair<std::int64_t, std::int64_t>>{
           {512, 4}, {1024, 4}, {512, 8}, {512, 16}, {1024, 16}, {1024, 1}, {1024, 2}, {2048, 2}, {3072, 4}})
    for (auto const each : {side - 12, side, side - 28}) {
      auto const plan =
          cornerturn::plan_permute({each, each}, {1, 0}, size, {.processor = cornerturn::processor_kind::cpu, .threads = 1});
      auto const array = [=, bytes = std::size_t(each * each * size)] {
        return std::make_shared<std::vector<char>>(bytes + 2 * page, '\1');
      };
      auto const first = [=](std::vector<char>& memory) {
        return memory.data() + off + -reinterpret_cast<std::uintptr_t>(memory.data()) % page;
      };
      calls.push_back({fmt::format("run on one thread: {0}x{0} of {1} bytes", each, size), 5,
                       [=, from = array(), to = array()] { plan.run(first(*from), first(*to)); }});
    }
}

/// Adds squares on 1 to all threads, each in a row and after a rest in which the threads fall asleep.
void add_threads(std::vector<call>& calls, float const* from, float* to) {
  int const all = int(std::thread::hardware_concurrency());
  for (std::int64_t const side : {512, 1024, 2048})
    for (int threads = 1; threads <= all; threads *= 2) {
      auto const plan = cornerturn::plan_permute({side, side}, {1, 0}, sizeof(float),
                                                 {.processor = cornerturn::processor_kind::cpu, .threads = threads});
      auto const name = fmt::format("run on {0} threads: {1}x{1} f32", threads, side);
      auto const work = [=] { plan.run(from, to); };
      calls.push_back({name, 5, work});
      calls.push_back({name + ", after a rest", 1, work, std::chrono::milliseconds(10)});
    }
}

}  // namespace

int main() {
  using clock = std::chrono::steady_clock;
  setenv("CORNERTURN_CACHE_DIR", "/nowhere", 1);  // no measured choices
  auto const planned = [&](std::vector<std::int64_t> shape, std::vector<std::int64_t> axes, std::int64_t size) {
    return [=] { cornerturn::plan_permute(shape, axes, size, kOnCpu); };
  };

  std::vector<float> from(2048 * 2048), to(from.size());
  std::vector<call> calls;
  for (std::int64_t const size : {4, 8})
    for (std::int64_t const side : {4, 8, 16, 32}) {
      auto const square = cornerturn::plan_permute({side, side}, {1, 0}, size, kOnCpu);
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
  for (std::int64_t const side : {256, 362, 512, 724, 1024}) {
    auto const square = cornerturn::plan_permute({side, side}, {1, 0}, 4, kOnCpu);
    calls.push_back({fmt::format("run: {0}x{0} f32", side), 40, [&, square] { square.run(from.data(), to.data()); }});
  }
  add_threads(calls, from.data(), to.data());
  add_planning(calls);
  add_neighbours(calls);
  for (int round = 0; round < kRounds; ++round)
    for (auto& each : calls) {
      std::this_thread::sleep_for(each.rest);
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
