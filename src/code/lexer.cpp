#include "code/lexer.hpp"

#include <algorithm>
#include <array>

#include "base/utf8.hpp"
#include "code/place.hpp"

namespace cornerturn {
namespace {

using namespace std::string_view_literals;

/// The symbols of more than one character; longer ones first.
constexpr std::array kSymbols = {"<<="sv, ">>="sv, "<<"sv, ">>"sv, "<="sv, ">="sv, "=="sv, "!="sv, "&&"sv, "||"sv, "++"sv,
                                 "--"sv,  "+="sv,  "-="sv, "*="sv, "/="sv, "%="sv, "&="sv, "|="sv, "^="sv, "->"sv};

bool is_decimal(char c) { return c >= '0' && c <= '9'; }
bool is_word_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

class lexer {
 public:
  lexer(std::string_view argument, std::string_view code) : argument_(argument), code_(code) {}

  std::vector<code_token> tokens() {
    for (skip(); at_ < code_.size(); skip()) next();
    add(code_token::kind::end, 0);
    return std::move(tokens_);
  }

 private:
  bool starts(std::string_view text) const { return code_.substr(at_).starts_with(text); }

  template <class Of>
  std::size_t length(Of const& of) const {
    auto const rest = code_.substr(at_);
    return std::size_t(std::ranges::find_if_not(rest, of) - rest.begin());
  }

  void move(std::size_t by) {
    line_ += int(std::ranges::count(code_.substr(at_, by), '\n'));
    at_ = std::min(at_ + by, code_.size());
  }

  void add(code_token::kind type, std::size_t size) {
    tokens_.push_back({type, code_.substr(at_, size), at_, line_});
    move(size);
  }

  /// Skips blanks and comments.
  void skip() {
    for (;;) {
      if (starts("//")) {
        move(std::min(code_.find('\n', at_), code_.size()) - at_);
      } else if (starts("/*")) {
        auto const end = code_.find("*/", at_ + 2);
        if (end == code_.npos) refuse_at(argument_, code_, at_, "a comment without its '*/'");
        move(end + 2 - at_);
      } else if (at_ < code_.size() && " \t\r\n\f\v\\"sv.find(code_[at_]) != std::string_view::npos) {
        move(1);
      } else {
        return;
      }
    }
  }

  void next() {
    char const c = code_[at_];
    if (c == '#') return directive();
    if (c == '"') {
      auto const end = code_.find('"', at_ + 1);
      if (end == code_.npos) refuse_at(argument_, code_, at_, "a string without its end");
      return add(code_token::kind::text, end + 1 - at_);
    }
    if (is_decimal(c) || (c == '.' && at_ + 1 < code_.size() && is_decimal(code_[at_ + 1])))
      return add(code_token::kind::number,
                 length([](char d) { return is_decimal(d) || is_word_letter(d) || d == '.' || d == '\''; }));
    if (is_word_letter(c)) return word();
    auto const symbol = std::ranges::find_if(kSymbols, [&](auto const& each) { return starts(each); });
    if (symbol != kSymbols.end()) return add(code_token::kind::symbol, symbol->size());
    std::size_t size = 1;
    while (at_ + size < code_.size() && is_continuation(code_[at_ + size])) ++size;
    add(code_token::kind::symbol, size);
  }

  void word() {
    std::size_t size = 0;
    for (std::string_view const rest = code_.substr(at_); size < rest.size();)
      if (is_word_letter(rest[size]) || is_decimal(rest[size]))
        ++size;
      else if (rest.substr(size, 2) == "::" && size + 2 < rest.size() && is_word_letter(rest[size + 2]))
        size += 2;
      else
        break;
    add(code_token::kind::word, size);
  }

  /// "#define" becomes a word if a value follows its name, and other directives are skipped.
  void directive() {
    constexpr auto kDefine = "#define"sv;
    if (starts(kDefine)) return add(code_token::kind::word, kDefine.size());
    move(std::min(code_.find('\n', at_), code_.size()) - at_);
  }

  std::string_view argument_, code_;
  std::size_t at_ = 0;
  int line_ = 0;
  std::vector<code_token> tokens_;
};

}  // namespace

std::vector<code_token> tokens_of(std::string_view argument, std::string_view code) { return lexer(argument, code).tokens(); }

}  // namespace cornerturn
