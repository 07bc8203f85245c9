#include "code/arithmetic.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "layout/layout.hpp"

namespace cornerturn {
namespace {

constexpr int kMostShift = 31, kIntBits = 32;

/// The result of + - * <<; false if it does not fit 64 bits.
bool grown(std::string_view by, std::int64_t left, std::int64_t right, std::int64_t& result) {
  if (by == "+") return !__builtin_add_overflow(left, right, &result);
  if (by == "-") return !__builtin_sub_overflow(left, right, &result);
  return !__builtin_mul_overflow(left, by == "<<" ? std::int64_t(1) << right : right, &result);
}

}  // namespace

bool is_comparison(std::string_view by) { return by == "==" || by == "!=" || by == "<" || by == ">" || by == "<=" || by == ">="; }

value_type promoted(value_type const& type) { return type.bits < kIntBits ? value_type() : type; }

value_type common_type(std::string_view by, value_type const& left, value_type const& right) {
  auto result = promoted(left);
  if (by == "<<" || by == ">>") return result;
  auto const other = promoted(right);
  if (other.bits == result.bits) result.is_unsigned |= other.is_unsigned;
  return other.bits > result.bits ? other : result;
}

std::int64_t converted(std::int64_t number, value_type const& to) {
  if (to.is_truth) return number != 0;
  if (to.bits > kIntBits) return number;
  auto const range = std::int64_t(1) << to.bits;
  auto const result = number & (range - 1);
  return !to.is_unsigned && result >= range / 2 ? result - range : result;
}

computed compute(std::string_view by, std::int64_t left, std::int64_t right, value_type const& type, std::int64_t most) {
  bool const wraps = type.is_unsigned && type.bits == kIntBits;
  if (!wraps && type.bits == kIntBits) most = std::min(most, kMaxLayoutInteger);
  if ((by == "/" || by == "%") && right == 0) return {0, "a division by 0"};
  if ((by == "<<" || by == ">>") && (right < 0 || right > kMostShift))
    return {0, fmt::format("a shift by {}; it must be by 0 to {}", right, kMostShift)};
  if (bool const divides = by == "/" || by == "%" || by == ">>";
      type.is_unsigned && (left < 0 || right < 0) && (divides || is_comparison(by)))
    return {0, fmt::format("{} is less than 0, although it is unsigned", std::min(left, right))};
  if (by == "==") return {left == right};
  if (by == "!=") return {left != right};
  if (by == "<=") return {left <= right};
  if (by == ">=") return {left >= right};
  if (by == ">>") return {left >> right};
  if (by != "<<") switch (by.front()) {
      case '<':
        return {left < right};
      case '>':
        return {left > right};
      case '/':
        return {left / right};
      case '%':
        return {left % right};
      case '&':
        return {left & right};
      case '^':
        return {left ^ right};
      case '|':
        return {left | right};
      default:
        break;
    }
  if (wraps) {
    auto const a = std::uint64_t(left), b = std::uint64_t(right);
    return {converted(std::int64_t(by == "+" ? a + b : by == "-" ? a - b : by == "*" ? a * b : a << right), type)};
  }
  std::int64_t value = 0;
  if (!grown(by, left, right, value) || value < -most || value > most)
    return {0, fmt::format("{} {} {} is out of range; values go from -{} to {}", left, by, right, most, most)};
  return {value};
}

}  // namespace cornerturn
