#pragma once

#include <cstdint>
#include <istream>
#include <string>
#include <string_view>
#include <vector>

namespace cornerturn::cpu {

/// What the system calls the processor, e.g. "Intel(R) Xeon(R) Processor".
std::string const& model();

/// The same in the text of a /proc/cpuinfo: a name, or on Arm the maker's and the part's numbers; "unknown" where it has neither.
std::string model_in(std::istream& cpuinfo);

/// The instructions that serve this processor, by the name that they are known by, e.g. "AVX-512".
std::string known_instructions();

/// That name for one of Highway's: "AVX-512" for "AVX3_DL".
std::string known_name(std::string_view target);

/// Bytes of the data caches from level 1 on, as far as the system tells.
std::vector<std::int64_t> cache_sizes();

}  // namespace cornerturn::cpu
