#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <random>
#include <stdexcept>
#include <vector>

#include "cornerturn/ladder.hpp"
#include "cornerturn/transpose.hpp"
#include "engine/host/host.hpp"

// Offsets past 2^31 elements, by a pitch or a batch stride over memory of which only the rows are ever touched.

namespace cornerturn {
namespace {

constexpr std::int64_t kFar = (std::int64_t(1) << 31) + 64;  // rows are vector-aligned

/// Address space whose pages come into being when they are touched.
class sparse_memory {
 public:
  explicit sparse_memory(std::size_t bytes) : bytes_(bytes) {
    memory_ = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory_ == MAP_FAILED) throw std::runtime_error(std::strerror(errno));
    ::madvise(memory_, bytes, MADV_NOHUGEPAGE);
  }
  sparse_memory(sparse_memory const&) = delete;
  ~sparse_memory() { ::munmap(memory_, bytes_); }
  std::byte* data() const { return static_cast<std::byte*>(memory_); }

 private:
  std::size_t bytes_;
  void* memory_;
};

using moved_by = std::function<void(job const& shape, void const* source, void* destination)>;

/// Moves a job between sparse memories; every element of the source is random and every other byte is 0.
void check_far(job const& shape, bool transposed, std::int64_t size, moved_by const& move) {
  sparse_memory const source(std::size_t(shape.batch * shape.source_batch_stride * size)),
      destination(std::size_t(shape.batch * shape.destination_batch_stride * size));
  auto const each_element = [&](auto const& visit) {
    for (std::int64_t b = 0; b < shape.batch; ++b)
      for (std::int64_t r = 0; r < shape.rows; ++r)
        for (std::int64_t c = 0; c < shape.cols; ++c) {
          auto const [i, j] = transposed ? std::pair(c, r) : std::pair(r, c);
          visit(source.data() + (b * shape.source_batch_stride + r * shape.source_pitch + c) * size,
                destination.data() + (b * shape.destination_batch_stride + i * shape.destination_pitch + j) * size);
        }
  };
  std::mt19937 random(1);
  each_element([&](std::byte* from, std::byte const*) {
    for (std::int64_t byte = 0; byte < size; ++byte) from[byte] = std::byte(random());
  });
  move(shape, source.data(), destination.data());
  std::int64_t wrong = 0;
  each_element([&](std::byte const* from, std::byte const* to) { wrong += std::memcmp(from, to, std::size_t(size)) != 0; });
  EXPECT_EQ(wrong, 0) << "elements, of " << shape.batch << " x " << shape.rows << " x " << shape.cols;
}

/// Far apart: the source's rows, the destination's, the source's matrices, the destination's.
std::vector<job> far_jobs(bool transposed) {
  std::vector<job> jobs;
  for (int const side : {0, 1, 2, 3}) {
    // 32 rows far apart reach past 2^35 elements; rows of 32 and 64 hold vectors of either size.
    job shape{.rows = side == 0 ? 32 : 64, .cols = transposed && side == 1 ? 32 : 64, .batch = side < 2 ? 1 : 3};
    auto const width = transposed ? shape.rows : shape.cols, height = transposed ? shape.cols : shape.rows;
    shape.source_pitch = side == 0 ? kFar : shape.cols;
    shape.destination_pitch = side == 1 ? kFar : width;
    shape.source_batch_stride = side == 2 ? kFar : shape.rows * shape.source_pitch;
    shape.destination_batch_stride = side == 3 ? kFar : height * shape.destination_pitch;
    jobs.push_back(shape);
  }
  return jobs;
}

class far_offsets : public testing::TestWithParam<int> {};

TEST_P(far_offsets, by_the_cpu_engine_and_every_rung) {
  int const size = GetParam();
  auto names = rung_names();
  std::ranges::replace(names, "copy", "");  // no kernel: the CPU engine
  std::erase(names, "copy-tma");
  for (auto const& kernel : names) {
    SCOPED_TRACE(kernel.empty() ? "CPU engine" : kernel);
    for (auto const& shape : far_jobs(true))
      check_far(shape, true, size, [&](job const& job, void const* source, void* destination) {
        transpose(source, destination, job.rows, job.cols, size,
                  {.source_pitch = job.source_pitch,
                   .destination_pitch = job.destination_pitch,
                   .batch = job.batch,
                   .source_batch_stride = job.source_batch_stride,
                   .destination_batch_stride = job.destination_batch_stride,
                   .kernel = kernel});
      });
  }
}

TEST_P(far_offsets, by_a_copy) {
  int const size = GetParam();
  for (auto const& shape : far_jobs(false))
    check_far(shape, false, size, [&](job const& job, void const* source, void* destination) {
      host::run(plan_rung(rung::copy, job, size, alignment_of(source, destination)), source, destination);
    });
}

INSTANTIATE_TEST_SUITE_P(element_sizes, far_offsets, testing::Values(1, 4), testing::PrintToStringParamName());

}  // namespace
}  // namespace cornerturn
