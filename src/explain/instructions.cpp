#include "explain/instructions.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "cornerturn/text.hpp"
#include "explain/requests.hpp"
#include "explain/source_line.hpp"

namespace cornerturn {
namespace {

/// The number of requests of the first warp that are kept as samples.
constexpr std::size_t kSamples = 8;

memory_request sample_of(request const& each, std::uint64_t origin) {
  bool const shared = each.space() == memory_space::shared;
  memory_request result{.warp = each.warp, .occurrence = each.occurrence};
  std::vector<int> const none(each.lanes.size()), served = shared ? wavefront_of_lanes(each) : none,
                                                  group = shared ? groups(each) : none;
  for (std::size_t i = 0; i < each.lanes.size(); ++i) {
    auto const& lane = each.lanes[i];
    int const number = lane.box ? int(i) : lane.thread % kWarp;
    result.lanes.push_back({number, lane.active, std::int64_t(lane.address - (shared ? 0 : origin)), served[i], group[i]});
  }
  if (shared) {
    result.wavefronts = wavefronts(each), result.ideal_wavefronts = ideal_wavefronts(each);
  } else {
    result.sectors = sectors(each), result.ideal_sectors = ideal_sectors(each);
  }
  return result;
}

/// How bad a request is: its excess, or more than any excess if the hardware does not support the request.
double badness(memory_request const& each, int bytes) {
  for (auto const& lane : each.lanes)
    if (lane.active && bytes <= 16 && lane.address % bytes) return 1e9;
  return excess(each);
}

/// Keeps the first requests of one warp of a block, then the costliest request if it is not among these.
void keep(std::vector<memory_request>& samples, memory_request const& each, bool first_block, int bytes) {
  if (samples.empty() || (samples.size() < kSamples && first_block && each.warp == samples.front().warp)) {
    samples.push_back(each);
  } else {
    auto const worst = std::ranges::max(samples, {}, [&](auto const& kept) { return badness(kept, bytes); });
    if (badness(each, bytes) <= badness(worst, bytes)) return;
    if (samples.size() > kSamples) samples.pop_back();
    samples.push_back(each);
  }
}

bool same_distances(memory_request const& one, memory_request const& other) {
  if (one.lanes.size() != other.lanes.size()) return true;
  for (std::size_t i = 0; i < one.lanes.size(); ++i) {
    if (!one.lanes[i].active || !other.lanes[i].active) return true;  // an edge tile, which has fewer lanes to compare
    if (one.lanes[i].address - one.lanes[0].address != other.lanes[i].address - other.lanes[0].address) return false;
  }
  return true;
}

void count_request(memory_instruction& into, request const& each, std::int64_t count) {
  into.bytes = std::max(into.bytes, each.bytes());
  into.requests += count;
  into.active_lanes += count * each.active();
  into.bytes_needed += count * each.bytes_needed();
  if (each.space() == memory_space::shared) {
    int const passes = wavefronts(each);
    into.wavefronts += count * passes;
    into.ideal_wavefronts += count * ideal_wavefronts(each);
    into.bytes_moved += count * passes * kBanks * kBankBytes;
  } else {
    auto const touched = touched_pieces_of(each, kSectorBytes);
    into.sectors += count * touched.all;
    into.partial_sectors += count * touched.partial;
    into.split_sectors += count * split_sectors(each);
    into.ideal_sectors += count * ideal_sectors(each);
    into.half_lines += count * touched_pieces_of(each, kLineBytes / 2).all;
    into.lines += count * touched_pieces_of(each, kLineBytes).all;
    into.bytes_moved += count * touched.all * kSectorBytes;
  }
}

}  // namespace

void instruction_counts::add(recording const& record, std::int64_t count) {
  std::map<std::array<std::int64_t, 3>, std::vector<std::uint64_t>> sectors_of_warp;  // by instruction, block and warp
  for (auto const& each : requests_of(record)) {
    if (each.active() == 0) continue;
    int const width = each.box() ? 0 : each.bytes();  // a line of a function template may be several instructions
    auto const [at, is_new] = known_.try_emplace({each.place(), each.space(), each.store(), width}, all_.size());
    if (is_new) {
      auto const& file = each.place().file;
      all_.push_back({.file = std::string(file.substr(file.rfind('/') + 1)),
                      .line = each.place().line,
                      .source = source_line(file, each.place().line),
                      .space = each.space(),
                      .store = each.store(),
                      .box = each.box(),
                      .async = each.async()});
      first_blocks_.push_back(each.block);
    }
    auto& into = all_[at->second];
    auto const sample = sample_of(each, origin_);
    count_request(into, each, count);
    if (each.space() == memory_space::global) {
      auto& touched = sectors_of_warp[{std::int64_t(at->second), each.block, each.warp}];
      for (auto const& lane : each.lanes)
        for (auto byte = lane.address; lane.active && byte < lane.address + std::uint64_t(lane.bytes);
             byte = (byte / kSectorBytes + 1) * kSectorBytes)
          touched.push_back(byte / kSectorBytes);
    }
    keep(into.samples, sample, each.block == first_blocks_[at->second], each.bytes());
    into.swizzled = into.swizzled || !same_distances(into.samples.front(), sample);
  }
  for (auto& [key, touched] : sectors_of_warp) {
    std::ranges::sort(touched);
    all_[std::size_t(key[0])].warp_sectors += count * (std::ranges::unique(touched).begin() - touched.begin());
  }
}

std::vector<memory_instruction> instructions_of(std::vector<recorded_block> const& blocks, std::uint64_t origin) {
  instruction_counts counts(origin);
  for (auto const& [count, record] : blocks) counts.add(record, count);
  return counts.all();
}

double excess(memory_request const& each) {
  return each.ideal_sectors      ? double(each.sectors) / each.ideal_sectors
         : each.ideal_wavefronts ? double(each.wavefronts) / each.ideal_wavefronts
                                 : 0;
}

memory_request const& worst_sample(memory_instruction const& each) { return *std::ranges::max_element(each.samples, {}, excess); }

std::string sums_text(std::vector<memory_instruction> const& instructions) {
  std::int64_t wavefronts = 0, least_wavefronts = 0, sectors = 0, least_sectors = 0;
  for (auto const& each : instructions) {
    wavefronts += each.wavefronts, least_wavefronts += each.ideal_wavefronts;
    sectors += each.sectors, least_sectors += each.ideal_sectors;
  }
  std::vector<std::string> parts;
  auto const add = [&](std::int64_t cost, std::int64_t least, std::string_view unit, std::string_view of) {
    if (least) parts.push_back(fmt::format("{} of {}, {} would do", count_text(cost, unit), of, least));
  };
  add(wavefronts, least_wavefronts, "wavefront", "shared memory");
  add(sectors, least_sectors, "sector", "global memory");
  return fmt::format("{}", fmt::join(parts, "; "));
}

std::string name_of(memory_instruction const& each) {
  return fmt::format("{} {}{}{}", each.space == memory_space::shared ? "shared" : "global", each.store ? "store" : "load",
                     each.box ? " of boxes" : "", each.file.empty() ? "" : fmt::format(" at {}:{}", each.file, each.line));
}

}  // namespace cornerturn
