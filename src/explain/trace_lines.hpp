#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "cornerturn/explain.hpp"

namespace cornerturn {

/// A line of a trace. The texts last until the next line is read.
struct access_line {
  std::string_view kernel, file;
  std::int64_t block, iteration;
  int thread, line;
  memory_space space;
  bool store;
  std::uint64_t address;
  int bytes;
};

/// Calls visit(access, number of the line) for the lines of a file, one after another. Throws `error` for a file that cannot be
/// read, and for a line that is no access, with its number.
void read_trace(std::string const& path, std::function<void(access_line const&, std::int64_t)> const& visit);

/// Throws `error` about a line of a trace.
[[noreturn]] void refuse_line(std::string_view path, std::int64_t line, std::string_view problem);

}  // namespace cornerturn
