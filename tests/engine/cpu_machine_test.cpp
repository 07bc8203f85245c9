#include "engine/cpu/machine.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

namespace cornerturn {
namespace {

std::string model_in(std::string const& text) {
  std::istringstream cpuinfo(text);
  return cpu::model_in(cpuinfo);
}

TEST(cpu_machine, has_the_model_that_the_system_names) {
  EXPECT_EQ(model_in("processor\t: 0\nmodel\t\t: 143\nmodel name\t: Some CPU @ 2.00GHz: B\n\nmodel name\t: Another\n"),
            "Some CPU @ 2.00GHz: B");
  EXPECT_EQ(model_in("processor\t: 0\nCPU implementer\t: 0x41\nCPU part\t: 0xd40\n"), "Arm, implementer 0x41, part 0xd40");
  EXPECT_EQ(model_in(""), "unknown");
  EXPECT_EQ(model_in("\n\n: \n"), "unknown");
  EXPECT_FALSE(cpu::model().empty());
}

TEST(cpu_machine, has_instructions_by_known_names) {
  EXPECT_EQ(cpu::known_name("AVX3"), "AVX-512");
  EXPECT_EQ(cpu::known_name("AVX3_DL"), "AVX-512");
  EXPECT_EQ(cpu::known_name("AVX2"), "AVX2");
  EXPECT_EQ(cpu::known_name("NEON"), "NEON");
  EXPECT_EQ(cpu::known_name("EMU128"), "scalar");
  EXPECT_EQ(cpu::known_name("SCALAR"), "scalar");
}

TEST(cpu_machine, has_larger_caches_at_higher_levels) {
  auto const sizes = cpu::cache_sizes();
  EXPECT_TRUE(std::is_sorted(sizes.begin(), sizes.end()));
}

}  // namespace
}  // namespace cornerturn
