#include "code/arithmetic.hpp"

#include <fmt/format.h>

namespace cornerturn {
namespace {

constexpr int kMostShift = 31;

/// The result of + - * <<; false if it does not fit 64 bits.
bool grown(std::string_view by, std::int64_t left, std::int64_t right, std::int64_t& result) {
  if (by == "+") return !__builtin_add_overflow(left, right, &result);
  if (by == "-") return !__builtin_sub_overflow(left, right, &result);
  return !__builtin_mul_overflow(left, by == "<<" ? std::int64_t(1) << right : right, &result);
}

}  // namespace

computed compute(std::string_view by, std::int64_t left, std::int64_t right, std::int64_t most) {
  if ((by == "/" || by == "%") && right == 0) return {0, "a division by 0"};
  if ((by == "<<" || by == ">>") && (right < 0 || right > kMostShift))
    return {0, fmt::format("a shift by {}; it must be by 0 to {}", right, kMostShift)};
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
  std::int64_t value = 0;
  if (!grown(by, left, right, value) || value < -most || value > most)
    return {0, fmt::format("{} {} {} is out of range; values go from -{} to {}", left, by, right, most, most)};
  return {value};
}

}  // namespace cornerturn
