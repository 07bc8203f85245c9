#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <memory>
#include <string>

namespace cornerturn::gpu {

/// cuBLAS's geam as a transpose: a peer to measure against, looked up at run time.
class geam {
 public:
  /// `type` is a ladder type name. Never throws for want of cuBLAS: `why_not` says so.
  geam(std::string const& type, std::int64_t rows, std::int64_t cols);
  ~geam();

  std::string const& why_not() const { return why_not_; }  ///< empty where `run` serves the problem
  void run(void const* source, void* destination, cudaStream_t stream) const;

 private:
  struct library;
  std::string load(std::int64_t rows, std::int64_t cols);

  std::unique_ptr<library> library_;
  std::string why_not_;
  std::string type_;
  int rows_ = 0, cols_ = 0;
};

}  // namespace cornerturn::gpu
