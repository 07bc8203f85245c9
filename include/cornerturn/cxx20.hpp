#pragma once

// The first include of every C++ header here. The message below is the only one, because a missing file ends the compilation.

#if __cplusplus < 202002L
#error "cornerturn's C++ headers need C++20, e.g. -std=c++20; cornerturn/cornerturn.h is for C and older C++"
#include "cornerturn/needs_cxx20"
#endif
