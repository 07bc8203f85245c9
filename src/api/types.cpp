#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <string>

#include "cornerturn/ladder.hpp"
#include "problem/fail.hpp"

namespace cornerturn {
namespace {

struct type_entry {
  std::string_view name;
  int bytes;
};
constexpr std::array kTypes{type_entry{"u8", 1},  type_entry{"i8", 1},   type_entry{"u16", 2}, type_entry{"i16", 2},
                            type_entry{"f16", 2}, type_entry{"bf16", 2}, type_entry{"u32", 4}, type_entry{"i32", 4},
                            type_entry{"f32", 4}, type_entry{"u64", 8},  type_entry{"i64", 8}, type_entry{"f64", 8},
                            type_entry{"c64", 8}, type_entry{"c128", 16}};

}  // namespace

std::vector<std::string> type_names() {
  std::vector<std::string> names;
  for (auto const& each : kTypes) names.emplace_back(each.name);
  return names;
}

int type_size(std::string_view type) {
  for (auto const& each : kTypes)
    if (each.name == type) return each.bytes;
  refuse("type", fmt::format("'{}'", type), fmt::format("one of {}", fmt::join(type_names(), ", ")));
}

}  // namespace cornerturn
