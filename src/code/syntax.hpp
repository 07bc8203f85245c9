#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "code/types.hpp"

namespace cornerturn {

inline constexpr std::int64_t kUnknownAlign = -1;                        ///< alignas of something else than a number
inline constexpr std::int64_t kMostCodeInteger = std::int64_t(1) << 48;  ///< of the statements of a code

/// A part of an expression or a statement.
struct code_node {
  enum class kind {
    // expressions
    number,       ///< `value`; without a value, a number that is not an integer
    name,         ///< `text`
    member,       ///< a member, `text`, of a
    unary,        ///< the operator `text` on a: - + ~ ! * & ++ --
    postfix,      ///< a, then ++ or --
    binary,       ///< a, the operator `text`, b
    conditional,  ///< a ? b : c
    assign,       ///< a = b, or a += b and so on: `text` is the operator before '='; empty for '='
    index,        ///< a[b]
    call,         ///< the function or tensor a, then its arguments
    cast,         ///< a as `type`, or as a pointer to it
    // statements
    block,     ///< statements
    variable,  ///< the variable `text`; its value follows if there is one
    array,     ///< the array `text` of `type`; its extents follow, and a layout is in `layout`
    pointer,   ///< the pointer `text` to `type`; its value follows if there is one
    dim3,      ///< the shape of a block; its extents follow
    loop,      ///< for (a; b; c) d; an empty part is null; with the `text` "do", b follows d
    branch,    ///< if (a) b else c; c may be null
    leave,     ///< `text`: return, break or continue
  };
  using pointer_type = std::unique_ptr<code_node>;

  kind type;
  std::size_t begin = 0, end = 0;  ///< position in the code
  std::string_view text = {};
  std::vector<pointer_type> parts = {};
  int depth = 1;  ///< of the tree
  std::optional<std::int64_t> value = {};
  value_type of = {};
  std::string_view type_text = {};  ///< of a declaration: the type as written
  bool to_pointer = false;          ///< a cast to a pointer
  bool is_shared = false;           ///< an array that is declared __shared__
  bool is_global = false;           ///< an array that is declared __device__
  bool is_reference = false;        ///< a variable through which another one can be changed
  bool is_parameter = false;        ///< a variable that is a parameter of a kernel
  std::int64_t align = 0;           ///< of the memory that a pointer points to, in bytes; 0: not given; or kUnknownAlign
  std::string_view layout = {};     ///< of an array, in the notation of CuTe or Triton
  std::size_t layout_at = 0;

  code_node const* part(std::size_t i) const { return i < parts.size() ? parts[i].get() : nullptr; }
};

/// A code that is parsed.
struct program {
  std::string_view argument;  ///< its name in messages
  std::string_view code;      ///< the parsed text, which nodes refer to
  code_node::pointer_type statements;
  bool has_dim3 = false;                      ///< the code gives the shape of a block
  bool has_shared = false;                    ///< an array is declared __shared__, so that other arrays are in registers
  std::list<code_structure> structures = {};  ///< which the types of nodes refer to
};

/// Parses statements of CUDA C++: declarations, definitions of variables, loops, branches, assignments and accesses, or a whole
/// kernel. Throws `error` with the place of the character.
program parse_code(std::string_view argument, std::string_view code);

/// Parses expressions with commas between them, each of which stands for a lane. "-" alone is null: the lane is inactive.
std::vector<code_node::pointer_type> parse_lanes(std::string_view argument, std::string_view text);

}  // namespace cornerturn
