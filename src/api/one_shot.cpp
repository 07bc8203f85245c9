#include "api/one_shot.hpp"

#include "api/choice.hpp"
#include "api/memory.hpp"
#include "api/prepare.hpp"
#include "base/fork_safe_static.hpp"
#include "base/refuse.hpp"
#include "cornerturn/cache.hpp"
#include "engine/gpu/devices.hpp"
#include "engine/gpu/host_memory.hpp"
#include "plan/cache.hpp"
#include "problem/canonical.hpp"
#include "problem/element_types.hpp"

namespace cornerturn {
namespace {

constexpr std::size_t kCachedPlans = 1024, kCachedBytes = 64 << 20;

plan_cache& cache() {
  static constinit fork_safe_static<plan_cache> instance;
  return instance.get([] { return plan_cache(kCachedPlans, kCachedBytes); });
}

/// Permutes host memory on the GPU. The copies to and from the GPU take so long that caching a plan gains nothing.
void move_by_gpu(problem const& given, call_memory const& memory, void const* source, void* destination, int threads) {
  if (given.operation && given.operation->beta != 0.0)
    refuse("processor", "gpu", "automatic or cpu for beta and host memory, which would be copied to the GPU twice");
  if (given.operation && is_affine(*given.operation))
    refuse("processor", "gpu", "automatic or cpu for scale or bias in host memory, which the GPU cannot read");
  auto const read = source_range(given), written = destination_range(given);
  refuse_overlap(read, written, source, destination);
  if (written != byte_range{}) refuse_unreadable(kHost, memory, {source, read}, {destination, written});
  refuse_missing_gpu(processor_kind::gpu);
  gpu::permute_host_memory(canonical(given), source, destination, {}, gpu::kPieceBytes, threads);
}

}  // namespace

cache_counters cache_info() { return cache().counters(); }

void cache_clear() {
  cache().clear();
  forget_choices();
}

std::shared_ptr<prepared_plan const> one_shot_plan(std::span<std::int64_t const> key,
                                                   std::function<std::shared_ptr<prepared_plan const>()> const& prepare) {
  auto plan = cache().find(key);
  if (!plan) {
    plan = prepare();
    cache().insert(key, plan);
  }
  return plan;
}

void run_call(void const* source, void* destination, copy_options const& options, std::function<problem()> const& stated,
              std::function<std::shared_ptr<prepared_plan const>(where const&)> const& plan_at) {
  int const threads = threads_given(options.threads);
  if (!source || !destination)
    return refuse_overlap(stated(), source, destination);  // null pointers are allowed if there are no elements
  auto const [place, waits, reported] = placement_of(source, destination, options);
  if (place == kHost && options.processor == processor_kind::gpu)
    return move_by_gpu(stated(), reported, source, destination, threads);
  auto const plan = plan_at({place, place == kHost ? alignment{} : alignment_of(source, destination), threads});
  refuse_overlap(plan->read, plan->written, source, destination);
  if (!plan->is_empty()) refuse_unreadable(place, reported, {source, plan->read}, {destination, plan->written});
  if (waits) gpu::synchronize(options.stream);
  move(*plan, {.source = source, .destination = destination}, options.stream);
}

void run_one_shot(request_key key, void const* source, void* destination, copy_options const& options,
                  std::function<problem()> const& stated) {
  run_call(source, destination, options, stated, [&](where const& at) {
    key.add(at);
    return one_shot_plan(key.words(), [&] { return prepare_plan(stated(), at); });
  });
}

}  // namespace cornerturn
