#include "api/move_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <memory>
#include <new>
#include <thread>

#include "cornerturn/error.hpp"
#include "engine/cpu/cpu.hpp"
#include "engine/cpu/machine.hpp"
#include "engine/cpu/memory.hpp"
#include "engine/cpu/parallel_for.hpp"
#include "engine/gpu/gpu.hpp"
#include "engine/gpu/host_memory.hpp"
#include "file/runs.hpp"
#include "plan/piece_extents.hpp"
#include "plan/pieces.hpp"
#include "plan/pipeline.hpp"
#include "problem/log_plan.hpp"
#include "problem/print.hpp"

namespace cornerturn {
namespace {

using report_bytes = std::function<void(std::int64_t)>;

/// Shorter runs in files would take longer to ask for than to move.
constexpr std::int64_t kLeastRun = 512;

/// More bytes are not faster: the system takes longer to find fresh pages for a large piece than the disk takes for shorter runs,
/// and nothing is read or written while a single piece is moved. A GPU gains more by large pieces than the CPU does.
constexpr std::int64_t kMostUsualOnCpu = 256 << 20, kMostUsualOnGpu = std::int64_t(2) << 30;

bool takes_gpu(processor_kind asked) {
  return asked == processor_kind::gpu || (asked == processor_kind::automatic && gpu::why_unavailable().empty());
}

std::unique_ptr<std::byte[]> allocate(std::int64_t bytes) {
  std::unique_ptr<std::byte[]> result(new (std::nothrow) std::byte[std::size_t(bytes)]);
  if (!result)
    throw error(error_kind::argument,
                fmt::format("memory allows {} for a piece of the array, and the system has none left; less may do",
                            count_text(bytes, "byte")));
  return result;
}

/// Holds one piece in memory: `packed` as it was read, `moved` as it is written.
struct buffers {
  explicit buffers(piece const& largest) : packed(allocate(largest.packed_bytes)), moved(allocate(largest.moved_bytes)) {}
  std::unique_ptr<std::byte[]> packed, moved;
};
constexpr std::int64_t kBuffers = 2;  ///< members of `buffers`

/// Moves pieces in memory on the processor_kind asked for.
class mover {
 public:
  explicit mover(processor_kind asked) : asked_(asked) {}

  void move(piece const& each, buffers const& in, report_bytes const& report) {
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
      // A GPU that has no room left or fails leaves the CPU to do it.
      if (!e.is_of_machine() || asked_ != processor_kind::automatic) throw;
      on_gpu_ = false;
    }
    if (!on_gpu_) move_on_cpu(each, in, progress);
    seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    report(each.moved_bytes - reported);
  }

  moved_file result() const { return {seconds_, on_gpu_ ? "gpu" : "cpu"}; }

 private:
  /// Pieces are alike except at the ends of the modes that are cut, so one plan stands for all in the log.
  static void move_on_cpu(piece const& each, buffers const& in, std::function<void(double)> const& progress) {
    auto const plan = plan_cpu(each.move, cpu::usual_tile_hint());
    if (each.index == 0)
      log_plan([&] { return fmt::format("{} on the CPU, a piece of the file: {}", to_string(each.move), describe(plan)); });
    cpu::run(plan, in.packed.get(), in.moved.get(), progress);
  }

  processor_kind asked_;
  bool on_gpu_ = takes_gpu(asked_);
  double seconds_ = 0;
};

}  // namespace

std::int64_t least_memory(problem const& p) {
  auto const size = shared_element_size(p);
  return kBuffers * size * smallest_piece(p, std::max<std::int64_t>(kLeastRun / size, 1));
}

std::int64_t usual_memory(problem const& p, processor_kind asked) {
  auto const most = takes_gpu(asked) ? kMostUsualOnGpu : kMostUsualOnCpu;
  return std::max(std::min(cpu::available_memory() / 2, most), least_memory(p));
}

moved_file move_file(problem const& p, input_file const& from, std::int64_t from_byte, replacement& to, std::int64_t to_byte,
                     processor_kind asked, std::int64_t memory, report_bytes const& report) {
  auto const pieces = pieces_of(p, memory / kBuffers);
  mover in_memory(asked);

  // While one piece is moved, the system reads the next piece ahead and writes the previous one to the disk. A single piece needs
  // neither: it is one run, which the system reads ahead by itself, and its files are small enough for the page cache.
  std::jthread ahead, behind;
  auto const prefetch = [&](std::int64_t i) {
    if (pieces.size() == 1 || i == pieces.size()) return;
    ahead = cpu::run_in_background([&from, from_byte, pack = pieces[i].pack](std::stop_token const& stop) {
      for_each_run(pack, [&](std::int64_t source, std::int64_t, std::int64_t bytes) {
        if (!stop.stop_requested()) from.prefetch(from_byte + source, bytes);
      });
    });
  };
  auto const write_back = [&](piece const& each) {
    if (each.index + 1 == pieces.size()) return;
    // All later pieces lie behind the beginning of the next one.
    auto const end = to_byte + pieces[each.index + 1].unpack.destination_offset * shared_element_size(p);
    if (behind.joinable()) behind.join();
    behind = cpu::run_in_background([&from, &to, from_byte, end, pack = each.pack](std::stop_token const&) {
      for_each_run(pack, [&](std::int64_t source, std::int64_t, std::int64_t bytes) { from.drop_cache(from_byte + source, bytes); });
      to.flush(end);
    });
  };

  auto const read = [&](piece const& each, buffers& in) {
    for_each_run(each.pack, [&](std::int64_t source, std::int64_t destination, std::int64_t bytes) {
      from.read(from_byte + source, in.packed.get() + destination, bytes);
      report(bytes);
    });
    prefetch(each.index + 1);
  };
  auto const move = [&](piece const& each, buffers& in) { in_memory.move(each, in, report); };
  auto const write = [&](piece const& each, buffers& in) {
    for_each_run(each.unpack, [&](std::int64_t source, std::int64_t destination, std::int64_t bytes) {
      to.write(to_byte + destination, in.moved.get() + source, bytes);
      report(bytes);
    });
    write_back(each);
  };
  prefetch(0);
  run_pipeline<buffers>(pieces, 1, read, move, write);
  return in_memory.result();
}

}  // namespace cornerturn
