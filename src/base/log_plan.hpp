#pragma once

#include "base/warn.hpp"

namespace cornerturn {

/// True if the environment variable CORNERTURN_LOG is "plan". The variable is read once; any other value causes one warning.
bool logs_plans();

/// Passes the plan of a call, as the function `text` describes it, to the log hook if CORNERTURN_LOG asks for plans. The caller
/// must hold no lock.
template <class Text>
void log_plan(Text const& text) {
  if (logs_plans()) warn("plan: " + text());
}

}  // namespace cornerturn
