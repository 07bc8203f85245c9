#pragma once

#include <nanobind/ndarray.h>

#include <cstdint>

namespace cornerturn::python {

/// The table of functions that DLPack 1.3 has a framework hang on the type of its arrays, as the capsule
/// `__dlpack_c_exchange_api__`: a look at an array takes 40 ns by it, and 700 ns by the array's attributes. Functions return 0,
/// or -1 with an exception set.
struct dlpack_exchange {
  struct {
    std::uint32_t major, minor;
  } version;
  void* previous;
  void* allocate;
  void* from_object;
  void* to_object;
  int (*look)(void* object, nanobind::dlpack::dltensor* into);
  int (*current_stream)(int device_type, std::int32_t device, void** into);
};

inline constexpr std::uint32_t kExchangeMajor = 1;

/// DLPack's numbers of the devices whose memory a CPU or a GPU of NVIDIA's reaches; kCudaHost is host memory that CUDA has
/// pinned.
enum device_type { kCpu = 1, kCuda = 2, kCudaHost = 3, kCudaManaged = 13 };

}  // namespace cornerturn::python
