#include "explain/requests.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

#include "base/hash.hpp"
#include "block/wavefronts.hpp"

namespace cornerturn {

int request::active() const { return int(std::ranges::count_if(lanes, &recorded_access::active)); }

bool request::has_matrix_rows() const { return std::ranges::any_of(lanes, &recorded_access::matrix_row); }

bool request::copies_past_l1() const {
  return std::ranges::any_of(lanes, [](recorded_access const& lane) { return lane.source_address != 0; });
}

std::int64_t request::bytes_needed() const { return touched_pieces_of(*this, kSectorBytes).bytes; }

namespace {

/// The key that all accesses of one request share.
struct instruction_key {
  std::int64_t block, iteration;
  int warp, occurrence, row;
  memory_space space;
  source_place place;
  bool operator==(instruction_key const&) const = default;
};

struct instruction_hash {
  std::size_t operator()(instruction_key const& key) const {
    return numbers_hash()(std::array<std::int64_t, 7>{std::int64_t(key.space), key.block, key.iteration, key.warp, key.occurrence,
                                                      key.row, key.place.line});
  }
};

}  // namespace

std::vector<request> requests_of(recording const& record) {
  std::unordered_map<instruction_key, std::size_t, instruction_hash> known, counts;
  std::vector<request> requests;
  for (auto const& each : record.accesses) {
    int const warp = each.thread / kWarp;
    instruction_key key{each.block, each.iteration, warp, each.occurrence, each.box ? each.thread : -1, each.space, each.place};
    auto const [at, is_new] = known.try_emplace(key, requests.size());
    if (is_new) {
      key.iteration = key.occurrence = 0, key.row = -1;
      requests.push_back({each.block, warp, {}, int(counts[key]++)});
    }
    requests[at->second].lanes.push_back(each);
  }
  return requests;
}

touched_pieces touched_pieces_of(request const& each, int size) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> spans;  // first byte and past-the-end byte
  for (auto const& lane : each.lanes)
    if (lane.active) spans.emplace_back(lane.address, lane.address + std::uint64_t(lane.bytes));
  std::ranges::sort(spans);
  touched_pieces result;
  auto const bytes_of_piece = std::uint64_t(size);
  std::uint64_t counted = 0, piece = 0;  // the bytes below `counted` are done; `piece` is the last piece that was counted
  std::int64_t within = 0;               // bytes touched within `piece`
  auto const close = [&] { result.partial += result.all > 0 && within < size; };
  for (auto const& [begin, end] : spans)
    for (auto from = std::max(begin, counted); from < end;) {
      auto const at = from / bytes_of_piece, to = std::min(end, (at + 1) * bytes_of_piece);
      if (result.all == 0 || at != piece) {
        close();
        ++result.all;
        piece = at, within = 0;
      }
      within += std::int64_t(to - from);
      result.bytes += std::int64_t(to - from);
      counted = from = to;
    }
  close();
  return result;
}

int split_sectors(request const& each) {
  std::set<std::pair<std::uint64_t, std::uint64_t>> reads;  // a sector, and the piece of shared memory to which it goes
  std::set<std::uint64_t> read;
  for (auto const& lane : each.lanes)
    for (int at = 0; lane.active && lane.smem_granule > 0 && at < lane.bytes; at += kUnitBytes) {
      auto const sector = (lane.address + std::uint64_t(at)) / kSectorBytes;
      read.insert(sector);
      reads.emplace(sector, (lane.smem_address + std::uint64_t(at)) / std::uint64_t(lane.smem_granule));
    }
  return int(reads.size() - read.size());
}

int ideal_sectors(request const& each) {
  return int((touched_pieces_of(each, kSectorBytes).bytes + kSectorBytes - 1) / kSectorBytes);
}

