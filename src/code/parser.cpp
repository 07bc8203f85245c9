#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <list>
#include <utility>

#include "base/round.hpp"
#include "code/expression_parser.hpp"
#include "code/syntax.hpp"

namespace cornerturn {
namespace {

using kind = code_node::kind;

class statement_parser : private expression_parser {
 public:
  using expression_parser::expression_parser;

  program parse() {
    most_integer_ = kMostCodeInteger;
    program result{argument_, code_, make(kind::block, peek())};
    while (!at_end()) statement(*result.statements);
    result.statements = finished(std::move(result.statements));
    result.has_dim3 = has_dim3_;
    result.has_shared = has_shared_;
    result.structures = std::move(structures_);
    return result;
  }

 private:
  static constexpr int kMaxNesting = 32;  // of statements

  /// True if the next token is the first one of its line, or the last one of the code.
  bool line_ended() const { return at_end() || next_ == 0 || peek().line > tokens_[next_ - 1].line; }

  /// The end of a statement: a semicolon, or the end of a line.
  void end_of_statement() {
    if (!take(";") && !line_ended() && !peek().is("}")) fail(peek(), "an operator or ';' is expected");
  }

  void statement(node& into) {
    if (++nesting_ > kMaxNesting) fail(peek(), fmt::format("statements nest {} deep at most", kMaxNesting));
    each_kind(into);
    --nesting_;
  }

  void each_kind(node& into) {
    auto const first = peek();
    if (take(";")) return;
    if (first.is("{")) return block(into);
    if (first.is("for")) return loop(into);
    if (first.is("while")) return while_loop(into);
    if (first.is("do")) return do_loop(into);
    if (first.is("switch") || first.is("goto")) fail(first, fmt::format("a {} is not read; write if and else", first.text));
    if (first.is("enum")) fail(first, "an enumeration is not read; write its values, e.g. constexpr int kRows = 4");
    if (first.is("if")) return branch(into);
    if (first.is("return") || first.is("break") || first.is("continue")) return leave(into);
    if (first.is("#define")) return define(into);
    if (first.is("using") || first.is("typedef")) return alias();
    if (first.is("struct") && (peek(2).is("{") || is_align(peek(1)))) return structure();
    if (first.is("template")) {
      advance();
      return skip_pair("<", ">");
    }
    if (first.is("dim3")) return block_shape(into);
    if (first.is("__launch_bounds__")) {
      advance();
      return skip_pair("(", ")");
    }
    if (first.is("void")) return kernel(into);
    if (is_type() && (!peek(1).is("(") || peek(2).is("*"))) return declaration(into);
    if (is_qualifier(first.text)) return declaration(into);
    into.parts.push_back(assignment());
    end_of_statement();
  }

  void block(node& into) {
    auto const first = advance();
    auto result = make(kind::block, first);
    while (!take("}")) {
      if (at_end()) fail(first, "a '{' without its '}'");
      statement(*result);
    }
    into.parts.push_back(finished(std::move(result)));
  }

  pointer body() {
    auto result = make(kind::block, peek());
    statement(*result);
    return finished(std::move(result));
  }

  /// Expressions or a declaration up to `end`; null if there are none.
  pointer clause(std::string_view end) {
    if (take(end)) return nullptr;
    auto result = make(kind::block, peek());
    if (is_type() && !peek(1).is("("))
      declarators(*result, type());
    else
      do {
        result->parts.push_back(assignment());
      } while (take(","));
    if (!take(end)) fail(peek(), fmt::format("an operator or '{}' is expected", end));
    return finished(std::move(result));
  }

  void loop(node& into) {
    auto result = make(kind::loop, advance());
    want("(");
    result->parts.push_back(clause(";"));
    result->parts.push_back(peek().is(";") ? nullptr : assignment());
    want(";");
    result->parts.push_back(clause(")"));
    result->parts.push_back(body());
    into.parts.push_back(finished(std::move(result)));
  }

  void while_loop(node& into) {
    auto result = make(kind::loop, advance());
    want("(");
    result->parts.push_back(nullptr);
    result->parts.push_back(assignment());
    want(")");
    result->parts.push_back(nullptr);
    result->parts.push_back(body());
    into.parts.push_back(finished(std::move(result)));
  }

  void do_loop(node& into) {
    auto result = make(kind::loop, peek());
    result->text = advance().text;
    auto repeated = body();
    if (!peek().is("while")) fail(peek(), "'while' is expected");
    advance();
    want("(");
    result->parts.push_back(nullptr);
    result->parts.push_back(assignment());
    want(")");
    end_of_statement();
    result->parts.push_back(nullptr);
    result->parts.push_back(std::move(repeated));
    into.parts.push_back(finished(std::move(result)));
  }

