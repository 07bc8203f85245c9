// Times transposes of packed elements on the current GPU, beside a copy of the same bytes: the faster of cudaMemcpyAsync and this
// library's copy. They alternate in every round. Compares sampled elements, and writes JSON to the file that --out names. A case
// that finds no memory is left out.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "cornerturn/cornerturn.hpp"
#include "cornerturn/rearrange.hpp"
#include "cuda/check.hpp"
#include "cuda/handles.hpp"
#include "measure/statistics.hpp"
#include "measure/timer.hpp"

namespace {

using namespace cornerturn;

constexpr int kRounds = 11;

struct packed_call {
  int bits;
  std::int64_t batch, rows, columns;

  std::int64_t bytes() const { return batch * rows * columns * bits / 8; }
};

std::vector<packed_call> all_calls() {
  std::vector<packed_call> all;
  for (std::int64_t const n : {8192, 16384, 32768})
    for (int const bits : {4, 2, 1}) all.push_back({bits, 1, n, n});
  all.push_back({1, 1, 65536, 65536});
  all.push_back({4, 1, 14336, 4096});
  all.push_back({4, 64, 4096, 2048});
  all.push_back({4, 1, 16380, 16388});  // rows of bytes
  all.push_back({4, 1, 16376, 16392});  // rows of words
  all.push_back({4, 16384, 128, 128});
  all.push_back({1, 16384, 256, 256});
  return all;
}

/// The element at an index, the lowest bits of a byte first.
int element_at(std::vector<std::uint8_t> const& all, std::int64_t index, int bits) {
  auto const bit = index * bits;
  return all[std::size_t(bit / 8)] >> (bit % 8) & ((1 << bits) - 1);
}

/// Throws if a sample of the result is wrong.
void expect_transposed(packed_call const& each, std::vector<std::uint8_t> const& source,
                       std::vector<std::uint8_t> const& result) {
  std::mt19937_64 generator(57);
  auto const below = [&](std::int64_t extent) { return std::int64_t(generator() % std::uint64_t(extent)); };
  for (int i = 0; i < 100'000; ++i) {
    auto const matrix = below(each.batch) * each.rows * each.columns, row = below(each.rows), column = below(each.columns);
    if (element_at(source, matrix + row * each.columns + column, each.bits) !=
        element_at(result, matrix + column * each.rows + row, each.bits))
      throw std::runtime_error("a transposed element is wrong");
  }
}

std::string timed(packed_call const& each) {
  auto const bytes = each.bytes();
  auto const first = allocate_device(std::size_t(bytes)), second = allocate_device(std::size_t(bytes));
  std::vector<std::uint8_t> source(static_cast<std::size_t>(bytes)), result(source.size());
  std::mt19937 generator(1);
  for (auto& byte : source) byte = std::uint8_t(generator());
  check(cudaMemcpy(first.get(), source.data(), source.size(), cudaMemcpyHostToDevice), "cudaMemcpy");
  auto const copy = plan_permute(std::vector{bytes}, std::vector<std::int64_t>{0}, 1, {.processor = processor_kind::gpu});
  auto const transpose = [&](cudaStream_t stream) {
    rearrange(first.get(), second.get(), "b m k -> b k m", {each.batch, each.rows, each.columns}, 1, {},
              {.bits = each.bits, .stream = stream});
  };
  std::vector<enqueue> const works{
      [&](cudaStream_t stream) { copy.run(first.get(), second.get(), stream); },
      [&](cudaStream_t stream) {
        check(cudaMemcpyAsync(second.get(), first.get(), std::size_t(bytes), cudaMemcpyDeviceToDevice, stream),
              "cudaMemcpyAsync");
      },
      transpose};
  auto const times = time_interleaved(works, kRounds);
  check(cudaMemset(second.get(), 0, std::size_t(bytes)), "cudaMemset");
  transpose(nullptr);
  check(cudaMemcpy(result.data(), second.get(), result.size(), cudaMemcpyDeviceToHost), "cudaMemcpy");
  expect_transposed(each, source, result);
  auto const ms = [&](std::size_t which) { return quantile(times.ms[which], 0.5); };
  return fmt::format(
      "  {{\"bits\": {}, \"batch\": {}, \"rows\": {}, \"columns\": {}, \"ms\": {:.5f}, \"copy_ms\": {:.5f}, \"to_copy\": "
      "{:.4f}}}",
      each.bits, each.batch, each.rows, each.columns, ms(2), std::min(ms(0), ms(1)), std::min(ms(0), ms(1)) / ms(2));
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Times transposes of packed elements on the current GPU.");
  std::string out;
  app.add_option("--out", out, "the JSON file to write")->required();
  CLI11_PARSE(app, argc, argv);
  auto const built = cornerturn::info();
  if (!built.gpu_problem.empty()) return fmt::print(stderr, "{}\n", built.gpu_problem), 1;
  std::string cases;
  for (auto const& each : all_calls()) try {
      auto const line = timed(each);
      fmt::print("{}\n", line);
      cases += (cases.empty() ? "" : ",\n") + line;
    } catch (error const& e) {
      if (e.kind() != error_kind::memory) throw;
      fmt::print(stderr, "no memory for {} bytes twice\n", each.bytes());
    }
  std::ofstream(out) << fmt::format(
      "{{\n \"cornerturn\": \"{}\",\n \"gpu\": \"{}\",\n \"driver\": {},\n \"rounds\": {},\n \"cases\": [\n{}\n ]\n}}\n",
      built.version, built.gpus.front().name, built.driver_version, kRounds, cases);
}
