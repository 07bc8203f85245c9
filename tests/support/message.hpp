#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <ostream>
#include <string>

#include "cornerturn/error.hpp"

namespace cornerturn::test {

/// What an error says of an argument: the fields of `refused_argument`.
struct refused {
  std::string argument, value, allowed;
  bool operator==(refused const&) const = default;
};

inline void PrintTo(refused const& each, std::ostream* out) {
  *out << each.argument << " is " << each.value << "; it must be " << each.allowed;
}

/// What the error that `call` throws says of an argument; empty if it does not throw. An error that is not about an argument is a
/// value without one.
inline refused refused_by(std::function<void()> const& call) {
  try {
    call();
  } catch (error const& e) {
    EXPECT_EQ(e.kind(), error_kind::argument) << e.what();
    if (e.argument().empty()) return {"", e.what(), ""};
    return {std::string(e.argument()), std::string(e.value()), std::string(e.allowed())};
  }
  return {};
}

/// The message that `call` throws as an error of this kind; empty where it does not throw.
inline std::string message_of(std::function<void()> const& call, error_kind kind = error_kind::argument) {
  try {
    call();
  } catch (error const& e) {
    EXPECT_EQ(e.kind(), kind);
    return e.what();
  }
  return "";
}

}  // namespace cornerturn::test
