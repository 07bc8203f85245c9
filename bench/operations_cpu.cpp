// Times permutations that change elements on the CPU. Beside each, in the same rounds: the plain permutations of elements of the
// source's and of the destination's size, and the same operation without a permutation. Prints JSON. Speeds are GB/s of what is
// read and written together, the median over the rounds.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "cornerturn/cornerturn.hpp"
#include "problem/element_types.hpp"

namespace {

using namespace cornerturn;
using enum element_type;
using numbers = std::vector<std::int64_t>;

constexpr int kRounds = 15;

struct operation_case {
  numbers shape, axes;
  element_operation operation;
};

std::vector<operation_case> all_cases() {
  numbers const square{8192, 8192}, odd{8191, 8193}, images{64, 224, 224, 3}, swapped{1, 0}, planes{0, 3, 1, 2};
  std::vector<operation_case> all;
  for (auto const& [source, destination] : {std::pair{f32, bf16},
                                            {bf16, f32},
                                            {f32, f16},
                                            {f16, f32},
                                            {f64, f32},
                                            {f32, f64},
                                            {u8, f32},
                                            {u8, bf16},
                                            {f32, f8_e4m3fn},
                                            {bf16, f8_e5m2},
                                            {i32, f32},
                                            {f32, i32},
                                            {i64, i32}})
    all.push_back({square, swapped, {source, destination}});
  for (auto const type : {f32, f64, c64, c128}) all.push_back({square, swapped, {type, type, 0.5}});
  for (auto const type : {c64, c128}) all.push_back({square, swapped, {type, type, 1, 0, true}});
  all.push_back({square, swapped, {f32, f32, 1, 0.5}});
  all.push_back({square, swapped, {c64, c64, {0.5, 2}, {1, 0.5}}});
  for (auto const& [source, destination] : {std::pair{f32, bf16}, {bf16, f32}})
    all.push_back({odd, swapped, {source, destination}});
  all.push_back({images, planes, {u8, f32, 1. / 255}});
  for (auto const destination : {f32, f16, bf16}) {
    static float const scale[] = {0.0171f, 0.0175f, 0.0174f}, bias[] = {-2.12f, -2.04f, -1.80f};
    all.push_back({{256, 224, 224, 3},
                   planes,
                   {.source = u8, .destination = destination, .scale = scale, .bias = bias, .factor_strides = {0, 1, 0, 0}}});
  }
  all.push_back({{64, 512, 16, 64}, {0, 2, 1, 3}, {f32, bf16}});
  return all;
}

/// Memory whose pages are all there, for numbers of any type that are neither infinite nor NaN.
std::vector<std::uint32_t> filled(std::int64_t bytes) {
  std::vector<std::uint32_t> words(static_cast<std::size_t>(bytes / 4));
  std::iota(words.begin(), words.end(), 0x3a000000u);
  return words;
}

struct timed_call {
  std::int64_t bytes;  ///< read and written
  std::function<void()> work;
  std::vector<double> seconds = {};

  double speed() {
    std::ranges::sort(seconds);
    return 1e-9 * double(bytes) / seconds[seconds.size() / 2];
  }
};

std::string timed(operation_case const& each) {
  plan_options const on_cpu{.processor = processor_kind::cpu};
  auto const& operation = each.operation;
  auto const elements = std::accumulate(each.shape.begin(), each.shape.end(), std::int64_t(1), std::multiplies<>());
  auto const read = size_of(operation.source), written = size_of(operation.destination), larger = std::max(read, written);
  auto const from = filled(elements * larger);
  auto to = filled(elements * larger);
  auto straight = operation;
  if (is_affine(operation)) straight = {operation.source, operation.destination, 1. / 255};  // the same traffic
  auto const run = [&](auto plan) { return [&, plan] { plan.run(from.data(), to.data()); }; };
  auto const bytes = elements * (read + (operation.beta == 0.0 ? 1 : 2) * written);
  std::vector<timed_call> calls{{bytes, run(plan_permute(each.shape, each.axes, operation, on_cpu))},
                                {2 * elements * read, run(plan_permute(each.shape, each.axes, read, on_cpu))},
                                {2 * elements * written, run(plan_permute(each.shape, each.axes, written, on_cpu))},
                                {bytes, run(plan_permute(numbers{elements}, numbers{0}, straight, on_cpu))}};
  for (int round = -1; round < kRounds; ++round)
    for (auto& call : calls) {
      auto const start = std::chrono::steady_clock::now();
      call.work();
      std::chrono::duration<double> const took = std::chrono::steady_clock::now() - start;
      if (round >= 0) call.seconds.push_back(took.count());
    }
  auto const speed = calls[0].speed(), source = calls[1].speed(), destination = calls[2].speed();
  return fmt::format(
      "  {{\"shape\": [{}], \"axes\": [{}], \"operation\": \"{}\", \"gbs\": {:.2f}, \"plain_source_gbs\": {:.2f}, "
      "\"plain_destination_gbs\": {:.2f}, \"straight_gbs\": {:.2f}, \"ratio\": {:.3f}}}",
      fmt::join(each.shape, ", "), fmt::join(each.axes, ", "), to_string(operation), speed, source, destination, calls[3].speed(),
      speed * (1 / source * read + 1 / destination * written) / (read + written));
}

}  // namespace

int main() {
  setenv("CORNERTURN_CACHE_DIR", "/nowhere", 1);  // no measured choices
  auto const built = cornerturn::info();
  fmt::print("{{\n \"cornerturn\": \"{}\",\n \"compiler\": \"{}\",\n", built.version, built.compiler);
  fmt::print(" \"processor\": \"{}\",\n \"instructions\": \"{}\",\n \"cases\": [", built.cpu.name, built.cpu.instructions);
  char const* separator = "\n";
  for (auto const& each : all_cases()) {
    fmt::print("{}{}", std::exchange(separator, ",\n"), timed(each));
    std::fflush(stdout);
  }
  fmt::print("\n ]\n}}\n");
}
