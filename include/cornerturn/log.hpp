#pragma once

#include <functional>
#include <string_view>

namespace cornerturn {

/// Hands every warning to `hook` from now on: what went wrong without keeping a call from doing its work, e.g. a damaged file of
/// measured choices. Without a hook, as at first, warnings go to standard error. Any thread may call the hook, one at a time;
/// what it throws is dropped, and it must not set another.
void set_log_hook(std::function<void(std::string_view)> hook);

}  // namespace cornerturn
