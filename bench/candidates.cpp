// Times all candidates of some kernel families for each case of a file, interleaved in one process. Prints JSON:
//   candidates [--between] CASES.json FAMILY...
// Without families, all candidates run. With --between each launch stands between a kernel that writes its source and one that
// writes its destination, whose time without it is subtracted; otherwise equal launches follow each other. Times are microseconds
// per launch, the median over the rounds. `ratio` is the speed as a ratio to cudaMemcpyAsync of the same bytes between the same
// buffers, and `estimated` is the time that the plan expects from its `work` and `rates`, which bench/fit_gpu.py fits.
// `planning` is the time in which all candidates are found, and `planning_first` that of an estimated plan, also in microseconds
// and the median over the rounds.

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <exception>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "block/sizes.hpp"
#include "cornerturn/ladder.hpp"
#include "cuda/handles.hpp"
#include "engine/gpu/devices.hpp"
#include "engine/gpu/gpu.hpp"
#include "engine/gpu/pattern.hpp"
#include "measure/statistics.hpp"
#include "measure/timer.hpp"
#include "plan/choose.hpp"
#include "problem/canonical.hpp"
#include "problem/permuted.hpp"

namespace {

using namespace cornerturn;
using nlohmann::json;

constexpr int kRounds = 15, kDevice = 0;

struct array_case {
  std::vector<std::int64_t> shape, axes;
  std::string type;