namespace {

/// True if each active lane i and lane i^bit have the same address, or lane i^bit is inactive.
bool paired(request const& each, int bit) {
  std::array<recorded_access const*, kWarp> active{};
  for (auto const& lane : each.lanes)
    if (lane.active) active[std::size_t(lane.thread % kWarp)] = &lane;
  return std::ranges::all_of(each.lanes, [&](recorded_access const& lane) {
    auto const* other = active[std::size_t(lane.thread % kWarp ^ bit)];
    return !lane.active || !other || other->address == lane.address;
  });
}

}  // namespace

std::vector<int> groups(request const& each) {
  std::vector<int> result(each.lanes.size());
  int together = std::min(kWarp, kBanks * kBankBytes / each.bytes());
  if (together == kWarp) return result;
  if (!each.store() && !each.has_matrix_rows() && (paired(each, 1) || paired(each, 2))) together *= 2;
  for (std::size_t i = 0; i < each.lanes.size(); ++i) result[i] = each.lanes[i].thread % kWarp / together;
  return result;
}

namespace {

/// The wavefronts of copies of units past the L1 cache. An H200's counters are equal for every alignment of both sides.
std::vector<int> wavefronts_past_l1(request const& each) {
  constexpr std::uint64_t kHalves = kSectorBytes / kUnitBytes;
  using numbers = std::array<std::uint64_t, 4>;  // the sectors or lines of both sides, and the halves
  auto const half = [](std::uint64_t address) { return address / kUnitBytes % kHalves; };
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::set<std::uint64_t>> halves;  // of each pair of sectors
  auto const sectors_of = [](recorded_access const& lane) {
    return std::pair(lane.source_address / kSectorBytes, lane.address / kSectorBytes);
  };
  for (auto const& lane : each.lanes)
    if (lane.active) halves[sectors_of(lane)].insert(half(lane.source_address));
  std::map<numbers, int> known;
  std::vector<int> result(each.lanes.size());
  for (std::size_t i = 0; i < result.size(); ++i) {
    auto const& lane = each.lanes[i];
    if (!lane.active) continue;
    bool const is_whole = halves[sectors_of(lane)].size() == kHalves;
    numbers const key{lane.source_address / kLineBytes, lane.address / kLineBytes, is_whole ? kHalves : half(lane.source_address),
                      is_whole ? kHalves : half(lane.address)};
    result[i] = known.try_emplace(key, int(known.size())).first->second;
  }
  return result;
}

}  // namespace

std::vector<int> wavefront_of_lanes(request const& each) {
  if (each.copies_past_l1()) return wavefronts_past_l1(each);
  auto const group = groups(each);
  std::vector<int> result(each.lanes.size());
  int first = 0;  // the first wavefront of the current group of lanes
  for (int const at : std::set<int>(group.begin(), group.end())) {
    bank_schedule taken;
    for (std::size_t i = 0; i < each.lanes.size(); ++i)
      if (auto const& lane = each.lanes[i]; lane.active && group[i] == at)
        result[i] = first + taken.serve(std::int64_t(lane.address), lane.bytes);
    first += taken.count();
  }
  return result;
}

int wavefronts(request const& each) {
  int last = -1;
  auto const served = wavefront_of_lanes(each);
  for (std::size_t i = 0; i < served.size(); ++i)
    if (each.lanes[i].active) last = std::max(last, served[i]);
  return last + 1;
}

int ideal_wavefronts(request const& each) {
  if (each.copies_past_l1()) {
    std::set<std::uint64_t> lines, units;  // of the source and of the destination
    for (auto const& lane : each.lanes)
      if (lane.active) lines.insert(lane.source_address / kLineBytes), units.insert(lane.address / kUnitBytes);
    constexpr std::size_t kUnitsOfLine = kLineBytes / kUnitBytes;
    return int(std::max(lines.size(), (units.size() + kUnitsOfLine - 1) / kUnitsOfLine));
  }
  auto const group = groups(each);
  std::set<int> served;
  for (std::size_t i = 0; i < group.size(); ++i)
    if (each.lanes[i].active) served.insert(group[i]);
  return int(served.size());
}

}  // namespace cornerturn
