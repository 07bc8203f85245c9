#pragma once

#include <optional>
#include <string_view>

namespace cornerturn {

/// A type of CUDA C++ that values in memory have.
struct value_type {
  int bits = 32;        ///< of a value: 4 to 128
  int components = 1;   ///< of a vector type such as float4, whose members are x, y, z and w
  bool integer = true;  ///< false for floating-point numbers, whose values are not computed
};

/// The type of a name such as "float4", "__half2", "std::uint16_t", "cutlass::half_t" or "__nv_fp4_e2m1"; empty if it is unknown.
std::optional<value_type> type_named(std::string_view name);

/// True for the words that may stand before or after a type: "const", "__restrict__", "volatile", "static", ...
bool is_qualifier(std::string_view word);

}  // namespace cornerturn
