#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "cornerturn/error.hpp"

namespace cornerturn {

/// What a refusal is about: an argument, or, with a phrase such as "the size of {}", something of it.
struct subject {
  std::string argument;
  std::string phrase = "{}";

  template <class Name>
  requires std::is_constructible_v<std::string, Name const&> subject(Name const& name) : argument(name) {}
  subject(std::string_view name, std::string about) : argument(name), phrase(std::move(about)) {}
};

/// Throws `error` for an argument, with a message like "rows is -3; it must be 0 or more".
template <class Value>
[[noreturn]] void refuse(subject const& about, Value const& value, std::string_view allowed) {
  auto const text = fmt::to_string(value);
  throw error({about.argument, text, std::string(allowed)}, fmt::format("{} is {}; it must be {}", about.phrase, text, allowed));
}

}  // namespace cornerturn
