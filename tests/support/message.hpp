#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "cornerturn/error.hpp"

namespace cornerturn::test {

/// What the error says of an argument that `call` throws; empty if it does not throw, or an error that is not about one.
inline refused_argument refused_by(std::function<void()> const& call) {
  try {
    call();
  } catch (error const& e) {
    EXPECT_EQ(e.kind(), error_kind::argument) << e.what();
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
