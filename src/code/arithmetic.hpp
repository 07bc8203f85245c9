#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "code/types.hpp"

namespace cornerturn {

/// The result of an operator, or why it has none.
struct computed {
  std::int64_t value = 0;
  std::string problem = {};  ///< empty if there is a value
};

/// The type in which an integer of this type is computed: int for narrower ones.
value_type promoted(value_type const& type);

/// The type that a binary operator of C converts its integers to.
value_type common_type(std::string_view by, value_type const& left, value_type const& right);

/// An integer as a value of another type.
std::int64_t converted(std::int64_t number, value_type const& to);

/// A binary operator of C, e.g. "<<", on integers of a type that `common_type` gives. `most` limits the magnitude of the result,
/// and so does the type int; it is at most 2^48. Unsigned results of 32 bits wrap around.
computed compute(std::string_view by, std::int64_t left, std::int64_t right, value_type const& type, std::int64_t most);

/// True for == != < > <= >=, whose result is an int.
bool is_comparison(std::string_view by);

}  // namespace cornerturn
