#pragma once

#include <nanobind/ndarray.h>

#include <cstdint>

namespace cornerturn::python {

/// DLPackExchangeAPI of DLPack 1.3, the C functions that a framework attaches to its array type as the capsule
/// `__dlpack_c_exchange_api__`. Reading an array through it takes 40 ns; through the array's attributes it takes 700 ns. The
/// functions return 0, or -1 with a Python exception set.
struct dlpack_exchange_api {
  struct {
    std::uint32_t major, minor;
  } version;
  void* prev_api;
  void* managed_tensor_allocator;
  void* managed_tensor_from_py_object_no_sync;
  void* managed_tensor_to_py_object_no_sync;
  int (*dltensor_from_py_object_no_sync)(void* py_object, nanobind::dlpack::dltensor* out);
  int (*current_work_stream)(int device_type, std::int32_t device_id, void** out_stream);
};

inline constexpr std::uint32_t kExchangeMajor = 1;

/// The values of DLDeviceType that are supported. kCudaHost is pinned host memory.
enum device_type { kCpu = 1, kCuda = 2, kCudaHost = 3, kCudaManaged = 13 };

}  // namespace cornerturn::python
