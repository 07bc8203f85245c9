#pragma once

#include "cornerturn/cxx20.hpp"

#include <cstdint>
#include <string>
#include <vector>

#include "cornerturn/export.h"

namespace cornerturn {

/// A GPU of this machine.
struct gpu_info {
  std::string name;
  int major = 0, minor = 0;  ///< compute capability
  std::int64_t memory_bytes = 0;
  double bandwidth_gbs = 0;  ///< theoretical memory bandwidth in GB/s (1e9 bytes): memory clock, twice per cycle, times bus width
};

/// The CPU, and the limits of this process.
struct cpu_info {
  std::string name;          ///< the model name as the operating system reports it
  std::string instructions;  ///< the vector instructions in use: "AVX-512", "AVX2", "NEON", "scalar", …
  int threads = 0;           ///< maximum threads of a call, with the caller's: the set number, else limited by the next two
  int processors = 0;        ///< logical processors in the calling thread's affinity mask
  double quota = 0;          ///< CPU quota of the process's control groups, in processors; 0: no limit
  std::vector<std::int64_t> cache_bytes;  ///< size of each level of data cache in bytes, from L1; empty if unknown
  std::int64_t available_bytes = 0;       ///< bytes of memory that the process can still allocate
  std::int64_t memory_limit_bytes = 0;    ///< memory limit of the control groups in bytes; 0: no limit
};

/// This build of the library, and the machine.
struct build_info {
  std::string version;        ///< version of cornerturn, e.g. "0.1.0"
  bool gpu_built = false;     ///< true if the build contains the GPU engine
  std::string architectures;  ///< compute capabilities of the build, e.g. "80;90"
  std::string compiler;       ///< compiler of the host code
  int runtime_version = 0;    ///< version of the linked CUDA runtime, 1000 * major + 10 * minor; 0: no GPU engine
  int driver_version = 0;     ///< newest CUDA version that the installed driver supports, in the same form; 0: no driver
  std::string gpu_problem;    ///< why no GPU can be used; empty if one can be used
  cpu_info cpu;
  std::vector<gpu_info> gpus;
};

/// Describes this build and this machine. It does not throw if there is no GPU or driver: then `gpu_problem` gives the reason.
///
/// ```cpp
/// auto const here = cornerturn::info();
/// std::cout << here.cpu.name << ", " << here.cpu.instructions << ", GPUs: " << here.gpus.size() << '\n';
/// ```
CORNERTURN_API build_info info();

}  // namespace cornerturn
