#include "cornerturn/rearrange.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "c/call.hpp"
#include "cornerturn/cornerturn.h"

namespace cornerturn {
namespace {

/// A rearrangement of C, whose numbers have been checked.
struct given_rearrangement {
  explicit given_rearrangement(cornerturn_rearrangement const* given) {
    expect_address("rearrangement", given);
    refuse_size(*given, "cornerturn_rearrangement", "rearrangement");
    expect_address("rearrangement.pattern", given->pattern);
    if (given->length_count < 0) refuse("rearrangement.length_count", given->length_count, "0 or more");
    if (given->length_count > 0) expect_address("rearrangement.lengths", given->lengths);
    for (std::int32_t i = 0; i < given->length_count; ++i) {
      expect_address("the name of a length", given->lengths[i].name);
      lengths.push_back({given->lengths[i].name, given->lengths[i].length});
    }
    auto const dimensions = list_of("rearrangement.shape", given->shape, given->rank, "rearrangement.rank");
    shape.assign(dimensions.begin(), dimensions.end());
    pattern = given->pattern;
    limits.padded = given->pad != nullptr;
    if (!given->result_shape) return;
    auto const rank = parse_pattern(pattern, given->rank, names()).result.size();
    limits.shape.assign(given->result_shape, given->result_shape + rank);
  }

  std::vector<std::string_view> names() const {
    std::vector<std::string_view> result;
    for (auto const& each : lengths) result.push_back(each.name);
    return result;
  }
  std::shared_ptr<rearrangement const> steps() const { return rearrangement_of(pattern, shape, lengths, limits); }

  std::string_view pattern;
  std::vector<std::int64_t> shape;
  std::vector<axis_length> lengths;
  rearrange_limits limits;
};

std::string text_or_empty(char const* text) { return text ? text : ""; }

}  // namespace
}  // namespace cornerturn

using namespace cornerturn;

cornerturn_status cornerturn_rearrange(void const* source, void* destination, cornerturn_rearrangement const* rearrangement,
                                       cornerturn_elements given, void* stream, cornerturn_copy_options const* options) {
  return guarded([&] {
    given_rearrangement const call(rearrangement);
    auto all = options_of<rearrange_options>(options, stream);
    all.source_strides = strides_or_dense(rearrangement->source_strides, rearrangement->rank);
    auto const rank = std::int32_t(call.steps()->shape.size());
    all.destination_strides = strides_or_dense(rearrangement->destination_strides, rank);
    all.pad = rearrangement->pad;
    all.shape = call.limits.shape;
    all.bits = rearrangement->bits;
    all.swizzle = text_or_empty(rearrangement->swizzle);
    all.source_swizzle = text_or_empty(rearrangement->source_swizzle);
    all.order = rearrangement->big ? bit_order::big : bit_order::little;
    rearrange(source, destination, call.pattern, call.shape, elements_of(given, rank), call.lengths, all);
  });
}

cornerturn_status cornerturn_rearranged_shape(cornerturn_rearrangement const* rearrangement, std::int32_t* rank,
                                              std::int64_t* shape) {
  return guarded([&] {
    given_rearrangement const call(rearrangement);
    expect_address("rank", rank);
    expect_address("shape", shape);
    auto const found = call.steps();
    *rank = std::int32_t(found->shape.size());
    std::ranges::copy(found->shape, shape);
  });
}
