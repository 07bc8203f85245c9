#include "cornerturn/error.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>

#include "cornerturn/file.hpp"
#include "cornerturn/permute.hpp"
#include "cornerturn/tune.hpp"

namespace cornerturn {
namespace {

void expect_kind(error_kind kind, std::function<void()> const& call) {
  try {
    call();
    FAIL() << "nothing was thrown";
  } catch (error const& e) {
    EXPECT_EQ(e.kind(), kind) << e.what();
    EXPECT_EQ(e.code(), 0);
  }
}

/// The kinds that need no GPU; tests/gpu/errors_test.cpp has those of CUDA.
TEST(errors, tell_their_causes_apart) {
  constexpr std::int64_t kHuge = std::int64_t(1) << 28;
  int number = 0, other = 0;
  expect_kind(error_kind::argument, [&] { permute(&number, &other, {1, 1}, {0, 0}, 4); });
  expect_kind(error_kind::file, [] { transpose_file("/nowhere/in.npy", "/nowhere/out.npy"); });
  expect_kind(error_kind::memory, [] { tune_permute({kHuge, kHuge}, {1, 0}, 1, {.processor = processor_kind::cpu}); });
}

TEST(errors, have_the_code_of_cuda) { EXPECT_EQ(error(error_kind::device, "cudaMalloc failed", 719).code(), 719); }

}  // namespace
}  // namespace cornerturn
