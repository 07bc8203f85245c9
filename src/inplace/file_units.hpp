#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "plan/file_limits.hpp"
#include "problem/exchange.hpp"
#include "problem/pieces.hpp"

namespace cornerturn {

/// An exchange of the array in a file, and how it is done.
struct file_exchange {
  exchange groups;
  std::int64_t parts = 0;    ///< slots along each side of rectangles that take two passes; 0: squares, or boxes in one pass
  bool swaps_first = false;  ///< as in `rectangle_passes`
  bool operator==(file_exchange const&) const = default;
};

/// How an array is permuted within its file: exchanges in order. A unit has at most `unit_bytes` bytes.
struct file_plan {
  std::int64_t element_size = 1;     ///< bytes
  std::int64_t unit_bytes = 0;       ///< the limit of a unit in bytes
  std::int64_t workspace_bytes = 0;  ///< bytes of workspace, on the disk
  std::vector<file_exchange> exchanges;
  bool operator==(file_plan const&) const = default;
};

/// Plans a canonical problem whose source and destination are one dense array at offset 0. Returns nothing if units are too
/// small.
std::optional<file_plan> plan_in_file(problem const& canonical, std::int64_t unit_bytes, file_limits const& limits = {});

/// True if a plan solves this problem with valid units. Its numbers are not trusted, and another planner may have made it.
bool is_plan_of(problem const& canonical, file_plan const& plan);

/// The bytes of the workspace that exchanges need.
std::int64_t workspace_of(std::int64_t element_size, std::vector<file_exchange> const& exchanges);

/// A part of a unit. Its source and its destination are the array or the workspace.
struct unit_part {
  piece moved;
  bool from_workspace = false, to_workspace = false;
  std::int64_t source_byte = 0, destination_byte = 0;  ///< the bytes where both sides of the problem begin
};

/// A unit reads all of its parts before it writes any. It writes bytes that the array has after the units before it.
using file_unit = std::vector<unit_part>;

/// The units of a plan.
class unit_list {
 public:
  explicit unit_list(file_plan const& plan);

  std::int64_t size() const;
  file_unit operator[](std::int64_t index) const;
  /// True if a unit and the unit before it belong to one pass. Then it reads no byte that the unit before it writes.
  bool continues_pass(std::int64_t index) const;

 private:
  /// Units that are alike.
  struct pass {
    std::int64_t units;
    std::function<file_unit(std::int64_t)> unit;
  };
  friend class pass_maker;

  std::vector<pass> passes_;
};

}  // namespace cornerturn
