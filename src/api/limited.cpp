#include "api/limited.hpp"

#include <algorithm>
#include <utility>

#include "api/prepare.hpp"
#include "plan/request_key.hpp"
#include "problem/permuted.hpp"
#include "problem/validate.hpp"

namespace cornerturn {
namespace {

/// A list of numbers, each list after its length.
class key_words {
 public:
  void add(std::int64_t number) { words.push_back(number); }
  void add(auto const& list) {
    add(std::int64_t(list.size()));
    for (auto const each : list) add(std::int64_t(each));
  }
  void add(pattern_side const& side) {
    for (auto const& list : {side.shape, side.strides, side.mode_strides}) add(list);
    add(std::int64_t(side.limits.size()));
    for (auto const& each : side.limits) add(each.modes), add(each.extent);
    add(side.swizzle.selectors), add(side.swizzle.flipped);
  }

  std::vector<std::int64_t> words;
};

bool has_elements(pattern_side const& side) { return std::ranges::count(side.shape, 0) == 0; }

}  // namespace

std::vector<std::int64_t> key_of(pattern_copy const& copy, where const& at) {
  key_words key;
  key.add(std::int64_t(request_key::call::rearrange));
  key.add(copy.move.extents);
  key.add(copy.move.source), key.add(copy.move.destination);
  key.add(copy.element_size);
  key.add(copy.pad);
  for (int const each : {at.place, at.aligned.source, at.aligned.destination, at.threads}) key.add(std::int64_t(each));
  return std::move(key.words);
}

prepared_plan unplanned_limited(pattern_copy const& copy, where const& at) {
  auto const& from = copy.move.source;
  auto const& to = copy.move.destination;
  std::vector<std::int64_t> const repeated(to.shape.size(), 0);
  prepared_plan plan{.simplest = {},
                     .limited = copy,
                     .read = {},
                     .written = destination_range(strided(to.shape, repeated, to.strides, copy.element_size)),
                     .aligned = at.aligned,
                     .device = at.place,
                     .threads = at.threads,
                     .device_name = device_name_of(at)};
  if (has_elements(from) && has_elements(to))
    plan.read = source_range(strided(from.shape, from.strides, dense_strides(from.shape, storage_order::c), copy.element_size));
  return plan;
}

}  // namespace cornerturn
