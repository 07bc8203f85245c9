#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "base/refuse.hpp"
#include "cornerturn/layout.hpp"
#include "explain/instructions.hpp"
#include "explain/layout_findings.hpp"
#include "layout/lane_expression.hpp"

namespace cornerturn {
namespace {

constexpr int kMostAccess = 16;

memory_instruction count(lane_addresses const& addresses, address_options const& options, memory_space space) {
  recording record;
  for (std::size_t lane = 0; lane < addresses.size(); ++lane)
    record.accesses.push_back({.thread = int(lane),
                               .place = {},
                               .occurrence = 0,
                               .space = space,
                               .store = options.store,
                               .active = addresses[lane].has_value(),
                               .address = std::uint64_t(addresses[lane].value_or(0)),
                               .bytes = options.access,
                               .block = 0});
  return instructions_of({{1, std::move(record)}}, 0).front();
}

}  // namespace

layout_explanation explain_addresses(address_options const& options) {
  if (options.access < 1 || options.access > kMostAccess || !std::has_single_bit(unsigned(options.access)))
    refuse("access", options.access, "1, 2, 4, 8 or 16 bytes");
  auto const addresses = parse_addresses("addresses", options.addresses);
  auto const is_active = [](auto const& each) { return each.has_value(); };
  if (std::ranges::none_of(addresses, is_active))
    refuse("addresses", fmt::format("'{}'", options.addresses), "one with an active lane");
  auto const shared = count(addresses, options, memory_space::shared);
  auto const global = count(addresses, options, memory_space::global);
  layout_explanation result;
  result.addresses = options.addresses;
  result.element_size = options.access;
  result.space = options.space;
  result.findings = findings_of_both({shared}, {global}, {});
  keep_findings_of(options.space, result.findings);
  bool const misaligned = std::ranges::any_of(addresses, [&](auto const& each) { return each.value_or(0) % options.access != 0; });
  result.instructions.push_back(misaligned ? without_cost(shared) : with_sectors_of(shared, global));
  return result;
}

}  // namespace cornerturn
