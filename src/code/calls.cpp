#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "block/sizes.hpp"
#include "code/arithmetic.hpp"
#include "code/thread.hpp"

namespace cornerturn {
namespace {

using kind = code_node::kind;
using namespace std::string_view_literals;

constexpr std::array kLoads = {"__ldg"sv, "__ldca"sv, "__ldcg"sv, "__ldcs"sv, "__ldlu"sv, "__ldcv"sv};
constexpr std::array kStores = {"__stwb"sv, "__stcg"sv, "__stcs"sv, "__stwt"sv};

bool is_named(auto const& list, std::string_view name) { return std::ranges::find(list, name) != list.end(); }

}  // namespace

code_value code_thread::call(code_node const& each) {
  auto const& function = *each.part(0);
  if (function.type != kind::name) {
    std::vector<code_value> given;
    for (std::size_t i = 1; i < each.parts.size(); ++i) given.push_back(value(*each.part(i)));
    expect_no_access(each, function.text, given);
    return code_value::unknown(each);
  }
  auto const name = function.text.substr(function.text.rfind(':') + 1);
  if (auto const* const known = find(name); known && known->is_pointer()) return load(each, coordinate(each, *known));
  if (name.find("ldmatrix") != name.npos) return matrices(each, false);
  if (name.find("stmatrix") != name.npos) return matrices(each, true);
  bool const has_arguments = each.parts.size() > 2;  // unlike cp_async_wait_all() and the like
  if (auto const box = name.find("cp_async_bulk_tensor") != name.npos || name == "tma_load" || name == "tma_store";
      has_arguments && (box || name.find("cp_async_bulk") != name.npos))
    return bulk(each, box);
  if (name == "__pipeline_memcpy_async" || name.starts_with("cp_async") || name == "memcpy_async") {
    return has_arguments ? copy(each) : code_value::unknown(each);
  }
  if (name.starts_with("atomic")) fail(each, "atomic functions are not counted; their load and store are, e.g. of bins[i] += 1");
  if (memory_ == nullptr && name != "min" && name != "max" && name != "abs")
    fail(each, "an unknown function; min, max and abs are known");

  std::vector<code_value> given;
  for (std::size_t i = 1; i < each.parts.size(); ++i) given.push_back(value(*each.part(i)));
  auto const all_integers = std::ranges::all_of(given, [](auto const& one) { return one.is_integer(); });
  if ((name == "min" || name == "max") && given.size() == 2 && all_integers) {
    auto const type = common_type(name, given[0].of, given[1].of);
    auto const a = converted(given[0].number, type), b = converted(given[1].number, type);
    return code_value::integer(name == "min" ? std::min(a, b) : std::max(a, b), type);
  }
  if (name == "abs" && given.size() == 1 && all_integers) return code_value::integer(std::abs(given[0].number));
  if (!given.empty() && given[0].is_pointer()) {
    if (is_named(kLoads, name)) return load(each, given[0]);
    if (is_named(kStores, name)) {
      access(each, given[0], true);
      return code_value::unknown(each);
    }
    if (name == "__cvta_generic_to_shared") {  // an address in bytes
      auto result = given[0];
      result.of = {8, 1, true};
      result.depth = code_value::kFlat;
      return result;
    }
  }
  expect_no_access(each, name, given);
  return code_value::unknown(each);
}

/// Refuses a function that gets an address, unless its name says that it does not load or store there.
void code_thread::expect_no_access(code_node const& each, std::string_view name, std::vector<code_value> const& given) const {
  constexpr std::array kWithoutAccess = {"barrier"sv, "mbar"sv, "init"sv, "prefetch"sv, "isShared"sv, "isGlobal"sv};
  if (std::ranges::any_of(kWithoutAccess, [&](auto part) { return name.find(part) != name.npos; })) return;
  for (auto const& one : given)
    if (one.is_pointer() && !array_of(one).in_registers)
      fail(each, fmt::format("the accesses of {} are not known; write them in its place, e.g. {}[threadIdx.x]", name,
                             array_of(one).name));
}

/// ldmatrix_x4(&s[row][col]) and stmatrix_x4: lane l gives the address of row l % 8 of matrix l / 8.
code_value code_thread::matrices(code_node const& each, bool store) {
  constexpr int kRows = 8;
  auto const name = each.part(0)->text;
  int count = 0;
  for (int const each_count : {1, 2, 4})
    if (name.find(fmt::format("x{}", each_count)) != name.npos) count = each_count;
  if (count == 0) fail(each, fmt::format("the number of matrices is not given; write {}_x1, _x2 or _x4", name));
  std::optional<code_value> place;
  for (std::size_t i = 1; i < each.parts.size() && !place; ++i)
    if (auto const given = value(*each.part(i)); given.is_pointer() && !array_of(given).in_registers) place = given;
  if (!place) fail(each, "the address of a row in shared memory is expected, e.g. &s[row][col]");
  if (array_of(*place).space != memory_space::shared)
    fail(each, fmt::format("{} is not in shared memory", array_of(*place).name));
  place->of = {kUnitBytes * 8, 1, false};
  if (number_ % kWarp < count * kRows) access(each, *place, store, true);
  return code_value::unknown(each);
}

/// cp_async(&s[…], &in[…], 16): a load of global memory that is a store to shared memory, too.
code_value code_thread::copy(code_node const& each) {
  auto const to = value(*each.part(1)), from = value(*each.part(2));
  if (!to.is_pointer() || array_of(to).space != memory_space::shared)
    fail(*each.part(1), "a place in shared memory is expected, e.g. &s[i]");
  if (!from.is_pointer() || array_of(from).space != memory_space::global)
    fail(*each.part(2), "a place in global memory is expected, e.g. &in[i]");
  auto const bytes = each.part(3) ? integer(*each.part(3)) : kUnitBytes;
  if (bytes != 4 && bytes != 8 && bytes != kUnitBytes)
    fail(*each.part(3), fmt::format("cp.async copies 4, 8 or 16 bytes, not {}", bytes));
  if (until_dim3_) return code_value::unknown(each);
  auto const shared = address(each, to), global = address(each, from);
  bool const passes_l1 = bytes == kUnitBytes;  // narrower copies go through the L1 cache
  memory_->add({.node = &each,
                .array = from.array,
                .store = false,
                .async = true,
                .address = global,
                .bytes = int(bytes),
                .smem_address = shared,
                .smem_granule = passes_l1 ? kSectorBytes : 0},
               number_, iterations_);
  memory_->add({.node = &each,
                .array = to.array,
                .store = true,
                .async = true,
                .address = shared,
                .bytes = int(bytes),
                .source_address = passes_l1 ? global : 0},
               number_, iterations_);
  return code_value::unknown(each);
}

}  // namespace cornerturn
