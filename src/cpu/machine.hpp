#pragma once

#include <cstdint>
#include <filesystem>
#include <istream>
#include <string>
#include <string_view>
#include <vector>

#include "machine/cpu_model.hpp"

namespace cornerturn::cpu {

/// The system's name of the processor, e.g. "Intel(R) Xeon(R) Processor".
std::string const& model();

/// The name of the processor in the text of /proc/cpuinfo: a model's name or, on Arm, the numbers of the maker and of the part;
/// "unknown" if the text has neither.
std::string model_in(std::istream& cpuinfo);

/// The common name of the instructions that the engine uses on this processor, e.g. "AVX-512".
std::string known_instructions();

/// The common name of instructions by Highway's name: "AVX-512" for "AVX3_DL".
std::string known_name(std::string_view target);

/// The limits for plans on this processor. `threads` is a call's limit of threads; 0 means none.
cpu_limits usual_limits(int threads = 0);

/// True for AMD's processors with AVX-512, which are taken for a Zen 4.
bool resembles_zen4();

/// The tiles for this processor: one of those in machine/cpu_model.hpp, or the defaults of `cpu_tile_hint` if it is not x86-64.
cpu_tile_hint usual_tile_hint(int threads = 0);

/// The folder in which the system describes the caches of the first processor.
inline constexpr char kCaches[] = "/sys/devices/system/cpu/cpu0/cache";

/// The bytes of the data caches by level, from level 1 on, read from the files in this folder; empty if there are no such files.
std::vector<std::int64_t> cache_sizes(std::filesystem::path const& caches);

}  // namespace cornerturn::cpu