  void branch(node& into) {
    auto result = make(kind::branch, advance());
    take("constexpr");
    want("(");
    result->parts.push_back(assignment());
    want(")");
    result->parts.push_back(body());
    if (take("else")) result->parts.push_back(body());
    into.parts.push_back(finished(std::move(result)));
  }

  void leave(node& into) {
    auto result = make(kind::leave, peek());
    result->text = advance().text;
    if (result->text == "return" && !line_ended() && !peek().is(";") && !peek().is("}")) result->parts.push_back(assignment());
    end_of_statement();
    into.parts.push_back(finished(std::move(result)));
  }

  /// #define NAME VALUE, where the value is an expression or a type.
  void define(node& into) {
    auto const directive = advance();
    if (!peek().is_word()) fail(peek(), "a name is expected");
    auto const name = advance();
    if (line_ended()) return;
    if (peek().is("(") && peek().at == name.at + name.text.size())
      fail(peek(), "a macro with arguments is not read; write its expression where it is used");
    if (is_type() && !peek(1).is("(")) {
      aliases_[name.text] = type().type;
      return;
    }
    auto result = make(kind::variable, directive);
    result->text = name.text;
    result->parts.push_back(conditional());
    if (!line_ended()) fail(peek(), "an operator or the end of the line is expected");
    into.parts.push_back(finished(std::move(result)));
  }

  /// using NAME = TYPE, typedef TYPE NAME, or using namespace NAME.
  void alias() {
    bool const is_typedef = advance().is("typedef");
    if (take("namespace")) {
      advance();
    } else if (is_typedef) {
      auto const of = type().type;
      aliases_[advance().text] = of;
    } else {
      auto const name = advance();
      want("=");
      aliases_[name.text] = type().type;
    }
    end_of_statement();
  }

  /// struct NAME { float x, y; int counts[3]; }; its members have the places that C++ gives them.
  void structure() {
    advance();
    auto& made = structures_.emplace_back();
    if (is_align(peek())) {
      advance();
      want("(");
      auto const bytes = peek().type == code_token::kind::number ? number()->value.value_or(0) : 0;
      constexpr int kMost = 128;
      if (bytes < 1 || bytes > kMost || !std::has_single_bit(std::uint64_t(bytes)))
        fail(peek(), "an alignment of 1 to 128 bytes is expected");
      made.align = int(bytes) * 8;
      want(")");
    }
    if (!peek().is_word()) fail(peek(), "a structure's name is expected");
    auto const name = advance();
    want("{");
    std::int64_t bits = 0;
    while (!take("}")) members(made, bits, type());
    bits = round_up(bits, made.align);
    if (bits == 0) fail(name, "a structure without members");
    aliases_[name.text] = value_type{.bits = int(bits), .integer = false, .structure = &made};
    end_of_statement();
  }

  /// The members of a structure that one declaration has, after `bits` bits.
  void members(code_structure& into, std::int64_t& bits, parsed_type const& of) {
    constexpr std::int64_t kMostBits = 8 << 16;
    do {
      auto const first = peek();
      if (of.is_pointer || !first.is_word() || peek(1).is("("))
        fail(first, "a member's name is expected; pointers and functions are not read");
      advance();
      std::int64_t extent = 1;
      bool const is_array = take("[");
      if (is_array) {
        if (peek().type != code_token::kind::number) fail(peek(), "an extent of a member that is no number");
        extent = number()->value.value_or(0);
        want("]");
      }
      int const align = align_of(of.type);
      into.align = std::max(into.align, align);
      bits = round_up(bits, align);
      into.members.push_back({first.text, of.type, bits, is_array});
      if (extent < 1 || extent > kMostBits || (bits += extent * of.type.bits) > kMostBits)
        fail(first, "a structure has at most 65536 bytes, and an extent of a member is 1 or more");
    } while (take(","));
    want(";");
  }

  /// dim3 block(16, 16), dim3(16, 16) or dim3 block = {16, 16}. The shape of a grid, such as dimGrid or numBlocks, is left out.
  void block_shape(node& into) {
    auto const first = advance();
    do {
      shape(into, first);
    } while (take(","));
    end_of_statement();
  }

