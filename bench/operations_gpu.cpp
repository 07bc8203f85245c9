// Times permutations that change elements on the current GPU. Beside each, in the same rounds: the same operation without a
// permutation, copies of as many bytes (half of what is read and written together) by cudaMemcpyAsync and by this library, the
// fastest candidate by measurement, and for elements of equal sizes the permutation of bits. Prints JSON with speeds as ratios to
// these, where the copy is the faster one. Then times images that are a list, beside the same images behind one pointer, and matrices
// that are quantised to 8-bit floats, both beside a copy of as many bytes. A case that finds no memory is left out.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <numeric>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "cornerturn/cornerturn.hpp"
#include "cornerturn/quantize.hpp"
#include "cuda/check.hpp"
#include "cuda/handles.hpp"
#include "engine/gpu/pattern.hpp"
#include "measure/statistics.hpp"
#include "measure/timer.hpp"
#include "problem/element_types.hpp"

namespace {

using namespace cornerturn;
using enum element_type;

constexpr int kRounds = 11;

struct operation_case {
  std::vector<std::int64_t> shape, axes;
  element_operation operation;

  std::int64_t elements() const { return std::accumulate(shape.begin(), shape.end(), std::int64_t(1), std::multiplies<>()); }
};

/// Six floats on the GPU: a scale and a bias for each of three channels.
float const* channel_factors() {
  static auto const memory = [] {
    float const numbers[] = {0.0171f, 0.0175f, 0.0174f, -2.12f, -2.04f, -1.80f};
    auto result = allocate_device(sizeof numbers);
    check(cudaMemcpy(result.get(), numbers, sizeof numbers, cudaMemcpyHostToDevice), "cudaMemcpy");
    return result;
  }();
  return static_cast<float const*>(memory.get());
}

std::vector<operation_case> all_cases() {
  std::vector<operation_case> all;
  for (std::int64_t const n : {8192, 16384, 32768})
    for (auto const& [source, destination] : {std::pair{f32, bf16}, {bf16, f32}, {f64, f32}, {f32, f64}, {f32, f16}})
      all.push_back({{n, n}, {1, 0}, {source, destination}});
  for (auto const type : {f32, f64, c64, c128}) {
    all.push_back({{16384, 16384}, {1, 0}, {type, type, 0.5}});
    all.push_back({{16384, 16384}, {1, 0}, {type, type, 0.5, 2}});
  }
  for (auto const type : {c64, c128}) all.push_back({{16384, 16384}, {1, 0}, {type, type, 1, 0, true}});
  all.push_back({{16384, 16384}, {1, 0}, {c64, c64, {0.5, 2}, {1, 0.5}}});
  for (auto const source : {f32, f16, bf16})
    for (auto const destination : {f8_e4m3fn, f8_e5m2}) all.push_back({{16384, 16384}, {1, 0}, {source, destination}});
  for (auto const destination : {f32, f16, bf16}) {
    all.push_back({{256, 224, 224, 3}, {0, 3, 1, 2}, {u8, destination, 1. / 255}});
    auto const* const factors = channel_factors();
    all.push_back(
        {{256, 224, 224, 3},
         {0, 3, 1, 2},
         {.source = u8, .destination = destination, .scale = factors, .bias = factors + 3, .factor_strides = {0, 1, 0, 0}}});
    all.push_back({{16384, 16384}, {1, 0}, {u8, destination}});
  }
  all.push_back({{16381, 16389}, {1, 0}, {f32, bf16}});
  all.push_back({{64, 512, 16, 64}, {0, 2, 1, 3}, {f32, bf16}});
  all.push_back({{48, 28, 28, 28, 48}, {4, 3, 2, 1, 0}, {f32, bf16}});
  for (auto const& [source, destination] :
       {std::pair{u8, boolean}, {i8, f32}, {i16, f32}, {i32, f32}, {f32, i32}, {i64, f64}, {f64, bf16}, {f16, bf16}, {u8, i64}})
    all.push_back({{16384, 16384}, {1, 0}, {source, destination}});
  return all;
}

/// Copies bytes on the GPU by cudaMemcpyAsync.
std::function<void(cudaStream_t)> memcpy_of(void* to, void const* from, std::int64_t bytes) {
  return [=](cudaStream_t stream) {
    check(cudaMemcpyAsync(to, from, std::size_t(bytes), cudaMemcpyDeviceToDevice, stream), "cudaMemcpyAsync");
  };
}

std::string timed(operation_case const& each) {
  auto const elements = each.elements();
  auto const& operation = each.operation;
  auto const read = elements * size_of(operation.source), written = elements * size_of(operation.destination);
  auto const copied = (read + (operation.beta == 0.0 ? 1 : 2) * written) / 2;
  auto const first = allocate_device(std::size_t(std::max(read, copied))),
             second = allocate_device(std::size_t(std::max(written, copied)));
  gpu::fill_pattern(first.get(), read / 16, 16, nullptr);
  check(cudaMemset(second.get(), 0x31, std::size_t(written)), "cudaMemset");
  plan_options const on_gpu{.processor = processor_kind::gpu};
  plan_options const measured{.processor = processor_kind::gpu, .effort = planning_effort::measure};
  std::vector<std::int64_t> const in_a_row{elements}, only_axis{0};
  auto const plan = plan_permute(each.shape, each.axes, operation, on_gpu);
  auto const fastest = plan_permute(each.shape, each.axes, operation, measured);
  auto in_order = operation;
  if (is_affine(operation)) in_order = {operation.source, operation.destination, 1. / 255};  // the same traffic
  auto const straight = plan_permute(in_a_row, only_axis, in_order, on_gpu);
  auto const copy = plan_permute(std::vector{copied}, only_axis, 1, on_gpu);
  auto const bits = plan_permute(each.shape, each.axes, size_of(operation.source), on_gpu);
  bool const are_equal = size_of(operation.source) == size_of(operation.destination);
  auto const run = [&](permutation_plan const& which) {
    return [&, which](cudaStream_t stream) { which.run(first.get(), second.get(), stream); };
  };
  std::vector<std::function<void(cudaStream_t)>> works{run(copy), run(plan), run(straight), run(fastest),
                                                       memcpy_of(second.get(), first.get(), copied)};
  if (are_equal) works.push_back(run(bits));
  auto const times = time_interleaved(works, kRounds);
  auto const ms = [&](std::size_t which) { return quantile(times.ms[which], 0.5); };
  double const own = ms(1), copied_ms = std::min(ms(0), ms(4));
  return fmt::format(
      "  {{\"shape\": [{}], \"axes\": [{}], \"operation\": \"{}\", \"plan\": \"{}\", \"measured_plan\": \"{}\", \"ms\": {:.5f}, "
      "\"to_straight\": {:.4f}, \"to_copy\": {:.4f}, \"straight_to_copy\": {:.4f}, \"to_measured\": {:.4f}{}}}",
      fmt::join(each.shape, ", "), fmt::join(each.axes, ", "), to_string(operation), plan.describe(), fastest.describe(), own,
      ms(2) / own, copied_ms / own, copied_ms / ms(2), ms(3) / own,
      are_equal ? fmt::format(", \"to_bits\": {:.4f}", ms(5) / own) : "");
}

/// Normalised images, one for each of 256 addresses.
struct list_case {
  static constexpr std::int64_t kImages = 256, kHeight = 224, kWidth = 224, kChannels = 3;
  element_type destination;

