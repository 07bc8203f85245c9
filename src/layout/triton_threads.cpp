#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "base/refuse.hpp"
#include "block/sizes.hpp"
#include "layout/triton.hpp"
#include "layout/triton_call.hpp"

namespace cornerturn {
namespace {

using numbers = triton_call::numbers;

constexpr std::int64_t kMostHeld = 1 << 18, kMostThreads = 1024;

/// Bases of registers, lanes and warps as changes of an element's linear coordinate.
struct held_bases {
  numbers registers, lanes, warps;
};

held_bases blocked(triton_call const& call, numbers const& extents) {
  auto const rank = extents.size();
  auto const values = call.powers(call.get("size_per_thread", 0), rank),
             lanes = call.powers(call.get("threads_per_warp", 1), rank), warps = call.powers(call.get("warps_per_cta", 2), rank);
  auto const order = call.order(call.get("order", 3), rank);
  numbers first(rank, 1), next(rank, 1);  // linear coordinates: of the axis's first element and of its next bit
  for (std::size_t axis = 1; axis < rank; ++axis) first[axis] = first[axis - 1] * extents[axis - 1];
  held_bases result;
  auto const add = [&](numbers& into, numbers const& counts) {
    for (auto const axis : order)
      for (std::int64_t bit = 1; bit < counts[std::size_t(axis)]; bit *= 2) {
        auto& at = next[std::size_t(axis)];
        into.push_back(at < extents[std::size_t(axis)] ? at * first[std::size_t(axis)] : 0);
        at *= 2;
      }
  };
  add(result.registers, values);
  add(result.lanes, lanes);
  add(result.warps, warps);
  numbers repeated;
  for (std::size_t axis = 0; axis < rank; ++axis) repeated.push_back(std::max(std::int64_t(1), extents[axis] / next[axis]));
  add(result.registers, repeated);
  return result;
}

held_bases linear(triton_call const& call, numbers const& extents) {
  auto const masks = [&](python_literal const* given) {
    numbers result;
    if (!given) return result;
    for (auto const& basis : call.bases(*given, extents.size())) {
      std::int64_t mask = 0, first = 1;
      for (std::size_t axis = 0; axis < extents.size(); first *= extents[axis++]) {
        if (extents[axis] == 1) continue;  // also the axis that a slice leaves out
        if (basis[axis] >= extents[axis])
          call.refuse(*given, fmt::format("bases within the tile are expected; its extents are {}", fmt::join(extents, " x ")));
        mask |= basis[axis] * first;
      }
      result.push_back(mask);
    }
    return result;
  };
  auto const* const registers = call.find("reg_bases", "register", 0);
  auto const* const lanes = call.find("lane_bases", "lane", 1);
  if (!registers || !lanes) call.refuse("the bases of register, lane and warp are expected");
  return {masks(registers), masks(lanes), masks(call.find("warp_bases", "warp", 2))};
}

/// The bases in LinearLayout.from_bases([("register", [[0, 1]]), …], […]), as a dict.
python_literal dict_of(triton_call const& call, python_literal const& list) {
  if (list.type == python_literal::kind::call) return list;
  python_literal result{.type = python_literal::kind::call, .text = {}, .names = {}, .items = {}, .at = list.at};
  for (auto const& each : list.items) {
    if (each.items.size() != 2 || each.items[0].type != python_literal::kind::word)
      call.refuse(each, "a pair of name and bases is expected");
    result.names.push_back(each.items[0].text);
    result.items.push_back(each.items[1]);
  }
  return result;
}

/// The bases of a layout. A slice has those of its parent, for a tile with one element along another axis.
held_bases bases_of(std::string_view argument, std::string_view text, python_literal const& given, numbers const& extents) {
  triton_call const outer(argument, text, given);
  if (outer.is({"SliceLayout", "slice"})) {
    auto const& dim = outer.get("dim", 0);
    if (dim.type != python_literal::kind::integer || dim.number < 0 || dim.number > std::int64_t(extents.size()))
      outer.refuse(dim, fmt::format("an axis of the parent from 0 to {} is expected", extents.size()));
    auto of_parent = extents;
    of_parent.insert(of_parent.begin() + dim.number, 1);
    return bases_of(argument, text, outer.get("parent", 1), of_parent);
  }
  bool const is_list = outer.is({"from_bases", "LinearLayout"}) && !given.items.empty() && given.names.front().empty();
  auto const bases = is_list ? dict_of(outer, given.items.front()) : given;
  triton_call const call(argument, text, bases);
  call.expect_one_block();
  if (is_list || call.is({"DistributedLinearLayout", "LinearLayout", "linear", ""})) return linear(call, extents);
  if (!call.is({"BlockedLayout", "blocked"}))
    call.refuse("BlockedLayout, SliceLayout, DistributedLinearLayout or LinearLayout is expected");
  return blocked(call, extents);
}

}  // namespace

held_elements parse_triton_threads(std::string_view argument, std::string_view text, std::vector<std::int64_t> const& extents) {
  auto const all = parse_python(argument, text);
  auto const& given = all.items.empty() ? all : all.items.front();
  triton_call const call(argument, text, given);
  if (std::ranges::any_of(extents, [](auto extent) { return !triton_call::is_power(extent); }))
    refuse({"layout", "the {}'s shape"}, fmt::format("{}", fmt::join(extents, " x ")), "powers of two for a layout of Triton");
  auto found = bases_of(argument, text, given, extents);
  std::erase(found.registers, 0);  // copies of an element in a thread are accessed once
  if (std::int64_t(1) << found.lanes.size() != kWarp) call.refuse(fmt::format("{} lanes of a warp are expected", kWarp));
  held_elements result{.threads = kWarp, .values = 1, .elements = {}};
  for (auto const& bits : {std::pair(&result.threads, found.warps.size()), std::pair(&result.values, found.registers.size())})
    *bits.first <<= std::min(bits.second, std::size_t(32));
  if (result.threads > kMostThreads) call.refuse(fmt::format("at most {} threads are expected", kMostThreads));
  if (result.values > kMostHeld / result.threads) call.refuse(fmt::format("at most {} elements are expected", kMostHeld));
  auto threads = found.lanes;
  threads.insert(threads.end(), found.warps.begin(), found.warps.end());
  auto const at = [](numbers const& changes, std::int64_t index) {
    std::int64_t sum = 0;
    for (std::size_t bit = 0; bit < changes.size(); ++bit)
      if (index >> bit & 1) sum ^= changes[bit];
    return sum;
  };
  for (std::int64_t thread = 0; thread < result.threads; ++thread)
    for (std::int64_t value = 0; value < result.values; ++value)
      result.elements.push_back(at(threads, thread) ^ at(found.registers, value));
  return result;
}

}  // namespace cornerturn
