#include "engine/file/piece_in_memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <new>

#include "base/log_plan.hpp"
#include "cornerturn/error.hpp"
#include "cornerturn/text.hpp"
#include "cpu/machine.hpp"
#include "cpu/memory.hpp"
#include "engine/cpu/cpu.hpp"
#include "engine/gpu/gpu.hpp"
#include "engine/gpu/host_memory.hpp"
#include "plan/cpu_candidates.hpp"
#include "problem/describe.hpp"
#include "problem/piece_extents.hpp"

namespace cornerturn {
namespace {

bool takes_gpu(processor_kind asked) {
  return asked == processor_kind::gpu || (asked == processor_kind::automatic && gpu::why_unavailable().empty());
}

std::unique_ptr<std::byte[]> allocate(std::int64_t bytes) {
  std::unique_ptr<std::byte[]> result(new (std::nothrow) std::byte[std::size_t(bytes)]);
  if (!result)
    throw error({"memory", std::to_string(bytes), "less"},
                fmt::format("{{}} allows {} for a piece of the array, and the system has none left; less may do",
                            count_text(bytes, "byte")));
  return result;
}

/// Moves a piece by the CPU. Pieces are alike except at the ends of the modes that are cut, so the log has the plan of the first
/// one.
void move_on_cpu(piece const& each, piece_buffers const& in, std::function<void(double)> const& progress) {
  auto const plan = cpu_candidate_of(each.move, cpu::usual_tile_hint());
  if (each.index == 0)
    log_plan([&] { return fmt::format("{} on the CPU, a piece of the file: {}", describe(each.move), describe(plan)); });
  cpu::run(plan, {.source = in.packed.get(), .destination = in.moved.get()}, progress);
}

}  // namespace

piece_buffers::piece_buffers(piece const& largest)
    : packed(allocate(largest.packed_bytes)), moved(allocate(largest.moved_bytes)) {}

piece_mover::piece_mover(processor_kind asked) : asked_(asked), on_gpu_(takes_gpu(asked)) {}

void piece_mover::move(piece const& each, piece_buffers const& in, std::function<void(std::int64_t)> const& report) {
  std::int64_t reported = 0;
  auto const progress = [&](double share) {
    auto const now = std::int64_t(share * double(each.moved_bytes));
    report(std::max<std::int64_t>(now - reported, 0));
    reported = std::max(now, reported);
  };
  auto const start = std::chrono::steady_clock::now();
  try {
    if (on_gpu_) gpu::permute_host_memory(each.move, in.packed.get(), in.moved.get(), progress);
  } catch (error const& e) {
    if (!e.is_of_machine() || asked_ != processor_kind::automatic) throw;
    on_gpu_ = false;
  }
  if (!on_gpu_) move_on_cpu(each, in, progress);
  seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  report(each.moved_bytes - reported);
}

std::int64_t least_memory(problem const& p, file_limits const& limits) {
  auto const size = p.element_size.larger();
  return piece_buffers::kCount * size * smallest_piece(p, std::max<std::int64_t>(limits.least_run / size, 1));
}

std::int64_t usual_memory(problem const& p, processor_kind asked, file_limits const& limits) {
  auto const most = takes_gpu(asked) ? limits.usual_on_gpu : limits.usual_on_cpu;
  return std::max(std::min(cpu::available_memory() / 2, most), least_memory(p, limits));
}

}  // namespace cornerturn
