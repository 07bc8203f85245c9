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
#include "engine/cpu/team.hpp"
#include "engine/gpu/gpu.hpp"
#include "engine/gpu/host_memory.hpp"
#include "file/runs.hpp"
#include "plan/piece_extents.hpp"
#include "plan/pieces.hpp"
#include "problem/print.hpp"

namespace cornerturn {
namespace {

using tell_bytes = std::function<void(std::int64_t)>;

/// Shorter runs in files would take longer to ask for than to move.
constexpr std::int64_t kLeastRun = 512;

/// A piece is in two of them: as it was read, and as it is written.
constexpr std::int64_t kBuffers = 2;

std::unique_ptr<std::byte[]> allocate(std::int64_t bytes) {
  std::unique_ptr<std::byte[]> result(new (std::nothrow) std::byte[std::size_t(bytes)]);
  if (!result)
    throw error(error_kind::argument,
                fmt::format("memory allows {} for a piece of the array, and the system has none left; less may do",
                            count_text(bytes, "byte")));
  return result;
}

/// Moves pieces in memory on the processor asked for.
class mover {
 public:
  explicit mover(processor asked)
      : on_gpu_(asked == processor::gpu || (asked == processor::automatic && gpu::why_unavailable().empty())),
        may_change_(asked == processor::automatic) {}

  void move(problem const& p, std::int64_t bytes, std::byte const* from, std::byte* to, tell_bytes const& tell) {
    std::int64_t told = 0;
    auto const progress = [&](double share) {
      auto const now = std::int64_t(share * double(bytes));
      tell(std::max<std::int64_t>(now - told, 0));
      told = std::max(now, told);
    };
    auto const start = std::chrono::steady_clock::now();
    if (!on_gpu_ || !moved_by_gpu(p, from, to, progress)) cpu::permute(p, from, to, progress);
    result_.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    tell(bytes - told);
  }

  moved_file result() const { return {result_.seconds, on_gpu_ ? "gpu" : "cpu"}; }

 private:
  bool moved_by_gpu(problem const& p, std::byte const* from, std::byte* to, std::function<void(double)> const& progress) {
    try {
      gpu::permute_host_memory(p, from, to, progress);
    } catch (error const& e) {
      // A GPU that has no room left or fails leaves the CPU to do it.
      if (e.kind() != error_kind::device || !may_change_) throw;
      on_gpu_ = false;
    }
    return on_gpu_;
  }

  bool on_gpu_;
  bool const may_change_;
  moved_file result_;
};

}  // namespace

std::int64_t least_memory(problem const& p) {
  return kBuffers * p.element_size * smallest_piece(p, std::max<std::int64_t>(kLeastRun / p.element_size, 1));
}

moved_file move_file(problem const& p, input_file const& from, std::int64_t from_byte, replacement& to, std::int64_t to_byte,
                     processor asked, std::int64_t memory, tell_bytes const& tell) {
  auto const pieces = pieces_of(p, memory / kBuffers);
  auto const largest = pieces[0];
  auto const packed = allocate(largest.packed_bytes), moved = allocate(largest.moved_bytes);
  mover mover(asked);

  // While a piece is at work, the disk brings the next one and puts the one before away. A single piece is one run, which the
  // system reads ahead by itself, and whose files are small enough to be kept in its memory.
  std::jthread ahead, behind;
  auto const ask_for = [&](std::int64_t i) {
    if (pieces.size() == 1 || i == pieces.size()) return;
    ahead = cpu::beside([&from, from_byte, pack = pieces[i].pack](std::stop_token const& stop) {
      for_each_run(pack, [&](std::int64_t source, std::int64_t, std::int64_t bytes) {
        if (!stop.stop_requested()) from.ask_for(from_byte + source, bytes);
      });
    });
  };
  auto const put_away = [&](std::int64_t i) {
    if (i + 1 == pieces.size()) return;
    // All later pieces lie behind the beginning of the next one.
    auto const end = to_byte + pieces[i + 1].unpack.destination_offset * p.element_size;
    if (behind.joinable()) behind.join();
    behind = cpu::beside([&from, &to, from_byte, end, pack = pieces[i].pack](std::stop_token const&) {
      for_each_run(pack, [&](std::int64_t source, std::int64_t, std::int64_t bytes) { from.forget(from_byte + source, bytes); });
      to.flush(end);
    });
  };

  ask_for(0);
  for (std::int64_t i = 0; i < pieces.size(); ++i) {
    auto const piece = pieces[i];
    for_each_run(piece.pack, [&](std::int64_t source, std::int64_t destination, std::int64_t bytes) {
      from.read(from_byte + source, packed.get() + destination, bytes);
      tell(bytes);
    });
    ask_for(i + 1);
    mover.move(piece.move, piece.moved_bytes, packed.get(), moved.get(), tell);
    for_each_run(piece.unpack, [&](std::int64_t source, std::int64_t destination, std::int64_t bytes) {
      to.write(to_byte + destination, moved.get() + source, bytes);
      tell(bytes);
    });
    put_away(i);
  }
  return mover.result();
}

}  // namespace cornerturn
