#pragma once

// The first include of every C++ header here, so that the message below precedes all others.

#if __cplusplus < 202002L
#error "cornerturn's C++ headers need C++20, e.g. -std=c++20; cornerturn/cornerturn.h is for C and older C++"
#endif
