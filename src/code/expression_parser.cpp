#include "code/expression_parser.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "code/place.hpp"

namespace cornerturn {
namespace {

using kind = code_node::kind;

/// Binary operators of C, with C's precedence.
struct binary_operator {
  std::string_view text;
  int precedence;
};
constexpr binary_operator kOperators[] = {{"||", 0}, {"&&", 1}, {"|", 2}, {"^", 3},  {"&", 4},  {"==", 5},
                                          {"!=", 5}, {"<", 6},  {">", 6}, {"<=", 6}, {">=", 6}, {"<<", 7},
                                          {">>", 7}, {"+", 8},  {"-", 8}, {"*", 9},  {"/", 9},  {"%", 9}};
constexpr std::array<std::string_view, 10> kAssignments = {"+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="};
constexpr std::array<std::string_view, 8> kUnary = {"-", "+", "~", "!", "*", "&", "++", "--"};
constexpr std::array<std::string_view, 3> kCasts = {"reinterpret_cast", "static_cast", "const_cast"};

template <class List>
bool is_one_of(List const& list, std::string_view text) {
  return std::ranges::find(list, text) != std::end(list);
}

}  // namespace

/// One level of nesting.
class expression_parser::nested {
 public:
  explicit nested(expression_parser& of) : of_(of) {
    if (++of.depth_ > kMaxDepth) of.fail(of.peek(), fmt::format("expressions nest {} deep at most", kMaxDepth));
  }
  nested(nested const&) = delete;
  nested& operator=(nested const&) = delete;
  ~nested() { --of_.depth_; }

