#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace cornerturn {

struct code_structure;

/// A type of CUDA C++ that values in memory and variables have.
struct value_type {
  int bits = 32;                              ///< of a value: 4 to 128; more of a structure
  int components = 1;                         ///< of a vector type such as float4, whose members are x, y, z and w
  bool integer = true;                        ///< false for floating-point numbers, whose values are not computed
  bool is_unsigned = false;                   ///< of an integer
  bool is_truth = false;                      ///< bool
  code_structure const* structure = nullptr;  ///< null: it is none
};

/// A structure, as a code declares it.
struct code_structure {
  struct member {
    std::string_view name;
    value_type of;
    std::int64_t offset;  ///< bits from the begin of the structure
    bool is_array;        ///< of one extent
  };
  std::vector<member> members;
  int align = 8;  ///< bits
};

/// The alignment of a type in C++, in bits.
constexpr int align_of(value_type const& type) {
  return type.structure ? type.structure->align : std::max(8, type.components == 3 ? type.bits / 3 : type.bits);
}

/// The type of a name such as "float4", "__half2", "std::uint16_t", "cutlass::half_t" or "__nv_fp4_e2m1"; empty if it is unknown.
std::optional<value_type> type_named(std::string_view name);

/// True for the words that may stand before or after a type: "const", "__restrict__", "volatile", "static", ...
bool is_qualifier(std::string_view word);

}  // namespace cornerturn