  static std::int64_t image() { return kHeight * kWidth * kChannels; }
  static std::int64_t elements() { return kImages * image(); }
};

std::vector<list_case> all_list_cases() { return {{f32}, {f16}, {bf16}}; }

std::string timed(list_case const& each) {
  auto const image = each.image(), read = each.elements(), written = read * size_of(each.destination), copied = (read + written) / 2;
  auto const first = allocate_device(std::size_t(std::max(read, copied))),
             second = allocate_device(std::size_t(std::max(written, copied)));
  gpu::fill_pattern(first.get(), read / 16, 16, nullptr);
  auto const* const factors = channel_factors();
  element_operation operation{.source = u8, .destination = each.destination, .scale = factors, .bias = factors + 3};
  auto with_batch = operation;
  operation.factor_strides = {1, 0, 0}, with_batch.factor_strides = {0, 1, 0, 0};
  // Images that follow one another are not neighbours in memory.
  std::vector<void const*> list;
  constexpr std::int64_t kStep = 151;
  for (std::int64_t i = 0; i < each.kImages; ++i)
    list.push_back(static_cast<char const*>(first.get()) + i * kStep % each.kImages * image);
  plan_options const on_gpu{.processor = processor_kind::gpu};
  auto const batch = plan_permute({each.kImages, each.kHeight, each.kWidth, each.kChannels}, {0, 3, 1, 2}, with_batch, on_gpu);
  auto const copy = plan_permute(std::vector{copied}, std::vector<std::int64_t>{0}, 1, on_gpu);
  std::vector<std::function<void(cudaStream_t)>> const works{
      [&](cudaStream_t stream) {
        permute_batched(list, second.get(), image, {each.kHeight, each.kWidth, each.kChannels}, {2, 0, 1}, operation,
                        {.stream = stream, .device = 0});
      },
      [&](cudaStream_t stream) { batch.run(first.get(), second.get(), stream); },
      [&](cudaStream_t stream) { copy.run(first.get(), second.get(), stream); }, memcpy_of(second.get(), first.get(), copied)};
  auto const times = time_interleaved(works, kRounds);
  auto const ms = [&](std::size_t which) { return quantile(times.ms[which], 0.5); };
  return fmt::format(
      "  {{\"images\": {}, \"shape\": [{}, {}, {}], \"operation\": \"{}\", \"ms\": {:.5f}, \"to_batch\": {:.4f}, \"to_copy\": {:.4f}}}",
      each.kImages, each.kHeight, each.kWidth, each.kChannels, to_string(operation), ms(0), ms(1) / ms(0),
      std::min(ms(2), ms(3)) / ms(0));
}

struct quantize_case {
  std::int64_t rows, cols;
  element_type source;
  scale_blocks blocks;
  bool has_rows, has_columns;
  bool is_f_order = false;  ///< scales that belong to neighbouring rows are neighbours