  std::int64_t size() const { return type_size(type); }
  std::int64_t bytes() const { return std::accumulate(shape.begin(), shape.end(), size(), std::multiplies<>()); }
};

std::vector<array_case> cases_in(char const* path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error(fmt::format("{} cannot be read", path));
  std::vector<array_case> cases;
  for (auto const& each : json::parse(file)) {
    if (each.size() > 3) throw std::runtime_error(fmt::format("{}: {} has steps, which are not timed here", path, each.dump()));
    cases.push_back({each.at(0), each.at(1), each.at(2)});
  }
  return cases;
}

/// The work of a launch, and the rates from which its time is expected; those that never limit it are left out.
json estimate_of(auto const& plan, gpu_model const& gpu) {
  launch_work const work = work_of(plan, gpu);
  kernel_rates const rates = rates_of(plan, gpu);
  json result{{"work",
               {{"bytes", work.bytes},
                {"share", work.share},
                {"detour", work.detour},
                {"sectors", work.sectors},
                {"split_rows", work.split_rows},
                {"wavefronts", work.wavefronts},
                {"instructions", work.instructions},
                {"waited_instructions", work.waited_instructions},
                {"tiles", work.tiles},
                {"resident", work.resident}}},
              {"rates", {{"last", int(rates.last)}}}};
  for (auto const& [name, value] :
       std::initializer_list<std::pair<char const*, double>>{{"bytes_per_second", rates.bytes_per_second},
                                                             {"sectors_per_second", rates.sectors_per_second},
                                                             {"instructions_per_cycle", rates.instructions_per_cycle},
                                                             {"wavefronts_per_cycle", rates.wavefronts_per_cycle},
                                                             {"tile_seconds", rates.tile_seconds},
                                                             {"sharpness", rates.sharpness},
                                                             {"lone_block_share", rates.lone_block_share},
                                                             {"start_seconds", rates.start_seconds},
                                                             {"waited_seconds", rates.waited_seconds},
                                                             {"wave_seconds", rates.wave_seconds},
                                                             {"margin", rates.margin}})
    if (value != kUnlimited) result["rates"][name] = value;
  if constexpr (requires { int(plan.element_size); }) result["element"] = plan.element_size;
  return result;
}

std::string kernel_of(candidate const& each) {
  return with_kernel(only_step(each), [](auto const& plan) { return std::string(name_of(plan)); });
}

json timed(array_case const& each, std::vector<std::string> const& families, bool between) {
  auto const given = canonical(permutation(each.shape, {}, each.axes, each.size()));
  std::vector<candidate> candidates;
  auto const microseconds_of = [](auto const& planned) {
    auto const begin = std::chrono::steady_clock::now();
    planned();
    return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count();
  };
  std::vector<double> planning, planning_first;
  for (int round = 0; round < kRounds; ++round) {
    planning.push_back(microseconds_of([&] { candidates = candidates_of(given, {}, gpu::model_of(kDevice)); }));
    planning_first.push_back(microseconds_of([&] { fastest_candidate(given, {}, gpu::model_of(kDevice)); }));
  }
  if (!families.empty())
    std::erase_if(candidates, [&](candidate const& way) { return !std::ranges::count(families, kernel_of(way)); });

  auto const bytes = std::size_t(each.bytes());
  auto const source = allocate_device(bytes + std::size_t(kUnitBytes)), destination = allocate_device(bytes);
  auto const fill = [&](void* array, cudaStream_t stream) {
    gpu::fill_pattern(array, std::int64_t(bytes) / kUnitBytes, kUnitBytes, stream);
  };
  gpu::fill_pattern(source.get(), std::int64_t(bytes) / kUnitBytes + 1, kUnitBytes, nullptr);
  std::vector<enqueue> works{[&](cudaStream_t stream) {
    check(cudaMemcpyAsync(destination.get(), source.get(), bytes, cudaMemcpyDeviceToDevice, stream), "cudaMemcpyAsync");
  }};
  for (auto const& way : candidates)
    works.push_back(
        [&](cudaStream_t stream) { gpu::run(way.steps, {.source = source.get(), .destination = destination.get()}, stream); });
  if (between) works.push_back([](cudaStream_t) {});
  auto rows = works;
  if (between)
    for (std::size_t i = 0; i < rows.size(); ++i)
      rows[i] = [&, i](cudaStream_t stream) { fill(source.get(), stream), works[i](stream), fill(destination.get(), stream); };
  auto found = time_interleaved(rows, kRounds).ms;
  if (between)
    for (auto& row : found)
      for (std::size_t round = 0; round < row.size(); ++round) row[round] -= &row == &found.back() ? 0 : found.back()[round];
  auto const median = [&](std::size_t row) { return 1000 * quantile(found[row], 0.5); };
  json result{{"shape", each.shape},
              {"axes", each.axes},
              {"type", each.type},
              {"planning", quantile(planning, 0.5)},
              {"planning_first", quantile(planning_first, 0.5)},
              {"copy", median(0)},
              {"candidates", json::array()}};
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    json row = with_kernel(only_step(candidates[i]), [](auto const& plan) { return estimate_of(plan, gpu::model_of(kDevice)); });
    row.update({{"kernel", kernel_of(candidates[i])},
                {"id", id_of(candidates[i])},
                {"plan", describe(candidates[i])},
                {"estimated", 1e6 * candidates[i].seconds},
                {"time", median(i + 1)},
                {"ratio", median(0) / median(i + 1)}});
    result["candidates"].push_back(std::move(row));
  }
  return result;
}

}  // namespace

int main(int argc, char** argv) try {
  std::vector<std::string> words(argv + 1, argv + argc);
  bool const between = !words.empty() && words.front() == "--between";
  if (between) words.erase(words.begin());
  if (words.empty()) throw std::runtime_error("usage: candidates [--between] CASES.json FAMILY...");
  std::vector<std::string> const families(words.begin() + 1, words.end());
  cudaDeviceProp properties;
  check(cudaGetDeviceProperties(&properties, kDevice), "cudaGetDeviceProperties");
  auto const& gpu = gpu::model_of(kDevice);
  json result{{"device", properties.name}, {"sm_count", gpu.limits.sm_count},
              {"clock_hz", gpu.clock_hz},  {"split_row_seconds", gpu.split_row_seconds},
              {"rounds", kRounds},         {"between", between},
              {"cases", json::array()}};
  for (auto const& each : cases_in(words.front().c_str())) result["cases"].push_back(timed(each, families, between));
  fmt::print("{}\n", result.dump(1));
  return 0;
} catch (std::exception const& failure) {
  fmt::print(stderr, "candidates: {}\n", failure.what());
  return 1;
}
