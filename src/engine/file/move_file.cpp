#include "engine/file/move_file.hpp"

#include <thread>

#include "cpu/background.hpp"
#include "engine/file/piece_in_memory.hpp"
#include "file/runs.hpp"
#include "plan/pipeline.hpp"

namespace cornerturn {

moved_file move_file(problem const& p, input_file const& from, std::int64_t from_byte, replacement& to, std::int64_t to_byte,
                     processor_kind asked, std::int64_t memory, file_limits const& limits,
                     std::function<void(std::int64_t)> const& report) {
  auto const pieces = pieces_of(p, memory / piece_buffers::kCount);
  piece_mover in_memory(asked);

  // While one piece is moved, the system reads the next piece ahead and writes the previous one to the disk. A single piece does
  // not need this: it is one run, which the system reads ahead by itself, and its files fit into the page cache.
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
    // All later pieces come after the beginning of the next one.
    auto const end = to_byte + pieces[each.index + 1].unpack.destination_offset * p.element_size.destination;
    if (behind.joinable()) behind.join();
    behind = cpu::run_in_background([&from, &to, from_byte, end, pack = each.pack](std::stop_token const&) {
      for_each_run(pack,
                   [&](std::int64_t source, std::int64_t, std::int64_t bytes) { from.drop_cache(from_byte + source, bytes); });
      to.flush(end);
    });
  };

  auto const read = [&](piece const& each, piece_buffers& in) {
    auto const read_run = [&](std::int64_t source, std::int64_t destination, std::int64_t bytes) {
      from.read(from_byte + source, in.packed.get() + destination, bytes);
      report(bytes);
    };
    for_each_run(each.pack, read_run, limits.most_run);
    prefetch(each.index + 1);
  };
  auto const move = [&](piece const& each, piece_buffers& in) { in_memory.move(each, in, report); };
  auto const write = [&](piece const& each, piece_buffers& in) {
    auto const write_run = [&](std::int64_t source, std::int64_t destination, std::int64_t bytes) {
      to.write(to_byte + destination, in.moved.get() + source, bytes);
      report(bytes);
    };
    for_each_run(each.unpack, write_run, limits.most_run);
    write_back(each);
  };
  prefetch(0);
  run_pipeline<piece_buffers>(pieces, 1, read, move, write);
  return {in_memory.seconds(), in_memory.processor()};
}

}  // namespace cornerturn
