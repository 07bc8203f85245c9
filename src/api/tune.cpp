#include "cornerturn/tune.hpp"

#include <fmt/format.h>

#include "api/choice.hpp"
#include "api/prepare.hpp"
#include "cornerturn/error.hpp"
#include "engine/gpu/devices.hpp"
#include "engine/gpu/gpu.hpp"
#include "engine/gpu/stopwatch.hpp"
#include "problem/canonical.hpp"
#include "problem/permuted.hpp"

namespace cornerturn {

tuned tune_permute(index_list shape, index_list axes, std::int64_t element_size, plan_options const& options) {
  auto const aligned = alignment_given(options);
  auto const given = permutation(shape, {}, axes, element_size);
  if (auto const why = gpu::why_unavailable(); !why.empty())
    throw error(error_kind::device, fmt::format("tuning needs a GPU: {}", why));
  int const device = options.device == -1 ? gpu::current_device() : options.device;
  auto const name = gpu::device_name(device);
  auto const read = source_range(given), written = destination_range(given);
  if (written == byte_range{}) return {};

  auto const simplest = canonical(given);
  auto const candidates = candidates_of(simplest, aligned);
  auto const found =
      measure_choice(candidates, choice_key(name, simplest, aligned), gpu::make_stopwatch(device, read, written, aligned));
  return {describe(candidates[found.index]), found.seconds, found.first_seconds};
}

}  // namespace cornerturn
