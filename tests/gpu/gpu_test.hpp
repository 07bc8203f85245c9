#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

#include "cuda/handles.hpp"
#include "engine/gpu/gpu.hpp"

namespace cornerturn::test {

/// Skips where there is no GPU.
template <class Base = testing::Test>
class on_gpu : public Base {
 protected:
  void SetUp() override {
    if (auto const why = gpu::why_unavailable(); !why.empty()) GTEST_SKIP() << why;
  }
};

/// Device memory that grows as it is asked for more.
class device_scratch {
 public:
  std::byte* at_least(std::size_t bytes) {
    if (bytes > bytes_) {
      memory_.reset();
      memory_ = allocate_device(bytes);
      bytes_ = bytes;
    }
    return static_cast<std::byte*>(memory_.get());
  }

 private:
  device_memory memory_;
  std::size_t bytes_ = 0;
};

/// Calls run(source, destination) with copies of lists of bytes in GPU memory, and copies the second one back.
template <class Run>
void run_on_gpu(std::vector<std::byte> const& source, std::vector<std::byte>& result, Run const& run) {
  auto const from = allocate_device(source.size()), to = allocate_device(result.size());
  check(cudaMemcpy(from.get(), source.data(), source.size(), cudaMemcpyHostToDevice), "cudaMemcpy");
  check(cudaMemcpy(to.get(), result.data(), result.size(), cudaMemcpyHostToDevice), "cudaMemcpy");
  run(static_cast<std::byte const*>(from.get()), static_cast<std::byte*>(to.get()));
  check(cudaMemcpy(result.data(), to.get(), result.size(), cudaMemcpyDeviceToHost), "cudaMemcpy");
}

}  // namespace cornerturn::test
