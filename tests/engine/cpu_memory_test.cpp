#include "engine/cpu/memory.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

namespace cornerturn {
namespace {

TEST(available_memory, is_some_of_what_the_machine_has) {
  EXPECT_GT(cpu::available_memory(), 1 << 20);
  EXPECT_LE(cpu::available_memory(), std::int64_t(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE));
}

}  // namespace
}  // namespace cornerturn
