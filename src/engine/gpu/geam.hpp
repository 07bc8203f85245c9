#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <memory>
#include <string>

namespace cornerturn::gpu {

/// cuBLAS's geam as a transpose: a reference for the ladder, looked up at run time.
class geam {
 public:
  /// `type` is a type name of the ladder. Does not throw if cuBLAS is missing; then `why_not` has the reason.
  geam(std::string const& type, std::int64_t rows, std::int64_t cols);
  ~geam();

  std::string const& why_not() const { return why_not_; }  ///< why `run` must not be called; empty if it may be
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
