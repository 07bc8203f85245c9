#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace cornerturn::cpu {

/// A dense matrix.
struct matrix {
  std::int64_t rows = 1, cols = 1;
  int element_size = 1;  ///< bytes: 1, 2, 4, 8 or 16
};

/// A function that transposes a matrix, ready to run.
struct runner {
  std::function<void(void const*, void*)> run;  ///< source, destination; both as aligned as their elements
  std::string tile;  ///< rows x columns of the source that are moved together; empty if there are no tiles
  int threads = 1;
};

/// A step from the plain loop to the engine. The upper rungs are plans of the engine, and each adds one idea; the last rung is
/// the engine's own plan.
struct cpu_rung {
  std::string_view name;
  runner (*prepare)(matrix const& shape);
};

runner prepare_naive(matrix const& shape);
runner prepare_blocked(matrix const& shape);
runner prepare_vector(matrix const& shape);
runner prepare_streaming(matrix const& shape);
runner prepare_threads(matrix const& shape);

inline constexpr std::array kCpuRungs{cpu_rung{"naive", prepare_naive}, cpu_rung{"blocked", prepare_blocked},
                                      cpu_rung{"vector", prepare_vector}, cpu_rung{"streaming", prepare_streaming},
                                      cpu_rung{"threads", prepare_threads}};

}  // namespace cornerturn::cpu
