#include "explain/requests.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <tuple>

namespace cornerturn {

int request::active() const { return int(std::ranges::count_if(lanes, &recorded_access::active)); }

std::int64_t request::bytes_needed() const {
  std::int64_t total = 0;
  for (auto const& lane : lanes) total += lane.active ? lane.bytes : 0;
  return total;
}

std::vector<request> requests_of(recording const& record) {
  std::map<std::tuple<std::int64_t, int, source_place, int>, std::size_t> known;
  std::vector<request> requests;
  for (auto const& each : record.accesses) {
    int const warp = each.thread / kWarp;
    auto const [at, is_new] = known.try_emplace({each.block, warp, each.place, each.occurrence}, requests.size());
    if (is_new) requests.push_back({each.block, warp, {}});
    requests[at->second].lanes.push_back(each);
  }
  return requests;
}

touched_pieces pieces_of(request const& each, int size) {
  std::map<std::uint64_t, std::set<std::uint64_t>> touched;  // bytes of every piece
  for (auto const& lane : each.lanes)
    if (lane.active)
      for (int byte = 0; byte < lane.bytes; ++byte) touched[(lane.address + byte) / size].insert(lane.address + byte);
  touched_pieces result{.all = int(touched.size())};
  for (auto const& [piece, bytes] : touched) {
    result.partly += int(bytes.size()) < size;
    result.bytes += std::int64_t(bytes.size());
  }
  return result;
}

int ideal_sectors(request const& each) { return int((pieces_of(each, kSectorBytes).bytes + kSectorBytes - 1) / kSectorBytes); }

namespace {

/// Whether each active lane has the lane whose number differs in this bit at its own address, or off.
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
  if (!each.store() && (paired(each, 1) || paired(each, 2))) together *= 2;
  for (std::size_t i = 0; i < each.lanes.size(); ++i) result[i] = each.lanes[i].thread % kWarp / together;
  return result;
}

std::vector<int> phases(request const& each) {
  using bank_words = std::array<std::int64_t, kBanks>;  // what one wavefront serves: a word of every bank, or none
  auto const group = groups(each);
  std::vector<int> result(each.lanes.size());
  int first = 0;  // wavefront of the group of lanes at hand
  for (int const at : std::set<int>(group.begin(), group.end())) {
    std::vector<bank_words> taken;
    for (std::size_t i = 0; i < each.lanes.size(); ++i) {
      auto const& lane = each.lanes[i];
      if (!lane.active || group[i] != at) continue;
      auto const from = std::int64_t(lane.address) / kBankBytes, to = (std::int64_t(lane.address) + lane.bytes - 1) / kBankBytes;
      auto const fits = [&](bank_words const& words) {
        for (auto word = from; word <= to; ++word)
          if (words[word % kBanks] >= 0 && words[word % kBanks] != word) return false;
        return true;
      };
      auto place = std::ranges::find_if(taken, fits);
      if (place == taken.end()) {
        taken.emplace_back().fill(-1);
        place = taken.end() - 1;
      }
      for (auto word = from; word <= to; ++word) (*place)[word % kBanks] = word;
      result[i] = first + int(place - taken.begin());
    }
    first += int(taken.size());
  }
  return result;
}

int wavefronts(request const& each) {
  int last = -1;
  auto const served = phases(each);
  for (std::size_t i = 0; i < served.size(); ++i)
    if (each.lanes[i].active) last = std::max(last, served[i]);
  return last + 1;
}

int ideal_wavefronts(request const& each) {
  auto const group = groups(each);
  std::set<int> served;
  for (std::size_t i = 0; i < group.size(); ++i)
    if (each.lanes[i].active) served.insert(group[i]);
  return int(served.size());
}

}  // namespace cornerturn
