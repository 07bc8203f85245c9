#include "engine/cpu/threads.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "engine/cpu/cpu.hpp"
#include "problem/canonical.hpp"
#include "problem/print.hpp"
#include "problem/validate.hpp"

namespace cornerturn {
namespace {

TEST(cpu_threads, do_what_one_does) {
  for (auto const& p :
       {problem{.modes = {{9'000'001, 1, 1}}, .element_size = 1},
        problem{.modes = {{3, 1, 1'000'000}, {1'000'000, 3, 1}}, .element_size = 2},
        problem{
            .modes = {{2, 1, 2'000'000}, {2, 2, 1'000'000}, {1'000'000, -4, 1}}, .element_size = 4, .source_offset = 3'999'996},
        problem{.modes = {}, .element_size = 4}, problem{.modes = {{0, 0, 0}}, .element_size = 4},
        problem{.modes = {{2'000'000, 0, 2}, {2, 1, 1}}, .element_size = 16}}) {
    std::vector<std::byte> source(std::size_t(source_range(p).high) + 1), expected(std::size_t(destination_range(p).high) + 1);
    for (std::size_t i = 0; i < source.size(); ++i) source[i] = static_cast<std::byte>(i % 251);
    auto result = expected;
    cpu::permute(canonical(p), source.data(), expected.data());
    cpu::permute_on_threads(canonical(p), source.data(), result.data());
    EXPECT_TRUE(result == expected) << to_string(p);
  }
}

}  // namespace
}  // namespace cornerturn
