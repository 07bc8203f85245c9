#include "inplace/saved_copies.hpp"

#include <algorithm>
#include <iterator>

namespace cornerturn {

std::vector<step> steps_of(std::optional<step> slots, step panel, bool swaps_first, saved_copies copies) {
  auto result = std::move(copies.save);
  if (slots && swaps_first) result.push_back(*std::move(slots));
  result.push_back(std::move(panel));
  if (slots && !swaps_first) result.push_back(*std::move(slots));
  std::ranges::move(copies.restore, std::back_inserter(result));
  return result;
}

}  // namespace cornerturn
