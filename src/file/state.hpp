#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "inplace/file_units.hpp"

namespace cornerturn {

/// The state with which a stopped permutation within a file goes on: the description of its journal.
struct file_state {
  std::int64_t file_bytes = 0;
  std::int64_t data_offset = 0;  ///< bytes before the array
  std::int64_t array_bytes = 0;
  std::vector<std::int64_t> shape, axes;  ///< before the permutation
  file_plan plan;
  bool is_raw = false;
  std::string dtype;                        ///< for messages; the type's name of a raw file
  std::string header_before, header_after;  ///< empty if the file is raw
};

std::string to_bytes(file_state const& state);

/// Reads the bytes that `to_bytes` has written. Throws `error`, with the journal's name, for another version and for bytes that
/// end too early. The numbers are not checked.
file_state state_from(std::string const& bytes, std::string const& journal_name);

}  // namespace cornerturn
