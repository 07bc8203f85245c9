#pragma once

#include <functional>
#include <string_view>

#include "cornerturn/export.h"

namespace cornerturn {

/// Hands every warning to `hook` from now on: what went wrong without keeping a call from doing its work, e.g. a damaged file of
/// measured choices. Without a hook, as at first, warnings go to standard error. Any thread may call the hook, several at once,
/// and a call that has begun may end after another hook is set. No lock is held meanwhile: the hook may call the library, set
/// another hook, or fork. What it throws is dropped.
CORNERTURN_API void set_log_hook(std::function<void(std::string_view)> hook);

}  // namespace cornerturn