  void shape(node& into, code_token const& first) {
    auto result = make(kind::dim3, first);
    auto const name = peek().is_word() ? advance().text : std::string_view();
    bool const is_grid = std::ranges::any_of(std::array<std::string_view, 4>{"grid", "Grid", "blocks", "Blocks"},
                                             [&](auto part) { return name.find(part) != name.npos; });
    take("=");
    take("dim3");
    bool const braces = take("{");
    if (!braces) want("(");
    list(*result, braces ? "}" : ")");
    constexpr std::size_t kMost = 3;
    if (result->parts.empty() || result->parts.size() > kMost)
      fail({code_token::kind::symbol, "", result->begin, 0}, "a block has 1 to 3 extents");
    if (is_grid) return;
    has_dim3_ = true;
    into.parts.push_back(finished(std::move(result)));
  }

  /// void NAME(PARAMETERS) { … }
  void kernel(node& into) {
    advance();
    if (take("__launch_bounds__")) skip_pair("(", ")");
    if (!peek().is_word()) fail(peek(), "a kernel's name is expected");
    advance();
    want("(");
    if (!take(")")) {
      do {
        auto const of = type();
        auto parameter = make(of.is_pointer || peek(1).is("[") ? kind::pointer : kind::variable, peek());
        if (!peek().is_word()) fail(peek(), "a parameter's name is expected");
        parameter->text = advance().text;
        if (peek().is("[")) skip_pair("[", "]");
        parameter->of = of.type;
        parameter->align = of.align;
        parameter->is_parameter = true;
        into.parts.push_back(finished(std::move(parameter)));
      } while (take(","));
      want(")");
    }
    if (!peek().is("{")) fail(peek(), "'{' is expected");
    block(into);
  }

  void declaration(node& into) {
    // __global__ void kernel(…) and the like have no type here
    for (auto ahead = next_;
         ahead < tokens_.size() && (is_qualifier(tokens_[ahead].text) || tokens_[ahead].type == code_token::kind::text); ++ahead)
      if (ahead + 1 < tokens_.size() && (tokens_[ahead + 1].is("void") || tokens_[ahead + 1].is("__launch_bounds__"))) {
        if (tokens_[ahead].is("__device__")) refuse_function(tokens_[ahead + 1]);
        next_ = ahead + 1;
        return;
      }
    declarators(into, type());
    end_of_statement();
  }

  [[noreturn]] void refuse_function(code_token const& at) const {
    fail(at, "a function that is no kernel is not read; write its lines where it is called");
  }

  void declarators(node& into, parsed_type const& of) {
    do {
      if (peek().is("(") && peek(1).is("*"))
        fail(peek(), "a pointer to an array is not read; write float* s and s[i * 33 + j], say");
      bool const is_pointer = take("*") || of.is_pointer;
      if (!peek().is_word()) fail(peek(), "a name is expected");
      auto const name = advance();
      bool const is_array = peek().is("[") || (peek().is(":") && !is_pointer);
      auto result = make(is_array ? kind::array : is_pointer ? kind::pointer : kind::variable, name);
      result->text = name.text;
      result->of = of.type;
      result->type_text = of.text;
      result->align = of.align;
      result->is_shared = of.is_shared;
      result->is_global = of.is_global;
      result->is_reference = of.is_reference;
      has_shared_ |= of.is_shared;
      while (take("["))
        if (peek().is("]")) {  // extern __shared__ float s[]
          advance();
          result->parts.push_back(nullptr);
        } else {
          result->parts.push_back(assignment());
          want("]");
        }
      if (is_array && take(":")) layout(*result);
      if (of.is_shared && !is_array) result->type = kind::array;  // __shared__ float x
      if (take("=")) {
        if (peek().is("{"))
          skip_pair("{", "}");
        else if (is_array)
          fail(peek(), "an array's values are in braces");
        else
          result->parts.push_back(assignment());
      } else if (peek().is("(") && !is_array) {
        if (peek(1).is(")") || (is_type(1) && !peek(2).is("("))) refuse_function(name);
        advance();
        result->parts.push_back(assignment());
        want(")");
      }
      into.parts.push_back(finished(std::move(result)));
    } while (take(","));
  }

  /// A layout in the notation of CuTe or Triton, up to a semicolon or the end of the line.
  void layout(node& into) {
    if (at_end()) fail(peek(), "a layout is expected");
    into.layout_at = peek().at;
    auto const end = std::min(code_.find_first_of(";\n", into.layout_at), code_.size());
    into.layout = code_.substr(into.layout_at, end - into.layout_at);
    while (!at_end() && peek().at < end) advance();
  }

  bool has_dim3_ = false, has_shared_ = false;
  std::list<code_structure> structures_;
  int nesting_ = 0;
};

}  // namespace

program parse_code(std::string_view argument, std::string_view code) { return statement_parser(argument, code).parse(); }

}  // namespace cornerturn
