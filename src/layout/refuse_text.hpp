#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "base/refuse.hpp"
#include "layout/layout.hpp"

namespace cornerturn {

/// Throws `error` for a text that cannot be parsed, e.g. "layout '(8,' is wrong at its end: …".
[[noreturn]] inline void refuse_text(std::string_view argument, std::string_view excerpt, std::string_view where,
                                     std::string_view problem) {
  throw error({std::string(argument), fmt::format("'{}'", excerpt), std::string(problem)},
              fmt::format("{{}} '{}' is wrong at {}: {}", excerpt, where, problem));
}

inline void refuse_long(std::string_view argument, std::string_view text) {
  if (text.size() > kMaxTextLength)
    refuse({argument, "the length of {}"}, text.size(), fmt::format("{} or less", kMaxTextLength));
}

}  // namespace cornerturn
