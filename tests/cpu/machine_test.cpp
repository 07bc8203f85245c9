#include "cpu/machine.hpp"

#include <gtest/gtest.h>

#include <sstream>

#include "support/scratch.hpp"

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

TEST(cpu_machine, has_the_data_caches_that_the_system_lists) {
  using sizes = std::vector<std::int64_t>;
  test::scratch const caches;
  EXPECT_EQ(cpu::cache_sizes(caches / ""), sizes{});
  auto const put = [&](std::string const& index, std::string const& level, std::string const& type, std::string const& size) {
    std::filesystem::create_directories(caches / index);
    caches.put(index + "/level", level), caches.put(index + "/type", type), caches.put(index + "/size", size);
  };
  put("index0", "1\n", "Data\n", "48K\n");
  put("index1", "1\n", "Instruction\n", "32K\n");
  put("index2", "3\n", "Unified\n", "327680K\n");
  put("index3", "2\n", "Unified\n", "1024K\n");
  put("index5", "4\n", "Unified\n", "1024K\n");
  EXPECT_EQ(cpu::cache_sizes(caches / ""), (sizes{48 << 10, 1024 << 10, 327680 << 10}));
}

}  // namespace
}  // namespace cornerturn
