#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "cornerturn/error.hpp"

namespace cornerturn::test {

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
