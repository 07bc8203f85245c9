#pragma once

#include "cornerturn/cxx20.hpp"

#include <functional>
#include <string_view>

#include "cornerturn/export.h"

namespace cornerturn {

/// Sets the function that receives warnings. A warning reports a problem that does not stop the call, such as a damaged file of
/// measured choices. By default, and after an empty `hook`, warnings are written to standard error.
///
/// If the environment variable CORNERTURN_LOG is "plan" at the first call of the library that moves something, the hook also
/// receives the plan of every such call: "plan: " and the line of `permutation_plan::describe`. A file is moved in pieces, and
/// its line describes the first one.
///
/// Several threads may call the hook at the same time, and a call of the previous hook may still run when `set_log_hook` returns.
/// The library holds no lock during the call, so the hook may call the library, set another hook, or fork. Exceptions thrown by
/// the hook are ignored.
///
/// ```cpp
/// cornerturn::set_log_hook([](std::string_view line) { std::cerr << "cornerturn: " << line << '\n'; });
/// cornerturn::set_log_hook({});
/// ```
CORNERTURN_API void set_log_hook(std::function<void(std::string_view)> hook);

}  // namespace cornerturn
