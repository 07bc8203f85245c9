#include "plan/staged.hpp"

#include <algorithm>

#include "base/round.hpp"
#include "plan/choose.hpp"

namespace cornerturn {
namespace {

/// CUDA allocates memory with this alignment in bytes. The kernel is planned for buffers that are aligned to 16 bytes or more.
constexpr std::int64_t kBufferAlignment = 256;

std::int64_t moved_at(piece const& each) { return round_up(each.packed_bytes, kBufferAlignment); }

}  // namespace

std::int64_t staged_bytes(piece const& each) { return moved_at(each) + each.moved_bytes; }

step const& staged_planner::kernel_for(problem const& move) {
  auto found = std::ranges::find(kernels_, move, &std::pair<problem, step>::first);
  if (found == kernels_.end()) found = kernels_.insert(found, {move, only_step(fastest_candidate(move, {}, gpu_))});
  return found->second;
}

candidate staged_planner::plan(piece const& each) {
  using enum buffer_role;
  auto const moved = moved_at(each);
  auto kernel = kernel_for(each.move);
  kernel.source = {workspace}, kernel.destination = {workspace, moved};
  candidate result{.steps = {}, .workspace_bytes = staged_bytes(each), .staging_bytes = staged_bytes(each)};
  result.steps.reserve(5);
  result.steps.push_back({plan_cpu(each.pack, hint_), {source}, {staging}});
  result.steps.push_back({transfer{transfer::direction::to_device, each.packed_bytes}, {staging}, {workspace}});
  result.steps.push_back(std::move(kernel));
  result.steps.push_back({transfer{transfer::direction::to_host, each.moved_bytes}, {workspace, moved}, {staging, moved}});
  result.steps.push_back({plan_cpu(each.unpack, hint_), {staging, moved}, {destination}});
  return result;
}

}  // namespace cornerturn
