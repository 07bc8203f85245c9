#include "layout/notation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstdlib>
#include <optional>
#include <utility>

#include "base/printable.hpp"
#include "base/refuse.hpp"
#include "base/utf8.hpp"
#include "cornerturn/text.hpp"
#include "layout/refuse_text.hpp"

namespace cornerturn {
namespace {

using place = layout_problem::place;

constexpr std::string_view kArguments = ", as a swizzle has bits, base and shift";

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

/// A part of a text that fits on one line and contains position `at`.
std::string excerpt(std::string_view text, std::size_t at) {
  constexpr std::size_t kLongest = 120;
  if (text.size() <= kLongest) return printable(text, kLongest);
  auto const first = std::min(at - std::min(at, kLongest / 2), text.size() - kLongest);
  return (first > 0 ? "..." : "") + printable(text.substr(first), kLongest);
}

struct token {
  enum class kind { end, integer, word, symbol };
  kind type = kind::end;
  std::string_view text;
  std::size_t at = 0;
  bool operator==(char symbol) const { return type == kind::symbol && text[0] == symbol; }
  bool is_word(std::string_view word) const { return type == kind::word && text == word; }
};

/// The tokens of a stage that error messages refer to.
struct stage_places {
  std::array<token, 5> tokens;
  token& operator[](place at) { return tokens[std::size_t(at)]; }
};

class notation_parser {
 public:
  notation_parser(std::string_view argument, std::string_view text, bool pointers, int element_size)
      : argument_(argument), text_(text), pointers_(pointers), element_size_(element_size) {
    advance();
  }

  /// The element size, known after `parse`; 0 if neither the caller nor a pointer gave it.
  int element_size() const { return element_size_; }

  layout_expression parse() {
    if (is_pointer("")) pointer();
    do {
      while (!leading_ && is_swizzle()) swizzle();
      layout();
    } while (take_o());
    if (token_ == ')') fail(token_, "a ')' without its '('");
    if (token_.type != token::kind::end) expected(has_stride_ ? "'o' or the end" : "':', 'o' or the end");

    return checked();
  }

  swizzle_bits parse_swizzle() {
    if (!is_swizzle()) expected("a swizzle");
    stage_places places;
    auto const bits = swizzle_arguments(places);
    if (token_.type != token::kind::end) expected("the end");
    add(places, swizzle_stage{bits});
    add(places, strided_layout{{{1}, {}}, {}});  // the only element
    checked();
    return bits;
  }

 private:
  // CuTe's layouts nest three or four deep; the limit protects the stack from a hostile text.
  static constexpr int kMaxDepth = 16;

  layout_expression checked() {
    if (auto const problem = find_problem(stages_)) fail(places_[problem->stage][problem->at], problem->text);
    return layout_expression(std::move(stages_));
  }

  [[noreturn]] void fail(token const& t, std::string_view problem) const {
    std::string const where =
        t.type == token::kind::end ? "its end" : fmt::format("character {}, '{}'", t.at + 1, printable(t.text, 20));
    refuse_text(argument_, excerpt(text_, t.at), where, problem);
  }

  [[noreturn]] void expected(std::string_view what, std::string_view why = "") const {
    if (token_.type == token::kind::word && !is_known()) {
      bool const is_array = pointers_ && text_.find('[') != text_.npos;
      fail(token_, fmt::format("an unknown word; Swizzle, Sw, S, Int, C, Layout, Shape, Stride, composition{} and o are known{}",
                               pointers_ ? ", ptr, gmem_ptr, smem_ptr" : "",
                               is_array ? "; the C array float t[32][33] is (32,33):(33,1)" : ""));
    }
    fail(token_, fmt::format("{} is expected{}", what, why));
  }

  void advance() {
    while (at_ < text_.size() && std::string_view(" \t\n\r\f\v").find(text_[at_]) != std::string_view::npos) ++at_;
    auto const is = [&](std::size_t at, auto const& wanted) { return at < text_.size() && wanted(text_[at]); };
    std::size_t end = at_;
    token::kind type = token::kind::end;
    if (end < text_.size()) {
      std::size_t const sign = end + (text_[end] == '_'), digits = sign + is(sign, [](char c) { return c == '-'; });
      if (is(digits, is_digit)) {
        type = token::kind::integer;
        for (end = digits; is(end, is_digit);) ++end;
      } else if (is_letter(text_[end])) {
        type = token::kind::word;
        while (is(end, is_letter) || is(end, is_digit)) ++end;
      } else {
        type = token::kind::symbol;
        while (is(++end, is_continuation)) continue;
      }
    }
    token_ = {type, text_.substr(at_, end - at_), at_};
    at_ = end;
  }

