#include "engine/file/move_file.hpp"

#include <chrono>
#include <thread>

#include "cpu/background.hpp"
#include "engine/file/piece_in_memory.hpp"
#include "file/runs.hpp"
#include "plan/pipeline.hpp"

namespace cornerturn {

namespace {

void read_piece(file_sides const& files, piece const& each, piece_buffers const& into) {
  auto const read_run = [&](std::int64_t source, std::int64_t destination, std::int64_t bytes) {
    files.from.read(files.from_byte + source, into.packed.get() + destination, bytes);
    files.report(bytes);
  };
  for_each_run(each.pack, read_run, files.limits.most_run);
}

void write_piece(file_sides const& files, piece const& each, piece_buffers const& from) {
  auto const write_run = [&](std::int64_t source, std::int64_t destination, std::int64_t bytes) {
    files.to.write(files.to_byte + destination, from.moved.get() + source, bytes);
    files.report(bytes);
  };
  for_each_run(each.unpack, write_run, files.limits.most_run);
}

}  // namespace

moved_file move_file(problem const& p, file_sides const& files, processor_kind asked, std::int64_t memory) {
  auto const pieces = pieces_of(p, memory / piece_buffers::kCount);
  piece_mover in_memory(asked);

  // While one piece is moved, the system reads the next piece ahead and writes the previous one to the disk. A single piece does
  // not need this: it is one run, which the system reads ahead by itself, and its files fit into the page cache.
  std::jthread ahead, behind;
  auto const prefetch = [&](std::int64_t i) {
    if (pieces.size() == 1 || i == pieces.size()) return;
    ahead = cpu::run_in_background([&files, pack = pieces[i].pack](std::stop_token const& stop) {
      for_each_run(pack, [&](std::int64_t source, std::int64_t, std::int64_t bytes) {
        if (!stop.stop_requested()) files.from.prefetch(files.from_byte + source, bytes);
      });
    });
  };
  auto const write_back = [&](piece const& each) {
    if (each.index + 1 == pieces.size()) return;
    // All later pieces come after the beginning of the next one.
    auto const end = files.to_byte + pieces[each.index + 1].unpack.destination_offset * p.element_size.destination;
    if (behind.joinable()) behind.join();
    behind = cpu::run_in_background([&files, end, pack = each.pack](std::stop_token const&) {
      for_each_run(pack, [&](std::int64_t source, std::int64_t, std::int64_t bytes) {
        files.from.drop_cache(files.from_byte + source, bytes);
      });
      files.to.flush(end);
    });
  };

  auto const read = [&](piece const& each, piece_buffers const& in) {
    read_piece(files, each, in);
    prefetch(each.index + 1);
  };
  auto const move = [&](piece const& each, piece_buffers const& in) { in_memory.move(each, in, files.report); };
  auto const write = [&](piece const& each, piece_buffers const& in) {
    write_piece(files, each, in);
    write_back(each);
  };
  prefetch(0);
  run_pipeline<piece_buffers>(pieces, 1, read, move, write);
  return {in_memory.seconds(), in_memory.processor()};
}

double move_whole(file_sides const& files, std::int64_t source_bytes, std::int64_t destination_bytes,
                  std::function<void(void const*, void*)> const& move) {
  auto const run_of = [](std::int64_t bytes) { return problem{.modes = {{bytes, 1, 1}}}; };
  piece const whole{.pack = run_of(source_bytes),
                    .move = {},
                    .unpack = run_of(destination_bytes),
                    .packed_bytes = source_bytes,
                    .moved_bytes = destination_bytes};
  piece_buffers const in(whole);
  read_piece(files, whole, in);
  auto const start = std::chrono::steady_clock::now();
  move(in.packed.get(), in.moved.get());
  std::chrono::duration<double> const took = std::chrono::steady_clock::now() - start;
  files.report(destination_bytes);
  write_piece(files, whole, in);
  return took.count();
}

}  // namespace cornerturn
