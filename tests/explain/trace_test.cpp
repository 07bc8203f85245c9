#include "cornerturn/trace.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "cornerturn/page.hpp"
#include "engine/host/host.hpp"
#include "kernel/rung/plan.hpp"
#include "support/message.hpp"
#include "support/rungs.hpp"
#include "support/scratch.hpp"

namespace cornerturn {
namespace {

std::vector<traced_kernel> kernels_of(std::string const& text) {
  test::scratch folder;
  folder.put("trace.txt", text);
  return explain_trace(folder / "trace.txt");
}

std::string refused(std::string const& text) {
  auto const message = test::message_of([&] { kernels_of(text); }, error_kind::file);
  return message.substr(std::min(message.size(), message.find("trace.txt: ")));
}

/// One request of a warp's first lanes, at addresses that differ by `stride`.
std::string lines_of(std::string_view rest, int lanes, int stride, std::string_view begin = "k 0", int first = 0) {
  std::string result;
  for (int lane = 0; lane < lanes; ++lane) {
    result += fmt::format("{} {} ", begin, first + lane);
    result += fmt::format(fmt::runtime(rest), lane * stride) + "\n";
  }
  return result;
}

/// The counts of an instruction, without its samples.
auto counts_of(memory_instruction const& each) {
  return std::tuple(
      each.file, each.line, each.space, each.store, each.bytes,
      std::vector{each.requests, each.active_lanes, each.sectors, each.ideal_sectors, each.warp_sectors, each.partial_sectors,
                  each.half_lines, each.lines, each.wavefronts, each.ideal_wavefronts, each.bytes_needed, each.bytes_moved});
}
template <class Instructions>
auto all_counts_of(Instructions const& instructions) {
  std::vector<decltype(counts_of(instructions.front()))> result;
  for (auto const& each : instructions) result.push_back(counts_of(each));
  std::ranges::sort(result);
  return result;
}

/// The accesses of all blocks, as lines of a trace.
std::string trace_of(recording const& every, std::string_view kernel) {
  std::string result = "# accesses\n\n";
  for (auto const& each : every.accesses)
    if (each.active)
      fmt::format_to(std::back_inserter(result), "{} {} {} {}:{} {} {} {} {:#x} {}\n", kernel, each.block, each.thread,
                     each.place.file, each.place.line, each.iteration, each.store ? "store" : "load",
                     each.space == memory_space::shared ? "shared" : "global", each.address, each.bytes);
  return result;
}

TEST(trace, of_the_host_executor_has_the_counts_of_explain) {
  constexpr std::uintptr_t kSource = 1 << 20, kDestination = 1 << 24;
  for (auto const kernel : {rung::naive_read, rung::smem_conflict_read, rung::smem_padded, rung::vec_swizzled})
    for (auto const& [rows, cols] : {std::pair<std::int64_t, std::int64_t>{128, 192}, {83, 163}}) {
      job const shape{.rows = rows, .cols = cols, .source_pitch = cols, .destination_pitch = rows};
      recording every{.addresses_only = true, .accesses = {}};
      host::run(plan_rung(kernel, shape, 4, {16, 16}), reinterpret_cast<void const*>(kSource),
                reinterpret_cast<void*>(kDestination), &every);
      auto const name = std::string(name_of(kernel));
      auto const told = explain(name, {.rows = rows, .cols = cols});
      if (!told.unavailable.empty()) continue;
      auto const all = kernels_of(trace_of(every, name));
      ASSERT_EQ(all.size(), 1u);
      EXPECT_EQ(all[0].rung, name);
      EXPECT_EQ(all[0].blocks, told.blocks);
      EXPECT_EQ(all[0].threads, told.threads);
      EXPECT_EQ(all_counts_of(all[0].instructions), all_counts_of(told.instructions)) << name << " " << rows;
    }
}

TEST(trace, lanes_of_a_request_may_stand_apart) {
  auto const even = lines_of("k.cu:7 0 load shared {} 4", 32, 128);
  auto const one = kernels_of(even)[0].instructions;
  ASSERT_EQ(one.size(), 1u);
  EXPECT_EQ(one[0].wavefronts, 32);
  EXPECT_EQ(one[0].ideal_wavefronts, 1);
  // the lanes of two warps and of two kernels, in turn
  std::string mixed;
  for (int lane = 0; lane < 32; ++lane)
    mixed += fmt::format(
        "k 0 {0} k.cu:7 0 load shared {2} 4\nk 0 {1} k.cu:7 0 load shared {2} 4\nother 0 {0} k.cu:7 0 load global {2} 4\n",
        31 - lane, 63 - lane, 4 * lane);
  auto const both = kernels_of(mixed);
  ASSERT_EQ(both.size(), 2u);
  EXPECT_EQ(both[0].instructions[0].requests, 2);
  EXPECT_EQ(both[0].instructions[0].wavefronts, 2);
  EXPECT_EQ(both[1].rung, "other");
  EXPECT_EQ(both[1].instructions[0].sectors, 4);
}

TEST(trace, iterations_and_repetitions_are_requests_of_their_own) {
  // lane 0 skips the first iteration
  auto const skipped = [](int first, int second) {
    return fmt::format(
        "k 0 1 k.cu:7 {0} store shared 0 4\nk 0 0 k.cu:7 {1} store shared 0 4\nk 0 1 k.cu:7 {1} store shared 128 4\n", first,
        second);
  };
  EXPECT_EQ(kernels_of(skipped(0, 1))[0].instructions[0].wavefronts, 1 + 2);
  EXPECT_EQ(kernels_of(skipped(0, 0))[0].instructions[0].wavefronts, 1 + 1);  // by occurrence
  // a load and a store on one line are two instructions
  auto const added = kernels_of(lines_of("k.cu:7 0 load global {} 4", 32, 4) + lines_of("k.cu:7 0 store global {} 4", 32, 4));
  ASSERT_EQ(added[0].instructions.size(), 2u);
  EXPECT_FALSE(added[0].instructions[0].store);
  EXPECT_EQ(added[0].instructions[1].sectors, 4);
}

TEST(trace, a_report_quotes_the_source) {
  test::scratch folder;
  folder.put("k.cu", "first\n  sum += tile[threadIdx.x][0];  \n");
  folder.put("trace.txt", lines_of((folder / "k.cu").string() + ":2 0 load shared {} 4", 32, 128, "sum 3"));
  auto const each = explain_trace(folder / "trace.txt")[0];
  EXPECT_EQ(each.instructions[0].source, "sum += tile[threadIdx.x][0];");
  EXPECT_EQ(each.instructions[0].file, "k.cu");
  auto const report = report_of(each);
  EXPECT_TRUE(report.starts_with("sum: 32 wavefronts of shared memory, 1 would do\n1 block of 32 threads in the trace\n"))
      << report;
  EXPECT_NE(report.find("[stride-32]"), report.npos);
  EXPECT_NE(json_of(std::vector{each}).find("\"kernel\": \"sum\""), std::string::npos);
}

TEST(trace, a_pipe_is_not_read_as_a_source) {
  test::scratch folder;
  ASSERT_EQ(mkfifo((folder / "kernel.cu").c_str(), 0600), 0);
  folder.put("trace.txt", fmt::format("k 0 0 {}:1 0 load global 0 4\n", (folder / "kernel.cu").string()));
  EXPECT_EQ(explain_trace(folder / "trace.txt").at(0).instructions.at(0).source, "");
}

TEST(trace, addresses_of_global_memory_begin_near_the_lowest_one) {
  auto const each =
      kernels_of(lines_of("k.cu:7 0 load global {} 8", 16, 8, "k 9") + "k 9 16 k.cu:8 0 store global 0x7f0000000140 16\n")[0];
  ASSERT_EQ(each.instructions.size(), 2u);
  EXPECT_EQ(each.instructions[1].samples[0].lanes[0].address, 0x40);
  EXPECT_EQ(each.instructions[1].sectors, 1);
  ASSERT_FALSE(each.findings.empty());
  EXPECT_EQ(each.findings[0].kind, "idle-lanes");
}

TEST(trace, counts_of_blocks_add_up) {
  std::string text;
  for (int block = 0; block < 300; ++block) text += lines_of("k.cu:7 0 load global {} 4", 32, 32, fmt::format("k {}", block));
  auto const each = kernels_of(text)[0];
  EXPECT_EQ(each.blocks, 300);
  EXPECT_EQ(each.instructions[0].sectors, 300 * 32);
  EXPECT_EQ(each.instructions[0].warp_sectors, 300 * 32);
}

TEST(trace, a_wrong_line_is_refused_with_its_number) {
  std::string const good = "k 0 0 k.cu:1 0 load global 0 4\n";
  EXPECT_EQ(
      refused(good + "k 0 0 k.cu:1 0 load global 0\n"),
      "trace.txt: line 2: it is 'k 0 0 k.cu:1 0 load global 0'; it must be KERNEL BLOCK THREAD FILE:LINE ITERATION load|store "
      "global|shared ADDRESS BYTES");
  for (auto const& [line, told] :
       {std::pair("k x 0 k.cu:1 0 load global 0 4", "the block is 'x'; it must be an integer from 0 to 9223372036854775807"),
        {"k 0 1024 k.cu:1 0 load global 0 4", "the thread is '1024'; it must be an integer from 0 to 1023"},
        {"k 0 0 k.cu 0 load global 0 4", "the place is 'k.cu'; it must be FILE:LINE"},
        {"k 0 0 k.cu:0 0 load global 0 4", "the line is '0'; it must be an integer from 1 to 2147483647"},
        {"k 0 0 k.cu:1 -1 load global 0 4", "the iteration is '-1'; it must be an integer from 0 to 9223372036854775807"},
        {"k 0 0 k.cu:1 0 read global 0 4", "the access is 'read'; it must be load or store"},
        {"k 0 0 k.cu:1 0 load local 0 4", "the memory is 'local'; it must be global or shared"},
        {"k 0 0 k.cu:1 0 load shared 0x40000 4", "the address is '0x40000'; it must be an integer from 0 to 233456"},
        {"k 0 0 k.cu:1 0 load global 0x8000000000000000 4",
         "the address is '0x8000000000000000'; it must be an integer from 0 to 9223372036854775791"},
        {"k 0 0 k.cu:1 0 load global 0 12", "the number of bytes is 12; it must be 1, 2, 4, 8 or 16"},
        {"k 0 0 k.cu:1 0 load global 0 32", "the number of bytes is '32'; it must be an integer from 1 to 16"}})
    EXPECT_EQ(refused(good + line), fmt::format("trace.txt: line 2: {}", told));
  EXPECT_EQ(refused(std::string(2000, 'x')), "trace.txt: line 1: it must have at most 1024 characters");
  EXPECT_NE(refused("k\x1b[1m 0 0 a:1 0 load global 0 4\n").find("line 1: 'k\\x1b[1m' has a control character"),
            std::string::npos);
  EXPECT_NE(refused(good + std::string("k\0 0", 4)).find("line 2: it is 'k\\x00 0'"), std::string::npos);
  EXPECT_EQ(refused("# nothing\n"), "trace.txt: it has no access");
  EXPECT_EQ(refused(""), "trace.txt: it has no access");
  EXPECT_NE(test::message_of([] { explain_trace("nowhere/trace.txt"); }, error_kind::file).find("cannot be read"),
            std::string::npos);
}

TEST(trace, slow_of_a_block_with_too_many_accesses_is_refused) {
  std::string text;
  for (int i = 0; i <= 1 << 21; ++i) text += "k 3 0 k:1 0 load global 0 4\n";
  EXPECT_EQ(refused(text), "trace.txt: line 2097153: block 3 has more than 2097152 accesses; trace fewer iterations");
}

/// More accesses than may wait, from a pipe, which has no beginning to go back to. Blocks come one after another, so that each is
/// complete before it is counted.
TEST(trace, slow_of_a_long_stream_is_counted_in_parts) {
  test::scratch folder;
  constexpr int kBlocks = 18, kRequests = 16384;
  auto const path = folder / "trace.txt";
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  std::thread writer([&] {
    std::ofstream pipe(path);
    for (int block = 0; block < kBlocks; ++block)
      for (int i = 0; i < kRequests; ++i) {
        std::string lines;
        for (int lane = 0; lane < 32; ++lane)
          fmt::format_to(std::back_inserter(lines), "k {} {} k:1 {} load global {} 4\n", block, lane, i, 32 * lane);
        pipe << lines;
      }
  });
  auto const each = explain_trace(path)[0];
  writer.join();
  EXPECT_EQ(each.blocks, kBlocks);
  EXPECT_EQ(each.instructions[0].requests, std::int64_t(kBlocks) * kRequests);
  EXPECT_EQ(each.instructions[0].warp_sectors, 32 * kBlocks);
}

}  // namespace
}  // namespace cornerturn
