#pragma once

#include <cstdint>
#include <filesystem>
#include <istream>
#include <string>
#include <string_view>
#include <vector>

#include "plan/cpu_plan.hpp"

namespace cornerturn::cpu {

/// What the system calls the processor, e.g. "Intel(R) Xeon(R) Processor".
std::string const& model();

/// The same in the text of a /proc/cpuinfo: a name, or on Arm the maker's and the part's numbers; "unknown" where it has neither.
std::string model_in(std::istream& cpuinfo);

/// The instructions that serve this processor, by the name that they are known by, e.g. "AVX-512".
std::string known_instructions();

/// That name for one of Highway's: "AVX-512" for "AVX3_DL".
std::string known_name(std::string_view target);

/// The tiles that serve this processor best: as measured on Intel's and AMD's (docs/cpu.md).
cpu_wish usual_wish();

/// Where the system tells of the first processor's caches.
inline constexpr char kCaches[] = "/sys/devices/system/cpu/cpu0/cache";

/// Bytes of the data caches from level 1 on, as the files in such a folder have it; none where it has none.
std::vector<std::int64_t> cache_sizes(std::filesystem::path const& caches);

}  // namespace cornerturn::cpu
