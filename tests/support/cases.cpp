#include "support/cases.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <stdexcept>

namespace cornerturn::test {

std::string transpose_case::name() const {
  return fmt::format("{}x{}x{}+{}+{}@{}@{}", batch, rows, cols, source_gap, destination_gap, source_shift, destination_shift);
}

job transpose_case::shape() const {
  job result{
      .rows = rows, .cols = cols, .batch = batch, .source_pitch = cols + source_gap, .destination_pitch = rows + destination_gap};
  result.source_batch_stride = rows * result.source_pitch + source_gap;
  result.destination_batch_stride = cols * result.destination_pitch + destination_gap;
  return result;
}

std::int64_t transpose_case::source_elements() const { return source_shift + batch * shape().source_batch_stride; }
std::int64_t transpose_case::destination_elements() const { return destination_shift + batch * shape().destination_batch_stride; }

std::vector<transpose_case> transpose_cases() {
  std::vector<transpose_case> cases;
  for (auto const rows : {1, 2, 16, 17, 83, 163, 256, 257, 1024})
    for (auto const cols : {1, 2, 16, 17, 83, 163, 256, 257, 1024}) cases.push_back({rows, cols});
  for (auto const& each : std::initializer_list<transpose_case>{{0, 0},
                                                                {0, 5},
                                                                {5, 0},
                                                                {0, 300, 3},
                                                                {300, 0, 3},
                                                                {64, 64, 0},  // nothing to move
                                                                {64, 64, 1, 16, 0},
                                                                {64, 64, 1, 0, 16},
                                                                {64, 128, 1, 1, 0},
                                                                {64, 128, 1, 0, 1},  // pitches, one side unaligned
                                                                {83, 163, 1, 5, 7},
                                                                {256, 256, 1, 16, 16},
                                                                {130, 70, 1, 58, 62},
                                                                {83, 163, 1, 13, 13},
                                                                {80, 163, 1, 13, 16},
                                                                {1040, 528},
                                                                {48, 80, 3, 16, 32},  // pitches aligned, rows not
                                                                {16, 16, 7},
                                                                {17, 83, 5},
                                                                {83, 17, 5, 3, 1},
                                                                {128, 64, 3, 16, 32},
                                                                {1, 1, 100},  // batches
                                                                {64, 64, 1, 0, 0, 1, 0},
                                                                {64, 64, 1, 0, 0, 0, 1},
                                                                {256, 256, 1, 0, 0, 3, 5},  // shifted pointers
                                                                {512, 3},
                                                                {3, 512},
                                                                {5000, 1},
                                                                {1, 5000},
                                                                {2, 4097},
                                                                {4097, 2},
                                                                {7, 1031}})  // skinny
    cases.push_back(each);
  if (char const* wanted = std::getenv("CORNERTURN_CASE")) {
    std::erase_if(cases, [&](auto const& each) { return each.name() != wanted; });
    if (cases.empty())
      throw std::invalid_argument(fmt::format("CORNERTURN_CASE is {}; it must be the name of a case in the table", wanted));
  }
  return cases;
}

}  // namespace cornerturn::test
