#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "problem/problem.hpp"

namespace cornerturn {

/// One line, e.g. "{3:4<-1, 4:1<-3} of 4 bytes": for each mode its extent, destination stride and source stride; offsets follow
/// where they are not 0, as " at 2<-7".
std::string to_string(problem const& p);

/// "1 wavefront", "2 wavefronts".
std::string count_text(std::int64_t count, std::string_view what);

}  // namespace cornerturn
