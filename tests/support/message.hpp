#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "cornerturn/error.hpp"

namespace cornerturn::test {

/// The message that `call` throws as an argument error; empty where it does not throw.
inline std::string message_of(std::function<void()> const& call) {
  try {
    call();
  } catch (error const& e) {
    EXPECT_EQ(e.kind(), error_kind::argument);
    return e.what();
  }
  return "";
}

}  // namespace cornerturn::test
