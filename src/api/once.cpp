#include "api/once.hpp"

#include "api/choice.hpp"
#include "api/memory.hpp"
#include "api/prepare.hpp"
#include "cornerturn/cache.hpp"
#include "plan/cache.hpp"

namespace cornerturn {
namespace {

/// A plan holds a few kilobytes.
constexpr std::size_t kCapacity = 1024;

/// Never destroyed, as threads may outlive the end of main.
plan_cache& cache() {
  static plan_cache& instance = *new plan_cache(kCapacity);
  return instance;
}

}  // namespace

cache_counters cache_info() { return cache().counters(); }

void cache_clear() {
  cache().clear();
  forget_choices();
}

void move_once(request_key key, void const* source, void* destination, processor asked, void* stream,
               std::function<problem()> const& stated) {
  if (!source || !destination) return refuse_overlap(stated(), source, destination);  // without elements nothing is needed
  int const place = place_of(asked, source, destination);
  auto const aligned = place == kHost ? alignment{1, 1} : alignment_of(source, destination);
  key.add(place);
  key.add(aligned.source);
  key.add(aligned.destination);
  auto plan = cache().find(key.words());
  if (!plan) {
    plan = prepare(stated(), aligned, place, effort::estimate);
    cache().insert(key.words(), plan);
  }
  refuse_overlap(plan->read, plan->written, source, destination);
  move(*plan, source, destination, stream);
}

}  // namespace cornerturn