  bool take_if(bool found) {
    if (found) advance();
    return found;
  }
  bool take(char symbol) { return take_if(token_ == symbol); }
  bool take_o() { return take_if(token_.is_word("o")); }
  void want(char symbol, std::string_view why = "") {
    if (!take(symbol)) expected(fmt::format("'{}'", symbol), why);
  }

  void want_word(std::string_view word) {
    if (!take_if(token_.is_word(word))) fail(token_, fmt::format("'{}' is expected", word));
  }

  bool is_pointer(std::string_view before) const {
    if (!pointers_ || token_.type != token::kind::word || !token_.text.starts_with(before)) return false;
    auto const name = token_.text.substr(before.size());
    return name == "ptr" || name == "smem_ptr" || name == "gmem_ptr";
  }
  bool is_swizzle() const { return token_.is_word("Swizzle") || token_.is_word("Sw") || token_.is_word("S"); }
  bool is_known() const {
    constexpr std::array<std::string_view, 5> kOthers = {"Layout", "Shape", "Stride", "composition", "o"};
    return is_swizzle() || is_integer() || std::ranges::count(kOthers, token_.text) > 0;
  }
  bool is_integer() const { return token_.type == token::kind::integer || token_.is_word("Int") || token_.is_word("C"); }

  std::int64_t number(bool underscore) {
    std::string_view text = token_.text;
    if (token_.type != token::kind::integer || (text[0] == '_' && !underscore)) expected("an integer");
    if (text[0] == '_') text.remove_prefix(1);
    std::int64_t value = 0;
    auto const [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (problem != std::errc() || value < -kMaxLayoutInteger || value > kMaxLayoutInteger) {
      fail(token_, fmt::format("integers go from -{0} to {0}", kMaxLayoutInteger));
    }
    advance();
    return value;
  }

  /// Parses 64, _64, Int<64> or C<64>; {} may follow a static integer, as in C++.
  layout_integer integer(std::string_view what) {
    if (!is_integer()) expected(what);
    layout_integer result;
    if (token_.type == token::kind::integer) {
      result.fixed = token_.text[0] == '_';
      result.value = number(true);
    } else {
      result.fixed = true;
      advance();
      want('<');
      result.value = number(false);
      want('>');
    }
    if (token_ == '@') fail(token_, "a scaled basis makes coordinates, not offsets; strides must be integers");
    if (result.fixed && take('{')) want('}');
    return result;
  }

  /// Parses Swizzle<3,2,6>, {} may follow.
  swizzle_bits swizzle_arguments(stage_places& places) {
    places.tokens.fill(token_);
    swizzle_bits bits;
    advance();
    want('<');
    auto const argument = [&](place at) {
      places[at] = token_;
      return int(number(false));
    };
    bits.bits = argument(place::bits);
    want(',', kArguments);
    bits.base = argument(place::base);
    // CuTe's default shift is the number of bits.
    bits.shift = bits.bits;
    places[place::shift] = places[place::bits];
    if (!(token_ == '>')) {
      want(',', kArguments);
      bits.shift = argument(place::shift);
    }
    want('>', kArguments);
    if (take('{')) want('}');
    return bits;
  }

  /// Parses a swizzle and its 'o', and an offset with its 'o' if there is one.
  void swizzle() {
    stage_places places;
    swizzle_bits const bits = swizzle_arguments(places);
    if (is_pointer("_")) {
      auto const address = pointer();
      auto const in_pattern = address & ((std::uint64_t(1) << pattern_bits(bits)) - 1);
      add_swizzle_of_bytes(bits, places, in_pattern);
      return;
    }
    if (!take_o()) expected("'o' and then a layout");
    if (is_pointer("") && token_.text == "smem_ptr") {
      pointer();
      add_swizzle_of_bytes(bits, places, 0);
    } else {
      add(places, swizzle_stage{bits});
    }

    if (!is_integer()) return;
    token const first = token_;
    layout_integer const leading = integer("");
    if (take_o())
      std::get<swizzle_stage>(stages_.back()).offset = leading;
    else
      leading_ = {first, leading};
  }

  /// The number of low address bits that a swizzle reads, at most 30 if the swizzle is not valid.
  static int pattern_bits(swizzle_bits const& of) {
    return int(std::clamp(std::int64_t(of.base) + of.bits + std::abs(std::int64_t(of.shift)), std::int64_t(0), std::int64_t(30)));
  }

  /// Adds the swizzle of a pointer to `address`, converted from bytes to elements.
  void add_swizzle_of_bytes(swizzle_bits bits, stage_places& places, std::uint64_t address) {
    int const within = std::countr_zero(unsigned(element_size_));
    if (bits.base < within)
      fail(places[place::base], fmt::format("it must be {} or more, as an element has {} bytes", within, element_size_));
    bits.base -= within;
    add(places, swizzle_stage{bits, {std::int64_t(address >> within), address == 0}});
  }

  /// Parses a pointer such as smem_ptr[16b](0x400) or smem_ptr[16b](unset), and its 'o'. Returns the address; unset, it is 0.
  std::uint64_t pointer() {
    token const first = token_;
    advance();
    want('[');
    auto const bits = number(false);
    if (bits < 8 || bits > 128 || !std::has_single_bit(std::uint64_t(bits)))
      fail(first, fmt::format("it points to elements of {} bits, and elements have 8, 16, 32, 64 or 128", bits));
    if (element_size_ && bits != 8 * element_size_)
      refuse("element", element_size_, fmt::format("{}, as '{}' points to elements of {} bits", bits / 8, first.text, bits));
    element_size_ = int(bits / 8);
    want_word("b");
    want(']');
    want('(');
    auto const at = token_;
    auto const value = address();
    if (value % std::uint64_t(element_size_))
      fail(at, fmt::format("it must be a multiple of {}", count_text(element_size_, "byte")));
    want(')');
    if (!take_o()) expected("'o' and then a layout");
    return value;
  }

  /// Parses "unset" or a number such as 0x7f00, which is two tokens.
  std::uint64_t address() {
    if (take_if(token_.is_word("unset"))) return 0;
    token const zero = token_;
    std::uint64_t value = 0;
    if (take_if(zero.type == token::kind::integer && zero.text == "0") && token_.at == zero.at + 1 &&
        token_.text.starts_with('x')) {
      auto const digits = token_.text.substr(1);
      auto const end = digits.data() + digits.size();
      if (auto const [read, problem] = std::from_chars(digits.data(), end, value, 16); problem == std::errc() && read == end) {
        advance();
        return value;
      }
    }
    fail(zero, "an address such as 0x400 or 'unset' is expected");
  }

  /// Parses composition(Swizzle<5,0,6>{}, Layout<...>{}), as written in code for CuTe.
  void composition() {
    advance();
    want('(');
    if (!is_swizzle()) expected("a swizzle");
    stage_places places;
    swizzle_bits const bits = swizzle_arguments(places);
    add(places, swizzle_stage{bits});
    want(',');
    layout();
    want(')');
  }

  /// Parses Layout<Shape<_64,_64>, Stride<_64,_1>>{}, as written in code for CuTe.
  void layout_type() {
    stage_places places;
    places.tokens.fill(token_);
    advance();
    want('<');
    add_layout(places, shape_at(0), ',');
    want('>');
    if (take('{')) want('}');
    has_stride_ = true;
  }

  void layout() {
    if (token_.is_word("composition")) return composition();
    if (token_.is_word("Layout")) return layout_type();
    stage_places places;
    int_tuple shape;
    if (leading_) {
      places.tokens.fill(leading_->first);
      shape.integer = extent(leading_->first, leading_->second);
      leading_.reset();
    } else {
      places.tokens.fill(token_);
      if (!is_integer() && !(token_ == '(') && !token_.is_word("Shape")) expected("a layout or a swizzle");
      shape = shape_at(0);
    }
    add_layout(places, std::move(shape), ':');
  }

  /// Adds a layout of this shape, whose stride follows `separator` or is compact.
  void add_layout(stage_places& places, int_tuple shape, char separator) {
    has_stride_ = take(separator);
    places[place::stride] = token_;
    int_tuple stride = has_stride_ ? stride_for(shape) : compact_stride(shape);
    add(places, strided_layout{std::move(shape), std::move(stride)});
  }

  void add(stage_places const& places, layout_stage stage) {
    places_.push_back(places);
    stages_.push_back(std::move(stage));
  }

  layout_integer extent(token const& at, layout_integer value) const {
    if (value.value < 1) fail(at, "an extent must be 1 or more");
    return value;
  }

  /// Takes the beginning of a list, '(' or the name of CuTe's type and '<'. Returns the end that the list needs; 0 for no list.
  char take_list(std::string_view type) {
    if (take('(')) return ')';
    if (!take_if(token_.is_word(type))) return 0;
    want('<');
    return '>';
  }

  int_tuple shape_at(int depth) {
    int_tuple result;
    token const first = token_;
    if (char const end = take_list("Shape")) {
      if (depth == kMaxDepth) fail(first, fmt::format("parentheses nest {} deep at most", kMaxDepth));
      do {
        result.items.push_back(shape_at(depth + 1));
      } while (take(','));
      if (!take(end)) expected(fmt::format("',' or '{}'", end));
    } else {
      result.integer = extent(first, integer("an extent or '('"));
    }
    return result;
  }

  int_tuple stride_for(int_tuple const& shape) {
    int_tuple result;
    if (!shape.is_list()) {
      if (token_ == '(' || token_.is_word("Stride")) fail(token_, "one stride is expected, as the shape has no list here");
      result.integer = integer("a stride");
      return result;
    }
    auto const count = shape.items.size();
    std::string const why = fmt::format(", as the shape has a list of {} here", count);
    char const end = take_list("Stride");
    if (!end) expected("'('", why);
    auto const comma_or_end = fmt::format("',' or '{}'", end);
    for (std::size_t i = 0; i < count; ++i) {
      if (i > 0 && token_ == end) expected("another stride", why);
      if (i > 0 && !take(',')) expected(comma_or_end);
      result.items.push_back(stride_for(shape.items[i]));
    }
    if (token_ == ',') expected(fmt::format("'{}'", end), why);
    if (!take(end)) expected(comma_or_end);
    return result;
  }

  std::string_view argument_, text_;
  bool pointers_;
  int element_size_;
  std::size_t at_ = 0;
  token token_;
  std::vector<layout_stage> stages_;
  std::vector<stage_places> places_;
  // an integer after a swizzle's 'o' that is the first extent of a layout, not an offset
  std::optional<std::pair<token, layout_integer>> leading_;
  bool has_stride_ = false;
};

void print(std::string& to, int_tuple const& tuple) {
  if (!tuple.is_list()) {
    to += fmt::format("{}{}", tuple.integer.fixed ? "_" : "", tuple.integer.value);
    return;
  }
  char before = '(';
  for (auto const& item : tuple.items) {
    to += std::exchange(before, ',');
    print(to, item);
  }
  to += ')';
}

void print(std::string& to, strided_layout const& layout) {
  print(to, layout.shape);
  to += ':';
  print(to, layout.stride);
}

void print(std::string& to, swizzle_stage const& stage) {
  auto const& [swizzle, offset] = stage;
  to += fmt::format("Sw<{},{},{}> o ", swizzle.bits, swizzle.base, swizzle.shift);
  print(to, int_tuple{offset, {}});
}

}  // namespace

layout_expression parse_layout(std::string_view argument, std::string_view text) {
  refuse_long(argument, text);
  return notation_parser(argument, text, false, 0).parse();
}

swizzle_bits parse_swizzle(std::string_view argument, std::string_view text) {
  refuse_long(argument, text);
  return notation_parser(argument, text, false, 0).parse_swizzle();
}

tile_layout parse_tile(std::string_view argument, std::string_view text, int element_size) {
  constexpr int kUsual = 4;
  refuse_long(argument, text);
  notation_parser of_text(argument, text, true, element_size);
  auto layout = of_text.parse();
  return {std::move(layout), of_text.element_size() ? of_text.element_size() : kUsual};
}

std::string to_string(layout_expression const& layout) {
  std::string result;
  for (auto const& stage : layout.stages()) {
    if (!result.empty()) result += " o ";
    std::visit([&](auto const& s) { print(result, s); }, stage);
  }
  return result;
}

}  // namespace cornerturn
