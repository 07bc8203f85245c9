#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace cornerturn::cpu {

/// A dense matrix with elements of 1, 2, 4, 8 or 16 bytes.
struct matrix {
  std::int64_t rows = 1, cols = 1;
  int element_size = 1;
};

/// A way to transpose a matrix, ready to run.
struct runner {
  std::function<void(void const*, void*)> run;  ///< source, destination; both as aligned as their elements
  std::string tile;                             ///< rows x columns of the source that are moved together; empty: none
  int threads = 1;
};

/// A step from the plain loop to the engine. The upper ones are plans of the engine's, each with one thing more, and the last is
/// what it does by itself.
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
