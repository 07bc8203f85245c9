#include "layout/python_literal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string>
#include <system_error>

#include "base/printable.hpp"
#include "layout/refuse_text.hpp"

namespace cornerturn {
namespace {

using literal = python_literal::kind;

class python_parser {
 public:
  python_parser(std::string_view argument, std::string_view source) : argument_(argument), source_(source) { skip(); }

  python_literal parse() {
    python_literal all{.type = literal::list, .text = {}, .names = {}, .items = {}, .at = 0};
    arguments(all, '\0', 0);
    if (at_ < source_.size()) fail("the end is expected");
    return all;
  }

 private:
  static constexpr int kMaxDepth = 16;  // protects the stack
  static constexpr std::string_view kBlanks = " \t\r\n";

  [[noreturn]] void fail(std::string_view problem) const { refuse_literal(argument_, source_, at_, problem); }
  void skip() { at_ = std::min(source_.find_first_not_of(kBlanks, at_), source_.size()); }
  char next() const { return at_ < source_.size() ? source_[at_] : '\0'; }
  bool take(char symbol) {
    if (at_ == source_.size() || next() != symbol) return false;
    ++at_;
    skip();
    return true;
  }
  void want(char symbol) {
    if (!take(symbol)) fail(fmt::format("'{}' is expected", symbol));
  }
  static bool is_digit(char c) { return c >= '0' && c <= '9'; }
  static bool is_name(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '#' || is_digit(c); }

  std::string_view name() {
    auto const begin = at_;
    while (is_name(next()) || (at_ > begin && next() == '.')) ++at_;
    auto const result = source_.substr(begin, at_ - begin);
    skip();
    return result;
  }

  std::string_view string() {
    char const quote = next();
    auto const end = source_.find(quote, at_ + 1);
    if (end == source_.npos) fail("a string without its end");
    auto const result = source_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    skip();
    return result;
  }

  /// Arguments, items or entries up to `end`, with their names or keys.
  void arguments(python_literal& into, char end, int depth) {
    while (at_ < source_.size() && next() != end) {
      std::string_view key;
      auto each = value(depth);
      if (each.type == literal::word && (next() == '=' || next() == ':')) {
        ++at_;
        skip();
        key = each.text;
        each = value(depth);
      }
      into.names.push_back(key);
      into.items.push_back(std::move(each));
      if (!take(',')) break;
    }
    if (end) want(end);
  }

  python_literal value(int depth) {
    if (depth > kMaxDepth) fail("a literal nested less deep is expected");
    python_literal result{.text = {}, .names = {}, .items = {}, .at = at_};
    if (next() == '"' || next() == '\'') {
      result.type = literal::word;
      result.text = string();
    } else if (take('[')) {
      result.type = literal::list;
      arguments(result, ']', depth + 1);
    } else if (take('(')) {
      result.type = literal::list;
      arguments(result, ')', depth + 1);
    } else if (take('{')) {
      result.type = literal::call;
      arguments(result, '}', depth + 1);
    } else if (is_digit(next())) {
      auto const* const end = source_.data() + source_.size();
      auto const [after, failed] = std::from_chars(source_.data() + at_, end, result.number);
      if (failed != std::errc()) fail("a smaller number is expected");
      at_ = std::size_t(after - source_.data());
      skip();
    } else if (is_name(next())) {
      result.type = literal::word;
      result.text = name();
      bool const is_attribute = next() == '<';
      if (is_attribute || next() == '(') {
        result.type = literal::call;
        result.text.remove_prefix(result.text.rfind('.') + 1);
        ++at_;
        skip();
        bool const has_dict = is_attribute && take('{');
        arguments(result, has_dict ? '}' : is_attribute ? '>' : ')', depth + 1);
        if (has_dict) want('>');
      }
    } else {
      fail("a literal of Python is expected");
    }
    return result;
  }

  std::string_view argument_, source_;
  std::size_t at_ = 0;
};

}  // namespace

python_literal parse_python(std::string_view argument, std::string_view source) {
  refuse_long(argument, source);
  return python_parser(argument, source).parse();
}

void refuse_literal(std::string_view argument, std::string_view source, std::size_t at, std::string_view problem) {
  constexpr std::size_t kBefore = 60, kLongest = 120;
  auto const first = at > kBefore ? at - kBefore : 0;
  auto const excerpt = (first ? "..." : "") + printable(source.substr(first), kLongest);
  auto const where = at >= source.size() ? std::string("its end")
                                         : fmt::format("character {}, '{}'", at + 1, printable(source.substr(at, 1), 4));
  refuse_text(argument, excerpt, where, problem);
}

}  // namespace cornerturn
