#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "code/memory.hpp"
#include "code/syntax.hpp"
#include "code/value.hpp"

namespace cornerturn {

/// Runs a code as one thread of a block.
class code_thread {
 public:
  /// `memory` collects the accesses; null: there is no memory, as in expressions of `lane`.
  code_thread(program const& code, code_memory* memory, std::array<int, 3> const& block, int number);

  /// Runs the statements. If `until_dim3`, it stops at the first shape of a block and returns its extents.
  std::optional<std::vector<std::int64_t>> run(bool until_dim3);

  /// The value of an expression, which must be an integer that does not depend on memory.
  std::int64_t integer(code_node const& of);

  std::int64_t steps() const { return steps_; }

  /// The shape of a block at which `run` stopped.
  code_node const& shape() const { return *shape_; }

 private:
  enum class flow { next, leave_loop, next_iteration, stop };

  /// What can be assigned to: a variable, a place in memory, or neither.
  struct assignable {
    code_value* variable = nullptr;
    std::optional<code_value> place = {};
    code_value value = {};  ///< if it is neither
  };

  [[noreturn]] void fail(code_node const& at, std::string const& problem) const;
  [[noreturn]] void fail_unknown(code_node const& at, code_value const& value) const;
  std::string who() const;
  void count_step(code_node const& at);

  flow statement(code_node const& each);
  flow statements(code_node const& of);
  flow loop(code_node const& each);
  void define(code_node const& each);
  void point(code_node const& each);
  code_value* find(std::string_view name);
  void set(std::string_view name, code_value value);
  /// A value that a variable of a type takes; `at` is why it is not known.
  static code_value as_type(value_type const& type, code_value value, code_node const& at);

  code_value value(code_node const& each);
  code_value truth(code_node const& condition);
  assignable target_of(code_node const& each);
  assignable member(code_node const& each);
  assignable placed(code_value const& element) const;
  code_value named(code_node const& each);
  code_value unary(code_node const& each);
  code_value binary(code_node const& each);
  code_value computed_of(code_node const& each, std::string_view by, code_value const& left, code_value const& right);
  code_value assigned(code_node const& each);
  code_value stepped(code_node const& each);
  code_value cast(code_node const& each);
  code_value call(code_node const& each);
  code_value element(code_node const& each, code_value const& base);
  /// Moves a place by `count` times `bits`.
  void move(code_node const& each, code_value& place, std::int64_t count, std::int64_t bits) const;
  code_value coordinate(code_node const& each, code_value const& tensor);
  void expect_no_access(code_node const& each, std::string_view name, std::vector<code_value> const& given) const;
  code_value matrices(code_node const& each, bool store);
  code_value copy(code_node const& each);
  code_value bulk(code_node const& each, bool is_box);
  void copy_box(code_memory::access row, code_node const& tile_at, code_value const& tile, code_node const& tensor_at,
                code_value const& tensor, std::vector<std::int64_t> const& coordinates);
  std::optional<code_value> array_named(std::string_view name) const;
  code_value load(code_node const& each, code_value const& place);
  void access(code_node const& each, code_value const& place, bool store, bool matrix_row = false);
  std::uint64_t address(code_node const& each, code_value const& place) const;
  code_array const& array_of(code_value const& place) const { return memory_->arrays()[place.array]; }

  program const& code_;
  code_memory* memory_;
  std::array<int, 3> block_, index_;
  int number_;
  std::vector<std::pair<std::string_view, code_value>> variables_;
  std::vector<int> iterations_;
  bool until_dim3_ = false;
  code_node const* shape_ = nullptr;
  std::optional<std::vector<std::int64_t>> dim3_;
  std::int64_t steps_ = 0;
};

}  // namespace cornerturn
