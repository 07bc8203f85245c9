#include "launch/tensor_map.hpp"

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <algorithm>

#include "base/fork_safe_static.hpp"
#include "cuda/check.hpp"
#include "cuda/driver.hpp"
#include "launch/compiled.hpp"

namespace cornerturn::gpu {

std::string why_no_tma() {
  int device, major, minor;
  check(cudaGetDevice(&device), "cudaGetDevice");
  check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device), "cudaDeviceGetAttribute");
  check(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device), "cudaDeviceGetAttribute");
  if (major < 9) return fmt::format("TMA needs compute capability 9.0 or later; this GPU has {}.{}", major, minor);
  if (compiled_capability() < 90) return "TMA needs a build for compute capability 9.0 or later";
  return "";
}

CUtensorMap encode(tensor_map const& map) {
  using encoder = decltype(&cuTensorMapEncodeTiled);
  static constinit fork_safe_static<encoder const> found;
  auto const encode_tiled = found.get([] { return driver_function<encoder>("cuTensorMapEncodeTiled"); });
  // TMA has no 16-byte elements, so each counts as two 8-byte elements.
  auto const words = std::uint64_t(std::max(1, map.element_size / 8));
  auto const size = std::uint64_t(map.element_size) / words;
  auto const type = size == 1   ? CU_TENSOR_MAP_DATA_TYPE_UINT8
                    : size == 2 ? CU_TENSOR_MAP_DATA_TYPE_UINT16
                    : size == 4 ? CU_TENSOR_MAP_DATA_TYPE_UINT32
                                : CU_TENSOR_MAP_DATA_TYPE_UINT64;
  cuuint64_t const extents[] = {std::uint64_t(map.cols) * words, std::uint64_t(map.rows), std::uint64_t(map.batch)};
  // TMA checks a stride even if the extent is 1 and the stride is not used
  auto const stride = [](std::int64_t extent, std::int64_t bytes) { return std::uint64_t(extent > 1 ? bytes : 16); };
  cuuint64_t const strides[] = {stride(map.rows, map.pitch_bytes), stride(map.batch, map.batch_bytes)};
  cuuint32_t const box[] = {unsigned(tensor_map::kRowBytes / size), unsigned(map.box_rows), 1};
  cuuint32_t const steps[] = {1, 1, 1};
  CUtensorMap result;
  auto const status = encode_tiled(&result, type, 3, map.base, extents, strides, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
                                   map.swizzled ? CU_TENSOR_MAP_SWIZZLE_128B : CU_TENSOR_MAP_SWIZZLE_NONE,
                                   CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  check_driver(status, "cuTensorMapEncodeTiled");
  return result;
}

}  // namespace cornerturn::gpu
