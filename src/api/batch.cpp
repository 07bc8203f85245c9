#include "api/batch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <numeric>
#include <string>

#include "api/memory.hpp"
#include "api/one_shot.hpp"
#include "api/prepare.hpp"
#include "base/log_plan.hpp"
#include "base/refuse.hpp"
#include "cpu/parallel_for.hpp"
#include "cpu/run.hpp"
#include "engine/cpu/cpu.hpp"
#include "engine/gpu/devices.hpp"
#include "engine/gpu/gpu.hpp"

namespace cornerturn {
namespace {

std::string name_of_source(std::size_t number) { return fmt::format("sources[{}]", number); }

/// The bytes that a batch reads from each of its arrays, and the bytes that it writes to all parts. Throws `error` for layouts
/// that `validate` refuses.
struct batch_ranges {
  byte_range read, written;

  batch_ranges(problem all, array_batch const& batch) {
    // With the mode of the batch there may be one mode too many. At most 62 extents of a destination in memory exceed 1.
    if (all.modes.size() == kMaxRank) std::erase_if(all.modes, [](mode const& each) { return each.extent == 1; });
    all.modes.push_back({std::int64_t(batch.sources.size()), 0, batch.stride});
    validate(all);
    read = source_range(all), written = destination_range(all);
  }
};

/// The alignment of all arrays, and of all parts of the destination.
alignment batch_alignment(array_batch const& batch) {
  auto result = alignment_of(nullptr, batch.destination);
  for (auto const* const source : batch.sources) result.source = std::min(result.source, alignment_of(source, nullptr).source);
  if (batch.sources.size() > 1)
    result.destination = int(std::gcd(std::int64_t(result.destination), batch.stride * batch.element_size));
  return result;
}

/// The placement of all arrays. Throws `error` as `placement_of` does, for arrays in different places, and for memory that the
/// CPU cannot read.
placement batch_placement(array_batch const& batch, batch_ranges const& ranges, copy_options const& options) {
  auto result = placement_of(batch.sources.front(), batch.destination, options);
  for (std::size_t i = 0; i < batch.sources.size(); ++i) {
    auto each = placement_of(batch.sources[i], batch.destination, options);
    if (each.place != result.place) refuse(name_of_source(i), "in other memory than sources[0]", "in the same, on one processor");
    result.waits |= each.waits;
    if (each.place != kHost) continue;
    auto const name = name_of_source(i);
    each.reported.source_name = name;
    refuse_unreadable(each.place, each.reported, {batch.sources[i], ranges.read}, {batch.destination, ranges.written});
  }
  return result;
}

/// The plan of one array for launches of `arrays` arrays.
std::shared_ptr<prepared_plan const> prepare_in_batch(problem const& one, where const& at, std::size_t arrays) {
  auto result = unplanned(one, at);
  result.chosen = fastest_in_batch(result.simplest, result.aligned, gpu::model_of(at.place), arrays);
  result.chosen.why = "estimated to be the fastest";
  return std::make_shared<prepared_plan const>(std::move(result));
}

/// Runs a CPU's plan for each array, several of them at once on `threads` threads.
void run_on_cpu(prepared_plan const& plan, array_batch const& batch, int threads) {
  auto const share = [&](std::size_t number) { return batch.sources.size() * number / std::size_t(threads); };
  cpu::parallel_for(threads, [&](int number) {
    for (auto i = share(std::size_t(number)); i < share(std::size_t(number) + 1); ++i)
      cpu::run(plan.chosen, {.source = batch.sources[i], .destination = batch.part(i)});
  });
}

}  // namespace

void run_batch(request_key key, array_batch const& batch, copy_options const& options, std::function<problem()> const& stated) {
  int const limit = threads_given(options.threads);
  auto const one = stated();
  batch_ranges const ranges(one, batch);
  if (ranges.written == byte_range{}) return;
  for (std::size_t i = 0; i < batch.sources.size(); ++i) {
    if (!batch.sources[i]) refuse_null(name_of_source(i), nullptr);
    refuse_overlap(ranges.read, ranges.written, batch.sources[i], batch.destination);
  }
  auto const [place, waits, reported] = batch_placement(batch, ranges, options);
  bool const on_cpu = place == kHost;
  if (on_cpu && options.processor == processor_kind::gpu)
    refuse("processor", "gpu", "automatic or cpu for several arrays in host memory");

  // With fewer arrays than threads, each array has all threads.
  auto const count = batch.sources.size(), listed = std::min<std::size_t>(count, source_list::kMost);
  int const threads = on_cpu ? cpu::threads_worth(std::int64_t(count) * bytes_of(one), {.most = limit}) : 1;
  bool const shares_arrays = count >= std::size_t(threads);
  where const at(place, on_cpu ? alignment{} : batch_alignment(batch), shares_arrays ? 1 : limit);
  key.add(at);
  if (!on_cpu) key.add(std::int64_t(listed));
  auto const plan =
      one_shot_plan(key.words(), [&] { return on_cpu ? prepare_plan(one, at) : prepare_in_batch(one, at, listed); });

  log_plan([&] { return fmt::format("{} arrays, each by {}", count, describe(*plan)); });
  if (waits) gpu::synchronize(options.stream);
  refuse_factors(*plan, ranges.written, batch.destination, options.stream);
  if (on_cpu) return run_on_cpu(*plan, batch, shares_arrays ? threads : 1);
  gpu::on_device const current(place);
  for_each_launch(only_step(plan->chosen), batch, [&](step const& each, void const* source, void* destination) {
    gpu::run({&each, 1}, {.source = source, .destination = destination}, options.stream);
  });
}

}  // namespace cornerturn
