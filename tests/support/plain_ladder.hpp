#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <numeric>
#include <ostream>
#include <string>
#include <vector>

#include "../../docs/ladder.cuh"

namespace cornerturn::test {

/// A plain kernel of docs/ladder.md, and how it is launched.
struct plain_kernel {
  char const* name;
  void (*run)(float const*, float*, int, int);
  dim3 threads;
  unsigned rows, cols;       ///< of the source, for a block
  bool along_source = true;  ///< whether blocks in x are along a row of the source, or of the destination
  bool transposes = true;

  dim3 blocks(unsigned m, unsigned n) const { return along_source ? dim3(n / cols, m / rows) : dim3(m / rows, n / cols); }
};

inline std::ostream& operator<<(std::ostream& out, plain_kernel const& each) { return out << each.name; }

inline auto plain_kernels() {
  return testing::Values(plain_kernel{"copy", plain::copy, dim3(128), 1, 512, true, false},
                         plain_kernel{"naive_read", plain::naive_read, dim3(32, 32), 32, 32},
                         plain_kernel{"naive_write", plain::naive_write, dim3(32, 4), 32, 4},
                         plain_kernel{"smem_conflict_read", plain::smem_conflict_read, dim3(32, 8), 64, 64},
                         plain_kernel{"smem_conflict_write", plain::smem_conflict_write, dim3(32, 8), 64, 64},
                         plain_kernel{"smem_padded", plain::smem_padded, dim3(32, 8), 64, 64},
                         plain_kernel{"smem_swizzled", plain::smem_swizzled, dim3(32, 8), 64, 64},
                         plain_kernel{"vec_conflict_read", plain::vec_conflict_read, dim3(256), 64, 64},
                         plain_kernel{"vec_padded", plain::vec_padded, dim3(256), 64, 64},
                         plain_kernel{"vec_swizzled", plain::vec_swizzled, dim3(256), 64, 64},
                         plain_kernel{"vec_both", plain::vec_both, dim3(256), 64, 64, false},
                         plain_kernel{"registers", plain::registers, dim3(512), 128, 64, false},
                         plain_kernel{"register_shuffle", plain::register_shuffle, dim3(256), 64, 64, false});
}

constexpr int kPlainRows = 256, kPlainCols = 512;

/// Element (m, n) of the source is its index.
inline std::vector<float> plain_source() {
  std::vector<float> source(std::size_t(kPlainRows) * kPlainCols);
  std::iota(source.begin(), source.end(), 0.0F);
  return source;
}

inline std::vector<float> plain_expected(plain_kernel const& each) {
  if (!each.transposes) return plain_source();
  std::vector<float> result;
  for (int n = 0; n < kPlainCols; ++n)
    for (int m = 0; m < kPlainRows; ++m) result.push_back(float(m * kPlainCols + n));
  return result;
}

inline std::string plain_name(testing::TestParamInfo<plain_kernel> const& info) { return info.param.name; }

}  // namespace cornerturn::test
