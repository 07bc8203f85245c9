#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "code/syntax.hpp"

namespace cornerturn {

/// A value that a thread computes: an integer, the place of a value in memory, or unknown.
struct code_value {
  enum class kind { unknown, integer, pointer };
  static constexpr std::size_t kFlat = std::numeric_limits<std::size_t>::max();

  kind type = kind::unknown;
  code_node const* why = nullptr;  ///< unknown: the name or the load that it comes from
  std::int64_t number = 0;
  // a pointer
  std::size_t array = 0;      ///< index of the array
  std::int64_t offset = 0;    ///< bits from the array's begin
  value_type of = {};         ///< what it points to; of an integer or a variable: its type
  std::size_t depth = kFlat;  ///< indices that were applied to an array; kFlat: a plain pointer

  static code_value unknown(code_node const& why) { return {.why = &why}; }
  static code_value integer(std::int64_t number, value_type const& of = {}) {
    return {.type = kind::integer, .number = number, .of = of};
  }
  bool is_integer() const { return type == kind::integer; }
  bool is_pointer() const { return type == kind::pointer; }
};

}  // namespace cornerturn
