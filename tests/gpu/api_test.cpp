#include <numeric>
#include <vector>

#include "cornerturn/cornerturn.hpp"
#include "gpu/gpu_test.hpp"
#include "kernel/rung/plan.hpp"
#include "support/message.hpp"

namespace cornerturn {
namespace {

class gpu_api : public test::on_gpu<testing::Test> {};

using test::message_of;

std::vector<std::uint32_t> counted(std::size_t count) {
  std::vector<std::uint32_t> values(count);
  std::iota(values.begin(), values.end(), 0u);
  return values;
}

TEST_F(gpu_api, transposes_device_memory_on_a_stream) {
  constexpr std::int64_t kBatch = 3, kRows = 70, kCols = 130;
  auto const source = counted(kBatch * kRows * kCols);
  auto const bytes = source.size() * sizeof(source[0]);
  for (auto const& kernel : {std::string(), std::string("vec-both"), std::string("naive-read")}) {
    auto const from = allocate_device(bytes), to = allocate_device(bytes);
    auto const stream = make_stream();
    check(cudaMemcpyAsync(from.get(), source.data(), bytes, cudaMemcpyHostToDevice, stream.get()), "cudaMemcpyAsync");
    transpose(from.get(), to.get(), kRows, kCols, 4, {.batch = kBatch, .kernel = kernel, .stream = stream.get()});
    std::vector<std::uint32_t> result(source.size());
    check(cudaMemcpyAsync(result.data(), to.get(), bytes, cudaMemcpyDeviceToHost, stream.get()), "cudaMemcpyAsync");
    check(cudaStreamSynchronize(stream.get()), "cudaStreamSynchronize");
    for (std::int64_t b = 0; b < kBatch; ++b)
      for (std::int64_t r = 0; r < kRows; ++r)
        for (std::int64_t c = 0; c < kCols; ++c)
          ASSERT_EQ(result[std::size_t((b * kCols + c) * kRows + r)], source[std::size_t((b * kRows + r) * kCols + c)]) << kernel;
  }
}

TEST_F(gpu_api, moves_elements_of_any_size_as_runs_of_smaller_ones) {
  constexpr std::int64_t kRows = 33, kCols = 70;
  for (std::int64_t const size : {3, 6, 12, 24, 48}) {
    std::vector<unsigned char> source(std::size_t(kRows * kCols * size)), result(source.size());
    std::iota(source.begin(), source.end(), 0);
    auto const from = allocate_device(source.size()), to = allocate_device(source.size());
    check(cudaMemcpy(from.get(), source.data(), source.size(), cudaMemcpyHostToDevice), "cudaMemcpy");
    transpose(from.get(), to.get(), kRows, kCols, size);
    check(cudaMemcpy(result.data(), to.get(), result.size(), cudaMemcpyDeviceToHost), "cudaMemcpy");
    for (std::int64_t r = 0; r < kRows; ++r)
      for (std::int64_t c = 0; c < kCols; ++c)
        for (std::int64_t byte = 0; byte < size; ++byte)
          ASSERT_EQ(result[std::size_t((c * kRows + r) * size + byte)], source[std::size_t((r * kCols + c) * size + byte)])
              << size << " bytes";
  }
}

TEST_F(gpu_api, serves_a_gpu_that_is_not_the_current_one) {
  int count = 0;
  check(cudaGetDeviceCount(&count), "cudaGetDeviceCount");
  if (count < 2) GTEST_SKIP() << "there are no two GPUs";
  auto const values = counted(6);
  std::vector<std::uint32_t> result(6);
  check(cudaSetDevice(1), "cudaSetDevice");
  auto const from = allocate_device(24), to = allocate_device(24);
  check(cudaMemcpy(from.get(), values.data(), 24, cudaMemcpyHostToDevice), "cudaMemcpy");
  check(cudaSetDevice(0), "cudaSetDevice");
  transpose(from.get(), to.get(), 2, 3, 4);
  int current = -1;
  check(cudaGetDevice(&current), "cudaGetDevice");
  EXPECT_EQ(current, 0);
  check(cudaMemcpy(result.data(), to.get(), 24, cudaMemcpyDeviceToHost), "cudaMemcpy");
  EXPECT_EQ(result, (std::vector<std::uint32_t>{0, 3, 1, 4, 2, 5}));
  auto const here = allocate_device(24);
  EXPECT_EQ(message_of([&] { transpose(from.get(), here.get(), 2, 3, 4); }),
            "destination is memory of device 0; it must be memory of device 1, as the source is");
}

TEST_F(gpu_api, refuses_what_it_cannot_serve) {
  auto const memory = allocate_device(1 << 20);
  auto* const from = static_cast<char*>(memory.get());
  auto* const to = from + (1 << 19);
  std::vector<char> host(1 << 16);
  EXPECT_EQ(message_of([&] { transpose(from, host.data(), 16, 16, 4); }),
            "destination is unregistered memory (the host's, or allocated during a capture); it must be memory of device 0, as "
            "the source is");
  EXPECT_EQ(message_of([&] { transpose(host.data(), to, 16, 16, 4); }),
            "destination is memory of device 0; it must be host memory, as the source is");
  EXPECT_EQ(message_of([&] { transpose(from, to, 16, 16, 4, {.processor = processor_kind::cpu}); }),
            "source is memory of device 0; it must be host memory where processor is cpu");
  EXPECT_EQ(message_of([&] { transpose(from, to, 16, 16, 3, {.kernel = "vec-both"}); }),
            "element_size is 3; it must be 1, 2, 4, 8 or 16 bytes for a GPU kernel");
  EXPECT_EQ(message_of([&] { transpose(from + 1, to, 16, 16, 4, {.kernel = "vec-both"}); }),
            "the source's alignment in bytes is 1; it must be a multiple of the element size, 4");
  EXPECT_NE(message_of([&] { transpose(from, from + 4, 16, 16, 4); }), "");
}

TEST_F(gpu_api, a_failing_call_names_itself_and_the_device) {
  std::string const said = message_of([] { allocate_device(std::size_t(1) << 50); }, error_kind::memory);
  EXPECT_NE(said.find("cudaMalloc failed on device 0 ("), std::string::npos) << said;
  EXPECT_NE(said.find("cudaErrorMemoryAllocation"), std::string::npos) << said;
}

TEST_F(gpu_api, the_ladder_verifies_and_times_every_rung) {
  for (auto const& type : {"u8", "u16", "f32", "f64", "c128"}) {
    auto const run = run_ladder({.rows = 528, .cols = 784, .type = type, .repeats = 3});
    EXPECT_EQ(run.timing, "graph");
    EXPECT_TRUE(run.all_right());
    ASSERT_EQ(run.rungs.size(), rung_names().size() + 2);
    for (auto const& row : run.rungs) {
      if (row.name == "cublas-geam" && row.result == ladder_row::outcome::not_available) continue;
      EXPECT_EQ(row.result, ladder_row::outcome::verified) << row.name << " of " << type << ": " << row.reason;
      EXPECT_GT(row.median_ms, 0) << row.name;
      EXPECT_GT(row.mean_ms, 0) << row.name;
      EXPECT_FALSE(row.best) << row.name;
      EXPECT_NEAR(row.ratio, row.gbs / run.memcpy_gbs, 1e-9) << row.name;
    }
  }
}

TEST_F(gpu_api, the_ladder_sweeps_tiles_and_marks_the_best) {
  if (tiles_of(rung::naive_read, 4, {1, 1}).size() == 1) GTEST_SKIP() << "this build has no tiles for sweeps";
  for (auto const& type : {"u8", "u16", "f32", "f64", "c128"}) {
    auto const run = run_ladder({.rows = 528, .cols = 784, .type = type, .tiles = {"all"}, .repeats = 3});
    EXPECT_TRUE(run.all_right());
    EXPECT_GT(run.rungs.size(), 2 * rung_names().size());
    for (auto const& name : rung_names()) {
      double best = 0, marked = 0;
      for (auto const& row : run.rungs)
        if (row.name == name) {
          EXPECT_EQ(row.result, ladder_row::outcome::verified) << row.name << " of " << type << ": " << row.reason;
          best = std::max(best, row.ratio);
          if (row.best) marked = row.ratio;
        }
      EXPECT_EQ(best, marked) << name;
    }
  }
}

TEST_F(gpu_api, the_ladder_says_which_rungs_tma_cannot_serve) {
  for (auto const& row : run_ladder({.rows = 515, .cols = 770, .repeats = 1}).rungs) {
    bool const tma = row.name.find("tma") != std::string::npos;
    EXPECT_EQ(row.result, tma ? ladder_row::outcome::not_available : ladder_row::outcome::verified) << row.name;
    EXPECT_EQ(row.reason.find("for TMA") != std::string::npos, tma) << row.name << ": " << row.reason;
  }
}

TEST_F(gpu_api, the_ladder_refuses_more_than_the_memory_holds) {
  EXPECT_NE(message_of([] {
              run_ladder({.rows = 1 << 20, .cols = 1 << 20});
            }).find("rows x cols is 1048576 x 1048576 of 4 bytes; it must be at most"),
            std::string::npos);
}

}  // namespace
}  // namespace cornerturn
