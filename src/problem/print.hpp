#pragma once

#include <string>

#include "problem/problem.hpp"

namespace cornerturn {

/// One line, e.g. "{3:4<-1, 4:1<-3} of 4 bytes": each mode has its extent, destination stride and source stride. " from 8"
/// follows if the source's elements have another size, and " at 2<-7" if an offset is not 0. Strides and the offset of scale and
/// bias follow a "*".
std::string to_string(problem const& p);

}  // namespace cornerturn
