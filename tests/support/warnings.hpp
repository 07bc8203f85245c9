#pragma once

#include <string>
#include <vector>

#include "cornerturn/log.hpp"

namespace cornerturn::test {

/// Gathers what the library warns of as long as it lives.
struct warnings {
  std::vector<std::string> all;

  warnings() {
    set_log_hook([this](std::string_view message) { all.emplace_back(message); });
  }
  warnings(warnings const&) = delete;
  ~warnings() { set_log_hook(nullptr); }
};

}  // namespace cornerturn::test
