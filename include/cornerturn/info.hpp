#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cornerturn/export.h"

namespace cornerturn {

struct gpu_info {
  std::string name;
  int major = 0, minor = 0;  ///< compute capability
  std::int64_t memory_bytes = 0;
  double bandwidth_gbs = 0;  ///< theoretical: memory clock times bus width
};

struct cpu_info {
  std::string name;          ///< as the system has it
  std::string instructions;  ///< that serve it, e.g. "AVX-512", "AVX2", "NEON", "scalar"
  int threads = 0;           ///< that a call may use, the caller's among them: those set, or the least of what follows
  int processors = 0;        ///< that the calling thread may run on, by its affinity
  double quota = 0;          ///< processors' worth of time that the process's control groups grant; 0: no limit
  std::vector<std::int64_t> cache_bytes;  ///< of the data caches, from level 1 on; empty where they are not known
  std::int64_t available_bytes = 0;       ///< of memory that the process might still take
  std::int64_t memory_limit_bytes = 0;    ///< that the control groups set; 0: none
};

struct build_info {
  std::string version;        ///< of cornerturn, e.g. "0.1.0"
  bool gpu_built = false;     ///< the GPU engine is in this build
  std::string architectures;  ///< it was built for, e.g. "80;90"
  std::string compiler;       ///< of the host code
  int runtime_version = 0;  ///< CUDA runtime built in, as 1000 * major + 10 * minor; 0 without one
  int driver_version = 0;   ///< newest CUDA that the installed driver serves, in the same form; 0 without a driver
  std::string gpu_problem;  ///< why no GPU can be used; empty where one can
  cpu_info cpu;
  std::vector<gpu_info> gpus;
};

/// What was built in, and what this machine offers. Never throws for want of a GPU or a driver: `gpu_problem` says so.
CORNERTURN_API build_info info();

}  // namespace cornerturn
