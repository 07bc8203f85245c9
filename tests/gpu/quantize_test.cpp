#include <gtest/gtest.h>

#include <random>

#include "cpu/quantize/plan.hpp"
#include "cuda/handles.hpp"
#include "engine/gpu/gpu.hpp"
#include "gpu/gpu_test.hpp"
#include "plan/quantize_candidates.hpp"
#include "support/quantized.hpp"
#include "support/seeds.hpp"

namespace cornerturn {
namespace {

/// The arrays of a case in GPU memory.
struct gpu_quantize : test::on_gpu<> {
  template <class T>
  static device_memory on_device(std::vector<T> const& from) {
    auto result = allocate_device(from.size() * sizeof(T));
    check(cudaMemcpy(result.get(), from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice), "cudaMemcpy");
    return result;
  }
  template <class T>
  static void copy_back(device_memory const& from, std::vector<T>& to) {
    check(cudaMemcpy(to.data(), from.get(), to.size() * sizeof(T), cudaMemcpyDeviceToHost), "cudaMemcpy");
  }

  /// Compares the GPU's result of a case with that of the CPU.
  static void expect_right(test::quantize_case const& each, unsigned seed) {
    test::quantized_arrays wanted(each, seed);
    cpu::run(cpu_quantize{wanted.layout, {.most = 1}}, &wanted.call, nullptr);
    for (auto const& way : quantize_candidates_of(wanted.layout)) {
      test::quantized_arrays result(each, seed);
      run(way, result);
      ASSERT_TRUE(result == wanted) << each.text() << ", " << describe(way);
    }
  }

  /// Runs a candidate on arrays in GPU memory, and copies them back.
  static void run(candidate const& way, test::quantized_arrays& result) {
    std::vector amax{result.amax};
    auto const elements = on_device(result.elements), rows = on_device(result.rows), columns = on_device(result.columns),
               source_scales = on_device(result.source_scales), row_scales = on_device(result.row_scales),
               column_scales = on_device(result.column_scales), most = on_device(amax),
               scale = on_device(std::vector{result.scale}), workspace = allocate_device(std::size_t(way.workspace_bytes));
    auto call = result.call;
    call.source = elements.get();
    if (call.source_scales) call.source_scales = static_cast<float const*>(source_scales.get());
    if (call.scale_address) call.scale_address = static_cast<float const*>(scale.get());
    call.row_values = rows.get(), call.row_scales = static_cast<float*>(row_scales.get());
    call.column_values = columns.get(), call.column_scales = static_cast<float*>(column_scales.get());
    call.amax = static_cast<float*>(most.get());
    gpu::run(way.steps, {.destination = call.amax, .workspace = workspace.get(), .call = &call}, nullptr);
    copy_back(rows, result.rows), copy_back(columns, result.columns);
    copy_back(row_scales, result.row_scales), copy_back(column_scales, result.column_scales);
    copy_back(most, amax);
    result.amax = amax[0];
  }
};

TEST_F(gpu_quantize, is_that_of_the_cpu) {
  for (auto const& each : test::quantize_cases()) {
    expect_right(each, 25);
    if (HasFatalFailure()) return;
  }
}

/// The magnitudes of a row and of a column come from many tiles at once.
TEST_F(gpu_quantize, of_rows_of_many_tiles_is_that_of_the_cpu) {
  for (auto const source : {element_type::f32, element_type::bf16})
    expect_right({source, element_type::f8_e4m3fn, scale_blocks::rows, 2100, 3000, 8, false, true, true}, 25);
}

TEST_F(gpu_quantize, of_random_matrices_is_that_of_the_cpu) {
  auto const* const count = std::getenv("CORNERTURN_FUZZ_COUNT");
  test::for_each_seed(count ? unsigned(std::atoi(count)) : 500, [](unsigned seed) {
    std::mt19937 generator(seed);
    expect_right(test::random_quantize_case(generator), seed);
  });
}

}  // namespace
}  // namespace cornerturn
