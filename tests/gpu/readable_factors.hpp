#pragma once

#include <cuda_runtime_api.h>

#include <vector>

#include "cuda/check.hpp"
#include "support/random_operation.hpp"

namespace cornerturn::test {

/// Lets the GPU read `random_factors`, which are in host memory.
class readable_factors {
 public:
  readable_factors() {
    add(random_factors<float>());
    add(random_factors<double>());
  }
  ~readable_factors() {
    cudaHostUnregister(const_cast<float*>(random_factors<float>().data()));
    cudaHostUnregister(const_cast<double*>(random_factors<double>().data()));
  }
  readable_factors(readable_factors const&) = delete;

 private:
  template <class C>
  void add(std::vector<C> const& factors) {
    check(cudaHostRegister(const_cast<C*>(factors.data()), factors.size() * sizeof(C), cudaHostRegisterMapped),
          "cudaHostRegister");
  }
};

}  // namespace cornerturn::test
