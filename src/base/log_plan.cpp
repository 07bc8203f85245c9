#include "base/log_plan.hpp"

#include <fmt/format.h>

#include <atomic>
#include <cstdlib>
#include <string_view>

#include "base/fork_safe_static.hpp"
#include "base/printable.hpp"

namespace cornerturn {
namespace {

bool read_variable() {
  static constinit std::atomic<bool> warned = false;  // set before the warning, whose hook may call the library
  char const* const value = std::getenv("CORNERTURN_LOG");
  std::string_view const asked = value ? value : "";
  if (!asked.empty() && asked != "plan" && !warned.exchange(true))
    warn(fmt::format("CORNERTURN_LOG is '{}'; it must be plan", printable(asked, 80)));
  return asked == "plan";
}

}  // namespace

bool logs_plans() {
  static constinit fork_safe_static<bool const> asked;
  return asked.get(read_variable);
}

}  // namespace cornerturn
