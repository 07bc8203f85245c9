#include "cornerturn/trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <system_error>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "cornerturn/error.hpp"
#include "explain/findings.hpp"
#include "explain/instructions.hpp"
#include "explain/trace_lines.hpp"

namespace cornerturn {
namespace {

constexpr std::size_t kMostOfBlock = std::size_t(1) << 21, kMostWaiting = std::size_t(1) << 23;
constexpr std::int64_t kBoundary = 256;  // bytes, at which reported addresses begin

/// An access that waits for the others of its block.
struct waiting_access {
  std::uint64_t address;
  std::int64_t iteration;
  int thread, site;
};

/// The accesses of a block that are not counted yet.
struct waiting_block {
  std::vector<waiting_access> accesses;
  std::int64_t last_line = 0;  // of the trace
};

/// A line of the kernel's source with one kind of access.
struct traced_site {
  std::string file;
  int line;
  memory_space space;
  bool store;
  int bytes;
};

class kernel_counts {
 public:
  explicit kernel_counts(std::string_view name) : name_(name) {}

  /// Returns the number of accesses of the block that wait.
  std::size_t add(access_line const& each, std::int64_t line) {
    auto& block = waiting_[each.block];
    if (block.accesses.empty()) blocks_.insert(each.block);
    block.accesses.push_back({each.address, each.iteration, each.thread, site_of(each)});
    block.last_line = line;
    threads_ = std::max(threads_, each.thread + 1);
    return block.accesses.size();
  }

  /// Adds the last line of each block that waits, and its accesses.
  void collect(std::vector<std::pair<std::int64_t, std::size_t>>& into) const {
    for (auto const& [number, block] : waiting_) into.emplace_back(block.last_line, block.accesses.size());
  }

  /// Counts the blocks whose last line is up to this one.
  void count_until(std::int64_t line) {
    for (auto at = waiting_.begin(); at != waiting_.end();) {
      if (at->second.last_line > line) {
        ++at;
      } else {
        count(at->first, at->second.accesses);
        at = waiting_.erase(at);
      }
    }
  }

  traced_kernel result() const;

 private:
  int site_of(access_line const& each) {
    auto const key = std::tuple(each.file, each.line, each.space, each.store, each.bytes);
    if (auto const known = known_sites_.find(key); known != known_sites_.end()) return known->second;
    sites_.push_back({std::string(each.file), each.line, each.space, each.store, each.bytes});
    known_sites_.emplace(std::tuple(std::string(each.file), each.line, each.space, each.store, each.bytes),
                         int(sites_.size() - 1));
    return int(sites_.size() - 1);
  }

  void count(std::int64_t block, std::vector<waiting_access>& accesses) {
    std::ranges::stable_sort(accesses, {}, &waiting_access::thread);
    std::map<std::tuple<int, std::int64_t>, int> occurrences;  // of the thread, by site and iteration
    recording record;
    for (std::size_t i = 0; i < accesses.size(); ++i) {
      auto const& each = accesses[i];
      if (i > 0 && accesses[i - 1].thread != each.thread) occurrences.clear();
      auto const& site = sites_[std::size_t(each.site)];
      record.accesses.push_back({.thread = each.thread,
                                 .place = {{}, each.site + 1},
                                 .occurrence = occurrences[{each.site, each.iteration}]++,
                                 .space = site.space,
                                 .store = site.store,
                                 .active = true,
                                 .address = each.address,
                                 .bytes = site.bytes,
                                 .block = block,
                                 .iteration = each.iteration});
    }
    counts_.add(record, 1);
  }

  std::string name_;
  std::unordered_map<std::int64_t, waiting_block> waiting_;
  std::set<std::int64_t> blocks_;
  int threads_ = 0;
  std::vector<traced_site> sites_;
  std::map<std::tuple<std::string, int, memory_space, bool, int>, int, std::less<>> known_sites_;
  instruction_counts counts_{0};
};

/// The line of a file that the current folder leads to, without its indentation; empty if there is none.
std::string line_of(std::string const& path, int number) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return {};  // a device or a pipe may never end
  std::ifstream file(path);
  std::string line;
  for (int at = 0; at < number; ++at)
    if (!std::getline(file, line)) return {};
  auto const first = line.find_first_not_of(" \t");
  return first == line.npos ? std::string() : line.substr(first, line.find_last_not_of(" \t\r") + 1 - first);
}

/// Makes the addresses of samples in global memory begin at a boundary before the lowest one.
void move_origin(memory_instruction& each) {
  std::int64_t lowest = INT64_MAX;
  for (auto const& sample : each.samples)
    for (auto const& lane : sample.lanes) lowest = std::min(lowest, lane.address);
  for (auto& sample : each.samples)
    for (auto& lane : sample.lanes) lane.address -= lowest / kBoundary * kBoundary;
}

traced_kernel kernel_counts::result() const {
  traced_kernel result;
  result.rung = name_;
  result.threads = threads_;
  result.blocks = std::int64_t(blocks_.size());
  result.instructions = counts_.all();
  std::ranges::sort(result.instructions, {}, &memory_instruction::line);  // now the indices of sites
  for (auto& each : result.instructions) {
    auto const& site = sites_[std::size_t(each.line - 1)];
    each.file = site.file.substr(site.file.rfind('/') + 1);
    each.line = site.line;
    each.source = line_of(site.file, site.line);
    if (each.space == memory_space::global) move_origin(each);
  }
  result.idea = sums_text(result.instructions);
  result.findings = findings_of_own_code(result.instructions);
  return result;
}

/// Counts the blocks that were silent for the longest time, so that at most half of the accesses wait.
std::size_t count_oldest(std::vector<kernel_counts>& kernels) {
  std::vector<std::pair<std::int64_t, std::size_t>> blocks;
  for (auto const& each : kernels) each.collect(blocks);
  std::ranges::sort(blocks, std::greater());
  std::size_t kept = 0;
  auto const* last = &blocks.front();
  while (kept + last->second <= kMostWaiting / 2) kept += last++->second;
  for (auto& each : kernels) each.count_until(last->first);
  return kept;
}

}  // namespace

std::vector<traced_kernel> explain_trace(std::string const& path) {
  std::vector<kernel_counts> kernels;
  std::map<std::string, std::size_t, std::less<>> known;
  std::size_t waiting = 0;
  std::int64_t last = 0;
  read_trace(path, [&](access_line const& each, std::int64_t line) {
    auto at = known.find(each.kernel);
    if (at == known.end()) {
      at = known.emplace(each.kernel, kernels.size()).first;
      kernels.emplace_back(each.kernel);
    }
    if (kernels[at->second].add(each, line) > kMostOfBlock)
      refuse_line(path, line,
                  fmt::format("block {} has more than {} accesses; trace fewer iterations", each.block, kMostOfBlock));
    if (++waiting > kMostWaiting) waiting = count_oldest(kernels);
    last = line;
  });
  if (kernels.empty()) throw error(error_kind::file, fmt::format("{}: it has no access", path));
  std::vector<traced_kernel> result;
  for (auto& each : kernels) {
    each.count_until(last);
    result.push_back(each.result());
  }
  return result;
}

}  // namespace cornerturn