  std::int64_t elements() const { return rows * cols; }
};

std::vector<quantize_case> all_quantize_cases() {
  std::vector<quantize_case> all;
  for (auto const& [rows, cols] : {std::pair<std::int64_t, std::int64_t>{4096, 4096}, {8192, 8192}, {32768, 4096}})
    for (auto const blocks : {scale_blocks::tensor, scale_blocks::rows, scale_blocks::row_blocks, scale_blocks::squares})
      for (auto const& [has_rows, has_columns] : {std::pair{true, false}, {false, true}, {true, true}})
        for (bool const is_f_order : {false, true})
          if (!is_f_order || blocks == scale_blocks::row_blocks)
            all.push_back({rows, cols, bf16, blocks, has_rows, has_columns, is_f_order});
  for (auto const source : {f16, f32}) all.push_back({8192, 8192, source, scale_blocks::row_blocks, true, true});
  // A matrix with scales of 1x128 along its rows gets others.
  for (auto const blocks : {scale_blocks::row_blocks, scale_blocks::squares})
    for (std::int64_t const cols : {4096, 8192}) all.push_back({8192, cols, f8_e4m3fn, blocks, false, true});
  all.push_back({8192, 8192, f8_e4m3fn, scale_blocks::row_blocks, true, true});
  all.push_back({8192, 8192, f8_e4m3fn, scale_blocks::row_blocks, false, true, true});
  return all;
}

/// Fills memory with floating-point numbers of `size` bytes between 1/2 and 2, of both signs and with random mantissas. A single
/// byte is a float8_e4m3fn.
void fill_with_numbers(void* to, std::int64_t bytes, std::int64_t size) {
  std::mt19937 generator(1);
  std::vector<std::uint8_t> some(1 << 20);
  for (std::size_t i = 0; i < some.size(); ++i)
    some[i] = size == 1                            ? std::uint8_t(0x38 | (generator() & 0x87))
              : std::int64_t(i) % size == size - 1 ? std::uint8_t(0x3f | (generator() & 0x80))
                                                   : std::uint8_t(generator());
  for (std::int64_t at = 0; at < bytes; at += std::int64_t(some.size()))
    check(cudaMemcpy(static_cast<char*>(to) + at, some.data(), std::size_t(std::min<std::int64_t>(some.size(), bytes - at)),
                     cudaMemcpyHostToDevice),
          "cudaMemcpy");
}

/// All of these give the largest magnitude, too, which a recipe with delayed scales needs.
std::string timed(quantize_case const& each) {
  auto const elements = each.elements(), outputs = std::int64_t(each.has_rows) + each.has_columns,
             read = elements * size_of(each.source), copied = (read + outputs * elements) / 2;
  auto const source = allocate_device(std::size_t(std::max(read, copied))),
             values = allocate_device(std::size_t(std::max(2 * elements, copied))),
             scales = allocate_device(std::size_t(2 * elements / 128) * sizeof(float)), amax = allocate_device(sizeof(float)),
             source_scales = allocate_device(std::size_t(elements / 128) * sizeof(float));
  check(cudaMemset(amax.get(), 0, sizeof(float)), "cudaMemset");
  fill_with_numbers(source.get(), read, size_of(each.source));
  fill_with_numbers(source_scales.get(), elements / 128 * std::int64_t(sizeof(float)), sizeof(float));
  auto const output = [&](bool wanted, std::int64_t pitch, std::int64_t which) -> quantized_matrix {
    if (!wanted) return {};
    auto const in_row = each.blocks == scale_blocks::rows ? 1 : pitch / 128;  // scales
    return {static_cast<char*>(values.get()) + which * elements, pitch,
            static_cast<float*>(scales.get()) + which * (elements / 128), each.is_f_order ? 1 : in_row,
            each.is_f_order ? elements / pitch : 1};
  };
  bool const has_source_scales = each.source == f8_e4m3fn;
  auto const along_rows = output(each.has_rows, each.cols, 0), along_columns = output(each.has_columns, each.rows, 1);
  auto const copy = plan_permute(std::vector{copied}, std::vector<std::int64_t>{0}, 1, {.processor = processor_kind::gpu});
  std::vector<std::function<void(cudaStream_t)>> const works{
      [&](cudaStream_t stream) {
        quantize(source.get(), each.source, each.rows, each.cols, each.cols, f8_e4m3fn, along_rows, along_columns,
                 {.blocks = each.blocks,
                  .scale = 0.5f,
                  .source_scales = has_source_scales ? static_cast<float const*>(source_scales.get()) : nullptr,
                  .source_scale_row_stride = each.cols / 128,
                  .source_scale_block_stride = 1,
                  .amax = static_cast<float*>(amax.get()),
                  .stream = stream});
      },
      [&](cudaStream_t stream) { copy.run(source.get(), values.get(), stream); }, memcpy_of(values.get(), source.get(), copied)};
  auto const times = time_interleaved(works, kRounds);
  auto const ms = [&](std::size_t which) { return quantile(times.ms[which], 0.5); };
  constexpr std::string_view kBlocks[] = {"given", "rows", "1x128", "128x128"};
  return fmt::format(
      "  {{\"rows\": {}, \"cols\": {}, \"source\": \"{}\", \"scales\": \"{}\", \"scale_order\": \"{}\", \"outputs\": \"{}\", "
      "\"ms\": {:.5f}, "
      "\"to_copy\": {:.4f}}}",
      each.rows, each.cols, name_of(each.source), kBlocks[int(each.blocks)], each.is_f_order ? 'F' : 'C',
      !each.has_columns ? "rows"
      : each.has_rows   ? "both"
                        : "columns",
      ms(0), std::min(ms(1), ms(2)) / ms(0));
}

/// Prints what timed(case) returns for each case, one after another.
template <class Case>
void print_all(std::vector<Case> const& cases) {
  bool is_first = true;
  for (auto const& each : cases) {
    try {
      fmt::print("{}{}", std::exchange(is_first, false) ? "" : ",\n", timed(each));
    } catch (error const& e) {
      if (e.kind() != error_kind::memory) throw;
      fmt::print(stderr, "no memory for {} elements twice\n", each.elements());
    }
    std::fflush(stdout);
  }
}

}  // namespace

int main() {
  auto const built = cornerturn::info();
  if (!built.gpu_problem.empty()) return fmt::print(stderr, "{}\n", built.gpu_problem), 1;
  fmt::print("{{\n \"cornerturn\": \"{}\",\n \"gpu\": \"{}\",\n \"driver\": {},\n \"rounds\": {},\n \"cases\": [\n",
             built.version, built.gpus.front().name, built.driver_version, kRounds);
  print_all(all_cases());
  fmt::print("\n ],\n \"listed\": [\n");
  print_all(all_list_cases());
  fmt::print("\n ],\n \"quantized\": [\n");
  print_all(all_quantize_cases());
  fmt::print("\n ]\n}}\n");
}
