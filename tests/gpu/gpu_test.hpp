#pragma once

#include <gtest/gtest.h>

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

}  // namespace cornerturn::test
