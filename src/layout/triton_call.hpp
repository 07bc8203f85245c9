#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <initializer_list>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include "cornerturn/text.hpp"
#include "layout/python_literal.hpp"

namespace cornerturn {

/// A call with a layout's name and arguments, in the notation of Triton, Gluon or MLIR.
class triton_call {
 public:
  using kind = python_literal::kind;
  using numbers = std::vector<std::int64_t>;

  static constexpr std::int64_t kMostExtent = 1 << 18;

  static bool is_power(std::int64_t number) { return number > 0 && std::has_single_bit(std::uint64_t(number)); }

  triton_call(std::string_view argument, std::string_view source, python_literal const& call)
      : argument_(argument), source_(source), call_(call) {}

  bool is(std::initializer_list<std::string_view> names) const {
    return std::ranges::any_of(names, [&](auto name) { return call_.type == kind::call && same_name(call_.text, name); });
  }

  [[noreturn]] void refuse(python_literal const& at, std::string_view problem) const {
    refuse_literal(argument_, source_, at.at, problem);
  }
  [[noreturn]] void refuse(std::string_view problem) const { refuse(call_, problem); }

  /// The argument with a name or at a position; null if it is not given.
  python_literal const* find(std::string_view name, std::size_t position) const {
    for (std::size_t i = 0; i < call_.items.size(); ++i)
      if (call_.names[i].empty() ? i == position : same_name(call_.names[i], name)) return &call_.items[i];
    return nullptr;
  }
  /// The same by either of two names.
  python_literal const* find(std::string_view name, std::string_view other, std::size_t position) const {
    auto const* const found = find(name, position);
    return found ? found : find(other, position);
  }
  python_literal const& get(std::string_view name, std::size_t position) const {
    if (auto const* const found = find(name, position)) return *found;
    refuse(fmt::format("'{}' is expected", name));
  }

  python_literal const& get(std::string_view name, std::string_view other, std::size_t position) const {
    auto const* const found = find(name, other, position);
    return found ? *found : get(name, position);
  }

  std::int64_t power(python_literal const& of) const {
    if (of.type != kind::integer || !is_power(of.number) || of.number > kMostExtent)
      refuse(of, fmt::format("a power of two up to {} is expected", kMostExtent));
    return of.number;
  }
  numbers list(python_literal const& of) const {
    if (of.type != kind::list) refuse(of, "a list is expected");
    numbers result;
    for (auto const& each : of.items) {
      if (each.type != kind::integer) refuse(each, "a number is expected");
      result.push_back(each.number);
    }
    return result;
  }
  numbers powers(python_literal const& of, std::size_t rank) const {
    auto const result = list(of);
    if (rank && result.size() != rank)
      refuse(of, fmt::format("a list of {} is expected", count_text(std::int64_t(rank), "number")));
    for (auto const& each : of.items) power(each);
    return result;
  }
  /// The axes from the fastest to the slowest one.
  numbers order(python_literal const& of, std::size_t rank) const {
    auto const result = list(of);
    auto sorted = result;
    std::ranges::sort(sorted);
    numbers expected(rank);
    std::iota(expected.begin(), expected.end(), 0);
    if (sorted != expected) refuse(of, fmt::format("a list with each axis from 0 to {} is expected", rank - 1));
    return result;
  }
  std::vector<numbers> bases(python_literal const& of, std::size_t rank) const {
    if (of.type != kind::list) refuse(of, "a list of bases is expected");
    std::vector<numbers> result;
    for (auto const& each : of.items) {
      result.push_back(list(each));
      if (result.back().size() != rank || std::ranges::any_of(result.back(), [](auto c) { return c > kMostExtent; }))
        refuse(each,
               fmt::format("a basis of {} up to {} is expected", count_text(std::int64_t(rank), "coordinate"), kMostExtent));
    }
    return result;
  }

  /// True for True, true and 1, at a position that may be left out.
  bool flag(std::string_view name, std::size_t position) const {
    auto const* const given = find(name, position);
    return given && (given->number == 1 || same_name(given->text, "true"));
  }

  /// Refuses a layout over several blocks.
  void expect_one_block() const {
    for (auto const* name : {"ctas_per_cga", "cga_layout", "block_bases", "block"})
      if (auto const* const given = find(name, kNowhere); given && given->type == kind::list)
        for (auto const& each : given->items)
          if (each.type != kind::integer || each.number != 1) refuse(*given, "a layout of one block is expected");
  }

 private:
  /// "sizePerThread" and "size_per_thread" are one name.
  static bool same_name(std::string_view one, std::string_view other) {
    auto const plain = [](std::string_view name) {
      std::string result;
      for (char const c : name)
        if (c != '_') result += char(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
      return result;
    };
    return plain(one) == plain(other);
  }

  static constexpr auto kNowhere = std::size_t(-1);
  std::string_view argument_, source_;
  python_literal const& call_;
};

}  // namespace cornerturn
