#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "plan/candidate.hpp"
#include "problem/problem.hpp"
#include "problem/validate.hpp"

namespace cornerturn {

/// True in checked builds, which compare the results of candidates before they time them.
bool compares_results();

/// The largest arrays that `compare_results` takes, in bytes.
inline constexpr std::int64_t kMostCompared = 128 << 20;

/// Runs a candidate from a source to a result in host memory, to which a GPU's result is copied. The pointers are the addresses
/// of element (0, ..., 0), and are aligned to 16 bytes.
using run_in_host_memory = std::function<void(candidate const&, std::byte const* source, std::byte* result)>;

/// Runs all candidates for a problem between arrays of its own, which have the bytes that the problem reads and writes. If a
/// candidate's result differs from the first one's in a bit, it names both on standard error and ends the process. It does
/// nothing for larger arrays than `kMostCompared`.
void compare_results(problem const& p, std::vector<candidate> const& candidates, byte_range const& read,
                     byte_range const& written, run_in_host_memory const& run);

}  // namespace cornerturn
