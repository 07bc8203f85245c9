#include "code/thread.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "code/arithmetic.hpp"
#include "code/place.hpp"

namespace cornerturn {
namespace {

using kind = code_node::kind;

constexpr std::int64_t kMostThreadSteps = 1 << 21;  // of a thread

bool equal_without_case(std::string_view a, std::string_view b) {
  auto const lower = [](char c) { return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c; };
  return std::ranges::equal(a, b, {}, lower, lower);
}

bool declares(code_node const& each) {
  return each.type == kind::variable || each.type == kind::array || each.type == kind::pointer;
}

}  // namespace

code_thread::code_thread(program const& code, code_memory* memory, std::array<int, 3> const& block, int number)
    : code_(code),
      memory_(memory),
      block_(block),
      index_{number % block[0], number / block[0] % block[1], number / block[0] / block[1]},
      number_(number) {}

std::string code_thread::who() const {
  if (!memory_) return fmt::format("lane {}", number_);
  return fmt::format("thread ({}, {}, {})", index_[0], index_[1], index_[2]);
}

void code_thread::fail(code_node const& at, std::string const& problem) const {
  refuse_at(code_.argument, code_.code, at.begin, problem);
}

void code_thread::fail_unknown(code_node const& at, code_value const& value) const {
  auto const& why = value.why ? *value.why : at;
  auto const text =
      why.type == kind::variable ? std::string(why.text) : on_one_line(code_.code.substr(why.begin, why.end - why.begin));
  if (why.type == kind::name && !memory_)
    fail(why, text.starts_with("threadIdx") || text == "tid" ? "a thread's index in its warp is called 'lane'"
                                                             : "an integer, 'lane', '-' or '(' is expected");
  for (std::string_view const index : {"threadIdx", "blockIdx", "blockDim", "gridDim"})
    if (why.type == kind::name && equal_without_case(text, index))
      fail(why, fmt::format("it is called {0}, and has the members x, y and z", index));
  if (why.type == kind::name || why.type == kind::variable)
    fail(why, fmt::format("the value of '{0}' is not known; define it before, e.g. int {0} = 1024", text));
  fail(at, fmt::format("it depends on '{}', whose value is not known; write an expression of threadIdx in its place", text));
}

void code_thread::count_step(code_node const& at) {
  if (++steps_ > kMostThreadSteps)
    fail(at, fmt::format("a thread does more than {} steps until here; shorten a loop", kMostThreadSteps));
}

std::optional<std::vector<std::int64_t>> code_thread::run(bool until_dim3) {
  until_dim3_ = until_dim3;
  statements(*code_.statements);
  return dim3_;
}

code_thread::flow code_thread::statements(code_node const& of) {
  auto const outside = variables_.size();
  auto result = flow::next;
  for (std::size_t i = 0; i < of.parts.size() && result == flow::next; ++i) result = statement(*of.parts[i]);
  // the variables of the outermost block are global, and those that the only statement of a block assigns belong to the one
  // around
  bool const keeps = &of == code_.statements.get() || (of.parts.size() == 1 && !declares(*of.parts.front()));
  if (!keeps) variables_.resize(std::min(outside, variables_.size()));
  return result;
}

code_thread::flow code_thread::statement(code_node const& each) {
  count_step(each);
  switch (each.type) {
    case kind::block:
      return statements(each);
    case kind::loop:
      return loop(each);
    case kind::branch: {
      auto const* const chosen = integer(*each.part(0)) ? each.part(1) : each.part(2);
      return chosen ? statement(*chosen) : flow::next;
    }
    case kind::leave:
      if (each.part(0)) value(*each.part(0));
      return each.text == "return" ? flow::stop : each.text == "break" ? flow::leave_loop : flow::next_iteration;
    case kind::dim3:
      if (!until_dim3_) return flow::next;
      shape_ = &each;
      dim3_.emplace();
      for (auto const& extent : each.parts) dim3_->push_back(integer(*extent));
      return flow::stop;
    case kind::variable:
    case kind::array:
      define(each);
      return flow::next;
    case kind::pointer:
      point(each);
      return flow::next;
    default:
      value(each);
      return flow::next;
  }
}

code_thread::flow code_thread::loop(code_node const& each) {
  auto const outside = variables_.size();
  if (each.part(0))
    for (auto const& part : each.part(0)->parts) statement(*part);
  iterations_.push_back(0);
  auto result = flow::next;
  for (;; ++iterations_.back()) {
    count_step(each);
    bool const is_first_of_do = each.text == "do" && iterations_.back() == 0;
    if (each.part(1) && !is_first_of_do && !integer(*each.part(1))) break;
    auto const after = statement(*each.part(3));
    if (after == flow::stop) result = after;
    if (after == flow::stop || after == flow::leave_loop) break;
    if (each.part(2))
      for (auto const& part : each.part(2)->parts) value(*part);
  }
  iterations_.pop_back();
  variables_.resize(std::min(outside, variables_.size()));
  return result;
}

void code_thread::define(code_node const& each) {
  if (each.type == kind::variable) {
    if (each.is_parameter && find(each.text)) return;  // its value is given before the kernel
    if (each.is_reference && each.part(0) && target_of(*each.part(0)).place)
      fail(each, fmt::format("a reference to memory is not read; write what '{}' refers to in its place", each.text));
    auto const result = each.part(0) ? value(*each.part(0)) : code_value::unknown(each);
    bool const is_deduced = each.type_text.empty() || each.type_text == "auto";
    variables_.emplace_back(each.text, is_deduced && each.part(0) ? result : as_type(each.of, result, each));
    return;
  }
  std::vector<std::int64_t> extents;
  for (auto const& part : each.parts) {
    extents.push_back(part ? integer(*part) : 0);
    if (part && extents.back() < 1) fail(*part, fmt::format("an extent of {}; it must be 1 or more", extents.back()));
  }
  code_value result{.type = code_value::kind::pointer, .array = memory_->declare(each, std::move(extents)), .of = each.of};
  result.depth = 0;
  variables_.emplace_back(each.text, result);
}

code_value code_thread::as_type(value_type const& type, code_value value, code_node const& at) {
  if (value.is_pointer()) return value;
  if (value.is_integer() && !type.integer) value = code_value::unknown(at);
  if (value.is_integer()) value.number = converted(value.number, type);
  value.of = type;
  return value;
}

void code_thread::point(code_node const& each) {
  if (each.is_parameter && find(each.text)) return;
  code_value result;
  if (each.part(0)) {
    result = value(*each.part(0));
    if (result.is_pointer()) result.of = each.of, result.depth = code_value::kFlat;
  } else {
    result = {.type = code_value::kind::pointer, .array = memory_->declare(each, {}), .of = each.of};
  }
  variables_.emplace_back(each.text, result);
}

code_value* code_thread::find(std::string_view name) {
  for (auto each = variables_.rbegin(); each != variables_.rend(); ++each)
    if (each->first == name) return &each->second;
  return nullptr;
}

void code_thread::set(std::string_view name, code_value value) {
  if (auto* const known = find(name))
    *known = value;
  else
    variables_.emplace_back(name, value);
}

std::uint64_t code_thread::address(code_node const& each, code_value const& place) const {
  if (place.offset < 0) {
    fail(each, fmt::format("it is before the beginning of {}, in {}", array_of(place).name, who()));
  }
  return array_of(place).base + std::uint64_t(place.offset / 8);
}

void code_thread::access(code_node const& each, code_value const& place, bool store, bool matrix_row) {
  auto const& array = array_of(place);
  if (array.in_registers || until_dim3_) return;
  int const bytes = std::max(1, place.of.bits / 8);
  if (place.of.structure)
    fail(each, fmt::format("a structure is moved by several accesses; write them, e.g. {}[i].{}", array.name,
                           place.of.structure->members.front().name));
  if (place.of.components == 3)
    fail(each, fmt::format("3 components are moved by several accesses; write them, e.g. {}[i].x", array.name));
  memory_->add({.node = &each,
                .array = place.array,
                .store = store,
                .address = address(each, place),
                .bytes = bytes,
                .matrix_row = matrix_row},
               number_, iterations_);
}

code_value code_thread::load(code_node const& each, code_value const& place) {
  access(each, place, false);
  return code_value::unknown(each);
}

}  // namespace cornerturn
