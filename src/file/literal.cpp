#include "file/literal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "cornerturn/error.hpp"
#include "problem/validate.hpp"

namespace cornerturn {
namespace {

class literal_parser {
 public:
  literal_parser(std::string_view text, std::string_view name, bool may_be_long)
      : text_(text), name_(name), may_be_long_(may_be_long) {}

  literal parse() {
    literal result = value(0);
    skip_space();
    if (at_ != text_.size()) fail("nothing more");
    return result;
  }

 private:
  // Structured dtypes nest a few levels deep; the limit protects the stack from a hostile header.
  static constexpr int kMaxDepth = 64;

  [[noreturn]] void fail(std::string_view expected) const {
    throw error(error_kind::file, fmt::format("{}: malformed header: expected {} at byte {}", name_, expected, at_));
  }

  /// The longest tuples of a header are shapes, of the array or of a field. Longer ones are not parsed, because each item needs
  /// about a hundred bytes of memory.
  [[noreturn]] void refuse_long_tuple() const {
    throw error(error_kind::file, fmt::format("{}: its header has a tuple of more than {} items; at most {} axes are supported",
                                              name_, kMaxRank, kMaxRank));
  }

  /// Skips spaces, and comments, which end with their lines.
  void skip_space() {
    while (at_ < text_.size() && std::string_view(" \t\n\r\f#").find(text_[at_]) != std::string_view::npos)
      at_ = text_[at_] == '#' ? std::min(text_.find_first_of("\r\n", at_), text_.size()) : at_ + 1;
  }

  bool take(std::string_view token) {
    skip_space();
    if (text_.substr(at_, token.size()) != token) return false;
    at_ += token.size();
    return true;
  }

  literal value(int depth) {
    if (depth > kMaxDepth) fail("less nesting");
    skip_space();
    // A string of Python 2 that is text begins with u.
    if (auto const next = text_.substr(at_, 2); next == "u'" || next == "u\"" || next == "U'" || next == "U\"") ++at_;
    std::size_t const begin = at_;
    literal result;
    if (take("'")) {
      result = quoted('\'');
    } else if (take("\"")) {
      result = quoted('"');
    } else if (take("(")) {
      result = sequence(literal::kind::tuple, ")", depth);
    } else if (take("[")) {
      result = sequence(literal::kind::list, "]", depth);
    } else if (take("{")) {
      result = dict(depth);
    } else if (take("True")) {
      result.type = literal::kind::boolean;
      result.integer = 1;
    } else if (take("False")) {
      result.type = literal::kind::boolean;
    } else if (!take("None")) {
      result = integer();
    }
    result.source = text_.substr(begin, at_ - begin);
    return result;
  }

  literal quoted(char quote) {
    std::size_t const begin = at_;
    for (; at_ < text_.size() && text_[at_] != '\n'; ++at_) {
      if (text_[at_] == quote) {
        literal result;
        result.type = literal::kind::string;
        result.string = text_.substr(begin, at_++ - begin);
        return result;
      }
      if (text_[at_] == '\\') ++at_;
    }
    at_ = std::min(at_, text_.size());
    fail("the end of a string");
  }

  literal integer() {
    literal result;
    result.type = literal::kind::integer;
    auto const [end, problem] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), result.integer);
    if (problem == std::errc::result_out_of_range) fail("a number of 64 bits");
    if (problem != std::errc()) fail("a value");
    auto const digits = text_.substr(at_, std::size_t(end - text_.data()) - at_);
    if (digits.starts_with('0') && digits.find_first_not_of('0') != digits.npos) fail("a number without a leading 0");
    at_ = end - text_.data();
    if (may_be_long_ && at_ < text_.size() && text_[at_] == 'L') ++at_;
    return result;
  }

  literal sequence(literal::kind type, std::string_view close, int depth) {
    literal result;
    result.type = type;
    bool comma = true;
    while (!take(close)) {
      if (!comma) fail(fmt::format("',' or '{}'", close));
      if (type == literal::kind::tuple && result.items.size() == kMaxRank) refuse_long_tuple();
      result.items.push_back(value(depth + 1));
      comma = take(",");
    }
    // (x) is x; a tuple of one item is (x,).
    if (type == literal::kind::tuple && result.items.size() == 1 && !comma) return literal(std::move(result.items[0]));
    return result;
  }

  literal dict(int depth) {
    literal result;
    result.type = literal::kind::dict;
    bool comma = true;
    while (!take("}")) {
      if (!comma) fail("',' or '}'");
      result.items.push_back(value(depth + 1));
      if (!take(":")) fail("':'");
      result.items.push_back(value(depth + 1));
      comma = take(",");
    }
    return result;
  }

  std::string_view text_, name_;
  bool may_be_long_;
  std::size_t at_ = 0;
};

}  // namespace

literal parse_literal(std::string_view text, std::string_view name, bool may_be_long) {
  return literal_parser(text, name, may_be_long).parse();
}

}  // namespace cornerturn
