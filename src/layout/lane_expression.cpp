#include "layout/lane_expression.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/printable.hpp"
#include "base/refuse.hpp"
#include "layout/layout.hpp"
#include "layout/refuse_text.hpp"

namespace cornerturn {
namespace {

constexpr std::size_t kShown = 60;

/// Binary operators of C, with C's precedence.
struct binary_operator {
  std::string_view text;
  int precedence;
};
constexpr binary_operator kOperators[] = {{"|", 0}, {"^", 1}, {"&", 2}, {"<<", 3}, {">>", 3},
                                          {"+", 4}, {"-", 4}, {"*", 5}, {"/", 5},  {"%", 5}};

/// Evaluates a text for one lane while it parses the text.
class evaluator {
 public:
  evaluator(std::string_view argument, std::string_view text, int lane) : argument_(argument), text_(text), lane_(lane) {}

  /// Evaluates the expression that begins at `at` and ends with a comma or the text. Moves `at` to its end.
  std::optional<std::int64_t> entry(std::size_t& at) {
    at_ = at;
    skip_blanks();
    bool const inactive = peek() == '-' && ends(at_ + 1);
    std::optional<std::int64_t> result;
    if (inactive)
      ++at_;
    else
      result = binary(0);
    if (!ends(at_)) fail("an operator, ',' or the end is expected");
    skip_blanks();
    if (result && *result < 0) out_of_range(fmt::format("0 or more; lane {} has {}", lane_, *result));
    at = at_;
    return result;
  }

 private:
  static constexpr int kMaxDepth = 64;  // protects the stack from a hostile text

  void skip_blanks() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  /// True if an entry ends at `at`, blanks aside.
  bool ends(std::size_t at) const {
    auto const next = text_.find_first_not_of(' ', at);
    return next == text_.npos || text_[next] == ',';
  }

  [[noreturn]] void fail(std::string_view what) const {
    auto const where =
        at_ < text_.size() ? fmt::format("character {}, '{}'", at_ + 1, printable(text_.substr(at_, 1), 4)) : "its end";
    refuse_text(argument_, printable(text_, kShown), where, what);
  }
  [[noreturn]] void out_of_range(std::string_view allowed) const {
    refuse(argument_, fmt::format("'{}'", printable(text_, kShown)), allowed);
  }

  binary_operator const* next_operator() {
    skip_blanks();
    auto const found =
        std::ranges::find_if(kOperators, [&](auto const& each) { return text_.substr(at_).starts_with(each.text); });
    return found == std::end(kOperators) ? nullptr : &*found;
  }

  std::int64_t binary(int precedence) {
    auto left = unary();
    for (auto const* next = next_operator(); next && next->precedence >= precedence; next = next_operator()) {
      at_ += next->text.size();
      auto const right = binary(next->precedence + 1);
      left = within(apply(left, next->text, right));
    }
    return left;
  }

  std::int64_t apply(std::int64_t left, std::string_view by, std::int64_t right) const {
    constexpr int kMostShift = 31;
    if ((by == "/" || by == "%") && right == 0) out_of_range(fmt::format("without a division by 0; lane {} has one", lane_));
    if ((by == "<<" || by == ">>") && (right < 0 || right > kMostShift))
      out_of_range(fmt::format("one that shifts by 0 to {}; lane {} shifts by {}", kMostShift, lane_, right));
    if (by == "<<") return left * (std::int64_t(1) << right);
    if (by == ">>") return left >> right;
    switch (by.front()) {
      case '+':
        return left + right;
      case '-':
        return left - right;
      case '*':
        return left * right;
      case '/':
        return left / right;
      case '%':
        return left % right;
      case '&':
        return left & right;
      case '^':
        return left ^ right;
      default:
        return left | right;
    }
  }

  /// Values stay within an int, so that products and shifts fit 64 bits.
  std::int64_t within(std::int64_t value) const {
    if (value < -kMaxLayoutInteger || value > kMaxLayoutInteger)
      out_of_range(fmt::format("one whose values go from -{0} to {0}; lane {1} has {2}", kMaxLayoutInteger, lane_, value));
    return value;
  }

  std::int64_t unary() {
    skip_blanks();
    if (depth_ == kMaxDepth) fail(fmt::format("signs and parentheses nest {} deep at most", kMaxDepth));
    ++depth_;
    std::int64_t result;
    if (peek() == '-') {
      ++at_;
      result = -unary();
    } else if (peek() == '(') {
      ++at_;
      result = binary(0);
      skip_blanks();
      if (peek() != ')') fail("an operator or ')' is expected");
      ++at_;
    } else {
      result = operand();
    }
    --depth_;
    return result;
  }

  std::int64_t operand() {
    constexpr std::string_view kLane = "lane";
    auto const is_word = [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    };
    auto const rest = text_.substr(at_);
    auto const word = rest.substr(0, std::size_t(std::ranges::find_if_not(rest, is_word) - rest.begin()));
    if (word == kLane) {
      at_ += word.size();
      return lane_;
    }
    bool const hex = word.starts_with("0x");
    auto const digits = word.substr(hex ? 2 : 0);
    std::int64_t value = 0;
    auto const [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), value, hex ? 16 : 10);
    if (digits.empty() || problem == std::errc::invalid_argument || end != digits.data() + digits.size())
      fail(word.starts_with("threadIdx") || word == "tid" ? "a thread's index in its warp is called 'lane'"
                                                          : "an integer, 'lane', '-' or '(' is expected");
    if (problem != std::errc() || value > kMaxLayoutInteger) fail(fmt::format("integers go up to {}", kMaxLayoutInteger));
    at_ += word.size();
    return value;
  }

  std::string_view argument_, text_;
  int lane_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

lane_addresses parse_addresses(std::string_view argument, std::string_view text) {
  refuse_long(argument, text);
  if (text.find_first_not_of(' ') == text.npos) refuse(argument, "''", "an expression of lane, or a list of addresses");
  lane_addresses result;
  auto const entries = std::size_t(std::ranges::count(text, ',')) + 1;
  if (entries > result.size()) refuse({argument, "the number of entries of {}"}, entries, fmt::format("1 to {}", result.size()));
  std::size_t at = 0;
  for (std::size_t lane = 0; lane < result.size(); ++lane) {
    if (entries == 1) at = 0;
    if (entries > 1 && lane == entries) break;
    result[lane] = evaluator(argument, text, int(lane)).entry(at);
    ++at;  // the comma
  }
  return result;
}

}  // namespace cornerturn
