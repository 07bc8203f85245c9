#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <string_view>
#include <vector>

#include "code/lexer.hpp"
#include "code/syntax.hpp"
#include "layout/layout.hpp"

namespace cornerturn {

/// Parses expressions of CUDA C++.
class expression_parser {
 public:
  expression_parser(std::string_view argument, std::string_view code)
      : argument_(argument), code_(code), tokens_(tokens_of(argument, code)) {}

 protected:
  using node = code_node;
  using pointer = node::pointer_type;

  /// A type with its qualifiers, and the pointers to it.
  struct parsed_type {
    value_type type;
    std::string_view text = {};  ///< the type without qualifiers, as written
    bool is_pointer = false, is_shared = false, is_global = false;
    bool is_reference = false;  ///< through which its target can be changed
    std::int64_t align = 0;     ///< alignas(align) in bytes; 0: not given as a number
  };

  code_token const& peek(std::size_t ahead = 0) const { return tokens_[std::min(next_ + ahead, tokens_.size() - 1)]; }
  bool at_end() const { return peek().type == code_token::kind::end; }
  code_token const& advance() { return next_ + 1 < tokens_.size() ? tokens_[next_++] : tokens_.back(); }
  bool take(std::string_view symbol);
  void want(std::string_view symbol);
  [[noreturn]] void fail(code_token const& at, std::string_view problem) const;

  pointer assignment();
  pointer conditional();
  pointer number();
  /// Expressions with commas between them, some of them in braces, up to `end`, which is taken.
  void list(node& into, std::string_view end);

  static bool is_align(code_token const& word) { return word.is("alignas") || word.is("__align__"); }
  bool is_type(std::size_t ahead = 0) const;
  parsed_type type();
  std::optional<value_type> known_type(std::string_view name) const;
  /// Skips a pair of brackets and what they contain.
  void skip_pair(std::string_view open, std::string_view close);

  static pointer make(node::kind kind, code_token const& from);
  pointer finished(pointer of) const;

  std::string_view argument_, code_;
  std::vector<code_token> tokens_;
  std::size_t next_ = 0;
  std::map<std::string_view, value_type> aliases_;
  std::int64_t most_integer_ = kMaxLayoutInteger;

 private:
  static constexpr int kMaxDepth = 64, kMaxTree = 256;  // protect the stack from a hostile text
  class nested;

  pointer binary(int precedence);
  pointer unary();
  pointer postfix();
  pointer primary();
  pointer cast_to(parsed_type const& type, code_token const& from, pointer operand);

  int depth_ = 0;
};

}  // namespace cornerturn
