#pragma once

#include <algorithm>

#include "machine/cpu_model.hpp"

namespace cornerturn {

/// The work of one run on the CPU, as its plan counts it. Bytes of arrays are those of all cache lines with elements.
struct cpu_work {
  double read = 0;           ///< bytes of the source and, if the operation reads it, of the destination
  double written = 0;        ///< bytes of the destination
  bool streams = false;      ///< stores are non-temporal: no line is fetched before it is written
  double image_bytes = 0;    ///< bytes that are written to images in the level 2 cache, and read from them
  double joined_bytes = 0;   ///< bytes that are written in cache lines which are joined from two vectors
  double changed_bytes = 0;  ///< bytes of elements before and after their change
  double instructions = 0;   ///< loads, stores and shuffles of vectors, or of units that are moved one by one
  double source_runs = 0;    ///< contiguous runs that are read
  int threads = 1;
};

/// The seconds that a run takes: the sum of the times of its work, which its threads share.
constexpr double seconds_of(cpu_work const& each, cpu_rates const& rate) {
  bool const is_cached = each.read + each.written <= rate.cached_bytes;
  double const past = each.streams ? each.written : is_cached ? 0 : 2 * each.written;  // a line is fetched and written
  double const cached = is_cached ? each.read + (each.streams ? 0 : each.written) : 0;
  double const memory = past + (is_cached ? 0 : each.read);
  double const work = memory / rate.memory_bytes_per_second + cached / rate.cached_bytes_per_second +
                      each.image_bytes / rate.image_bytes_per_second + each.joined_bytes / rate.joined_bytes_per_second +
                      each.changed_bytes / rate.changed_bytes_per_second + each.instructions / rate.instructions_per_second +
                      each.source_runs * rate.source_run_seconds;
  int const threads = std::min(each.threads, rate.threads);
  return work / threads + (threads > 1 ? rate.threads_seconds : 0);
}

}  // namespace cornerturn