 private:
  expression_parser& of_;
};

bool expression_parser::take(std::string_view symbol) {
  bool const found = peek().is(symbol);
  if (found) advance();
  return found;
}

void expression_parser::want(std::string_view symbol) {
  if (!take(symbol)) fail(peek(), fmt::format("'{}' is expected", symbol));
}

void expression_parser::fail(code_token const& at, std::string_view problem) const {
  refuse_at(argument_, code_, at.at, problem);
}

code_node::pointer_type expression_parser::make(node::kind kind, code_token const& from) {
  auto result = std::make_unique<node>();
  result->type = kind;
  result->begin = from.at;
  result->end = from.at + from.text.size();
  return result;
}

code_node::pointer_type expression_parser::finished(pointer of) const {
  for (auto const& part : of->parts)
    if (part) of->depth = std::max(of->depth, part->depth + 1);
  if (of->depth > kMaxTree)
    refuse_at(argument_, code_, of->begin, fmt::format("an expression has at most {} operators in a row", kMaxTree));
  if (next_ > 0) of->end = tokens_[next_ - 1].at + tokens_[next_ - 1].text.size();
  return of;
}

void expression_parser::skip_pair(std::string_view open, std::string_view close) {
  auto const& first = peek();
  want(open);
  for (int depth = 1; depth > 0; advance()) {
    if (at_end()) fail(first, fmt::format("a '{}' without its '{}'", open, close));
    depth += peek().is(open) ? 1 : peek().is(close) ? -1 : 0;
  }
}

std::optional<value_type> expression_parser::known_type(std::string_view name) const {
  if (auto const found = aliases_.find(name); found != aliases_.end()) return found->second;
  return type_named(name);
}

bool expression_parser::is_type(std::size_t ahead) const {
  auto const& first = peek(ahead);
  return first.is_word() && (is_qualifier(first.text) || known_type(first.text));
}

expression_parser::parsed_type expression_parser::type() {
  parsed_type result;
  std::optional<value_type> found;
  bool is_unsigned = false, is_constant = false;
  for (;;) {
    auto const& word = peek();
    if (word.is_word() && is_qualifier(word.text)) {
      result.is_shared |= word.text == "__shared__";
      is_constant |= word.text == "const";
      result.is_global |= word.text == "__device__" || word.text == "__constant__";
      bool const has_argument = is_align(word);
      advance();
      if (has_argument && peek(1).type == code_token::kind::number && peek(2).is(")")) {
        advance();
        result.align = std::max(result.align, number()->value.value_or(0));
        advance();
      } else if (has_argument) {
        skip_pair("(", ")");
        result.align = kUnknownAlign;
      }
    } else if (word.type == code_token::kind::text) {
      advance();  // extern "C"
    } else if (auto const named = word.is_word() ? known_type(word.text) : std::nullopt;
               named && (!found || found->integer)) {  // unsigned short, long long, unsigned int
      bool const is_weak = word.text == "int" || word.text == "unsigned" || word.text == "signed";
      is_unsigned |= word.text == "unsigned";
      if (!found || !is_weak) found = named;
      auto const begin = result.text.empty() ? word.at : std::size_t(result.text.data() - code_.data());
      result.text = code_.substr(begin, word.at + word.text.size() - begin);
      advance();
      if (!(peek().is_word() && known_type(peek().text) &&
            is_one_of(std::array<std::string_view, 4>{"int", "long", "short", "char"}, peek().text)) &&
          !(peek().is_word() && is_qualifier(peek().text)))
        break;
    } else {
      break;
    }
  }
  if (!found) {
    if (!peek().is_word()) fail(peek(), "a type is expected");
    if (next_ > 0 && tokens_[next_ - 1].is("struct"))
      fail(peek(), fmt::format("an unknown structure; declare it before, e.g. struct {} {{ float x, y; }};", peek().text));
    if (peek(1).is("<") || peek().text.find("::") != std::string_view::npos)
      fail(peek(), "an unknown type; write a type of its size in its place, e.g. float2");
    fail(peek(), fmt::format("an unknown type; 'using {} = float;' before it says what it is", peek().text));
  }
  result.type = *found;
  result.type.is_unsigned |= is_unsigned;
  for (;; advance())
    if (peek().is("*"))
      result.is_pointer = true;
    else if (peek().is("&"))
      result.is_reference = !is_constant;
    else if (peek().is_word() && is_qualifier(peek().text))
      is_constant |= peek().text == "const";
    else
      break;
  return result;
}

void expression_parser::list(node& into, std::string_view end) {
  if (take(end)) return;
  do {
    if (take("{")) {
      nested const level(*this);
      list(into, "}");
    } else {
      into.parts.push_back(assignment());
    }
  } while (take(","));
  if (!take(end)) fail(peek(), fmt::format("an operator, ',' or '{}' is expected", end));
}

code_node::pointer_type expression_parser::assignment() {
  auto const& first = peek();
  auto left = conditional();
  bool const compound = is_one_of(kAssignments, peek().text) && peek().type == code_token::kind::symbol;
  if (!compound && !peek().is("=")) return left;
  auto result = make(kind::assign, first);
  result->text = compound ? peek().text.substr(0, peek().text.size() - 1) : std::string_view();
  advance();
  nested const level(*this);
  result->parts.push_back(std::move(left));
  result->parts.push_back(assignment());
  return finished(std::move(result));
}

code_node::pointer_type expression_parser::conditional() {
  auto const& first = peek();
  auto condition = binary(0);
  if (!take("?")) return condition;
  nested const level(*this);
  auto result = make(kind::conditional, first);
  result->parts.push_back(std::move(condition));
  result->parts.push_back(assignment());
  want(":");
  result->parts.push_back(conditional());
  return finished(std::move(result));
}

code_node::pointer_type expression_parser::binary(int precedence) {
  auto const& first = peek();
  auto left = unary();
  for (;;) {
    auto const by = peek();
    auto const* const found = std::ranges::find(kOperators, by.text, &binary_operator::text);
    if (by.type != code_token::kind::symbol || found == std::end(kOperators) || found->precedence < precedence) return left;
    advance();
    auto result = make(kind::binary, first);
    result->text = by.text;
    result->parts.push_back(std::move(left));
    result->parts.push_back(binary(found->precedence + 1));
    left = finished(std::move(result));
  }
}

code_node::pointer_type expression_parser::cast_to(parsed_type const& type, code_token const& from, pointer operand) {
  auto result = make(kind::cast, from);
  result->of = type.type;
  result->to_pointer = type.is_pointer;
  result->parts.push_back(std::move(operand));
  return finished(std::move(result));
}

code_node::pointer_type expression_parser::unary() {
  nested const level(*this);
  auto const first = peek();
  if (first.type == code_token::kind::symbol && is_one_of(kUnary, first.text)) {
    advance();
    auto result = make(kind::unary, first);
    result->text = first.text;
    result->parts.push_back(unary());
    return finished(std::move(result));
  }
  if (first.is("(") && is_type(1)) {
    // "(int)x" is a cast; "(int(x))" is not
    auto const before = next_;
    advance();
    if (auto const to = peek(1).is("(") ? parsed_type() : type(); peek().is(")")) {
      advance();
      return cast_to(to, first, unary());
    }
    next_ = before;
  }
  return postfix();
}

code_node::pointer_type expression_parser::postfix() {
  auto const first = peek();
  auto result = primary();
  for (;;) {
    auto const by = peek();
    auto const wrap = [&](node::kind of) {
      auto outer = make(of, first);
      outer->text = by.text;
      outer->parts.push_back(std::move(result));
      advance();
      return outer;
    };
    if (by.is("[")) {
      auto outer = wrap(kind::index);
      outer->parts.push_back(assignment());
      want("]");
      result = finished(std::move(outer));
    } else if (by.is("(")) {
      auto outer = wrap(kind::call);
      list(*outer, ")");
      result = finished(std::move(outer));
    } else if (by.is(".") || by.is("->")) {
      if (by.is("->")) {
        auto target = make(kind::unary, first);
        target->text = "*";
        target->parts.push_back(std::move(result));
        result = finished(std::move(target));
      }
      auto outer = wrap(kind::member);
      if (!peek().is_word()) fail(peek(), "a member's name is expected");
      outer->text = advance().text;
      result = finished(std::move(outer));
    } else if (by.is("++") || by.is("--")) {
      result = finished(wrap(kind::postfix));
    } else {
      return result;
    }
  }
}

code_node::pointer_type expression_parser::primary() {
  auto const first = peek();
  if (first.type == code_token::kind::number) return number();
  if (take("(")) {
    auto result = assignment();
    if (!take(")")) fail(peek(), "an operator or ')' is expected");
    return result;
  }
  if (first.type == code_token::kind::text) {
    advance();
    return make(kind::number, first);
  }
  if (!first.is_word()) {
    fail(first, first.is("[") ? "a lambda is not read; write its expression where it is called"
                              : "an integer, a name, '-' or '(' is expected");
  }
  if (first.is("asm"))
    fail(first, "assembly is not read; write ldmatrix_x4(&s[row][col]), stmatrix_x4(…) or cp_async(&s[i], &in[i], 16)");
  advance();
  if (is_one_of(kCasts, first.text)) {
    want("<");
    auto const to = type();
    want(">");
    want("(");
    auto operand = assignment();
    want(")");
    return cast_to(to, first, std::move(operand));
  }
  if (first.is("sizeof")) {
    want("(");
    auto const of = type();
    want(")");
    auto result = finished(make(kind::number, first));
    result->value = of.is_pointer ? 8 : (of.type.bits + 7) / 8;
    result->of = *type_named("size_t");
    return result;
  }
  if (peek().is("(") && known_type(first.text)) {  // int(x)
    advance();
    auto operand = assignment();
    want(")");
    return cast_to({*known_type(first.text), first.text}, first, std::move(operand));
  }
  auto result = make(kind::name, first);
  result->text = first.text;
  return result;
}

code_node::pointer_type expression_parser::number() {
  auto const first = advance();
  auto result = make(kind::number, first);
  std::string digits;
  std::ranges::copy_if(first.text, std::back_inserter(digits), [](char c) { return c != '\''; });
  bool const hex = digits.starts_with("0x") || digits.starts_with("0X"), binary = digits.starts_with("0b");
  if (!hex && digits.find_first_of(".eEfF") != digits.npos) return result;  // a floating-point number
  bool const octal = !hex && !binary && digits.size() > 1 && digits.front() == '0';
  auto const* const begin = digits.data() + (hex || binary ? 2 : 0);
  auto const* const last = digits.data() + digits.size();
  std::int64_t value = 0;
  auto const [end, problem] = std::from_chars(begin, last, value, hex ? 16 : binary ? 2 : octal ? 8 : 10);
  bool const is_suffix =
      std::all_of(end, last, [](char c) { return std::string_view("uUlLzZ").find(c) != std::string_view::npos; });
  if (octal && end != last && *end >= '8' && *end <= '9') fail(first, "an integer that begins with 0 has digits from 0 to 7");
  if (problem == std::errc::invalid_argument || !is_suffix) fail(first, "an integer, a name, '-' or '(' is expected");
  if (problem != std::errc() || value > most_integer_) fail(first, fmt::format("integers go up to {}", most_integer_));
  result->value = value;
  std::string_view const suffix(end, last);
  bool const is_unsigned = suffix.find_first_of("uUzZ") != suffix.npos;
  constexpr std::int64_t kMostUnsigned = 0xffffffff;
  bool const is_of_int = value <= kMaxLayoutInteger || (value <= kMostUnsigned && (is_unsigned || hex || binary || octal));
  if (!is_of_int || suffix.find_first_of("lLzZ") != suffix.npos) result->of.bits = 64;
  result->of.is_unsigned = is_unsigned || (result->of.bits == 32 && value > kMaxLayoutInteger);
  return result;
}

std::vector<code_node::pointer_type> parse_lanes(std::string_view argument, std::string_view text) {
  class lanes : private expression_parser {
   public:
    using expression_parser::expression_parser;
    std::vector<pointer> parse() {
      std::vector<pointer> result;
      do {
        bool const inactive = peek().is("-") && (peek(1).is(",") || peek(1).type == code_token::kind::end);
        if (inactive) advance();
        result.push_back(inactive ? nullptr : conditional());
        if (!at_end() && !peek().is(",")) fail(peek(), "an operator, ',' or the end is expected");
      } while (take(","));
      return result;
    }
  };
  return lanes(argument, text).parse();
}

}  // namespace cornerturn
