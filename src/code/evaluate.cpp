#include <fmt/format.h>

#include <algorithm>

#include "block/sizes.hpp"
#include "code/arithmetic.hpp"
#include "code/thread.hpp"
#include "layout/layout.hpp"

namespace cornerturn {
namespace {

using kind = code_node::kind;
}  // namespace

std::int64_t code_thread::integer(code_node const& of) {
  auto const result = value(of);
  if (result.type == code_value::kind::unknown) fail_unknown(of, result);
  if (result.is_pointer()) fail(of, "an integer is expected");
  return result.number;
}

code_value code_thread::value(code_node const& each) {
  count_step(each);
  switch (each.type) {
    case kind::number:
      return each.value ? code_value::integer(*each.value, each.of) : code_value::unknown(each);
    case kind::name:
    case kind::index:
    case kind::member: {
      auto const target = target_of(each);
      if (target.variable) return *target.variable;
      return target.place ? load(each, *target.place) : target.value;
    }
    case kind::unary:
      return unary(each);
    case kind::postfix:
      return stepped(each);
    case kind::binary:
      return binary(each);
    case kind::conditional: {
      auto const condition = truth(*each.part(0));
      if (!condition.is_integer()) fail_unknown(*each.part(0), condition);
      return value(*each.part(condition.number ? 1 : 2));
    }
    case kind::assign:
      return assigned(each);
    case kind::call:
      return call(each);
    case kind::cast:
      return cast(each);
    default:
      return code_value::unknown(each);
  }
}

code_value code_thread::truth(code_node const& condition) {
  auto const result = value(condition);
  return result.is_integer() ? code_value::integer(result.number != 0) : result;
}

code_value code_thread::named(code_node const& each) {
  if (auto const* const known = find(each.text)) return *known;
  if (each.text == "lane" || each.text == "laneId" || each.text == "lane_id") return code_value::integer(number_ % kWarp);
  if (!memory_) return code_value::unknown(each);
  if (each.text == "warp" || each.text == "warpId" || each.text == "warp_id") return code_value::integer(number_ / kWarp);
  if (each.text == "tid") return code_value::integer(number_);
  if (each.text == "warpSize") return code_value::integer(kWarp);
  if (each.text == "true" || each.text == "false") return code_value::integer(each.text == "true");
  return code_value::unknown(each);
}

code_thread::assignable code_thread::member(code_node const& each) {
  auto const& of = *each.part(0);
  std::size_t const axis = each.text == "w" ? 3 : each.text == "z" ? 2 : each.text == "y" ? 1 : 0;
  bool const is_axis = each.text.size() == 1 && each.text[0] >= 'w' && each.text[0] <= 'z';
  if (of.type == kind::name && is_axis && axis < 3) {
    constexpr value_type kUnsigned{.is_unsigned = true};
    if (of.text == "threadIdx" && memory_) return {.value = code_value::integer(index_[axis], kUnsigned)};
    if (of.text == "blockDim") return {.value = code_value::integer(block_[axis], kUnsigned)};
    if (of.text == "blockIdx") return {.value = code_value::integer(0, kUnsigned)};
    if (of.text == "gridDim") return {.value = code_value::integer(1, kUnsigned)};
  }
  auto const inner = target_of(of);
  auto const held = inner.variable ? *inner.variable : inner.value;
  if (!inner.place && !held.is_pointer()) return {.value = code_value::unknown(of.type == kind::name ? of : each)};
  auto place = inner.place ? *inner.place : element(each, held);  // pointer->member
  if (place.of.structure) {
    auto const& members = place.of.structure->members;
    auto const found = std::ranges::find(members, each.text, &code_structure::member::name);
    if (found == members.end()) fail(each, fmt::format("an unknown member, '{}'", each.text));
    place.of = found->of;
    place.offset += found->offset;
    place.depth = code_value::kFlat;
    return found->is_array ? assignable{.value = place} : assignable{.place = place};
  }
  if (!is_axis || int(axis) >= place.of.components) fail(each, fmt::format("an unknown member, '{}'", each.text));
  place.of = {place.of.bits / place.of.components, 1, false};
  place.offset += std::int64_t(axis) * place.of.bits;
  return {.place = place};
}

/// An element of an array: a place, or a row of it, which is a value.
code_thread::assignable code_thread::placed(code_value const& element) const {
  bool const is_array = element.depth != code_value::kFlat && element.depth < array_of(element).extents.size();
  return is_array ? assignable{.value = element} : assignable{.place = element};
}

code_thread::assignable code_thread::target_of(code_node const& each) {
  if (each.type == kind::name) {
    if (auto* const known = find(each.text)) {
      bool const is_scalar = known->is_pointer() && known->depth == 0 && array_of(*known).extents.empty();
      if (is_scalar) return {.place = *known};  // __shared__ float x
      return {.variable = known};
    }
    return {.value = named(each)};
  }
  if (each.type == kind::member) return member(each);
  if (each.type == kind::index) {
    auto const base = value(*each.part(0));
    if (base.type == code_value::kind::unknown) {
      integer(*each.part(1));
      if (base.why && base.why->type == kind::name)
        fail(*base.why,
             fmt::format("an unknown array; declare it before, e.g. __shared__ float {0}[32][32] or float* {0}", base.why->text));
      return {.value = base};
    }
    if (!base.is_pointer()) fail(*each.part(0), "an integer, which has no elements");
    return placed(element(each, base));
  }
  if (each.type == kind::unary && each.text == "*") {
    auto const pointer = value(*each.part(0));
    if (!pointer.is_pointer()) return {.value = pointer};
    return placed(element(each, pointer));
  }
  if (each.type == kind::call) {
    if (each.part(0)->type == kind::name)
      if (auto const* const known = find(each.part(0)->text); known && known->is_pointer())
        return {.place = coordinate(each, *known)};
    return {.value = call(each)};
  }
  return {.value = value(each)};
}

void code_thread::move(code_node const& each, code_value& place, std::int64_t count, std::int64_t bits) const {
  constexpr std::int64_t kMostBits = std::int64_t(1) << 46;  // so that arrays in global memory stay apart
  std::int64_t by = 0;
  if (__builtin_mul_overflow(count, bits, &by) || __builtin_add_overflow(place.offset, by, &place.offset) ||
      place.offset < -kMostBits || place.offset > kMostBits)
    fail(each, fmt::format("it is more than 8 TiB from the beginning of {}, in {}", array_of(place).name, who()));
}

/// The element of `base` that an index or * names.
code_value code_thread::element(code_node const& each, code_value const& base) {
  auto const& array = array_of(base);
  bool const is_index = each.type == kind::index;
  auto const index = is_index ? integer(*each.part(1)) : 0;
  auto result = base;
  if (base.depth == code_value::kFlat) {
    move(each, result, index, base.of.bits);
    return result;
  }
  if (array.has_notation) fail(each, fmt::format("an element of a tensor is {}(i, j)", array.name));
  if (base.depth >= array.extents.size()) fail(each, fmt::format("{} has {} indices", array.name, array.extents.size()));
  auto const extent = array.extents[base.depth];
  if (!array.in_registers && (index < 0 || (extent > 0 && index >= extent)))
    fail(is_index ? *each.part(1) : each,
         fmt::format("index {} is outside of the {} of {}, in {}", index,
                     extent > 0 ? fmt::format("extent {}", extent) : "elements", array.name, who()));
  std::int64_t stride = 1;
  for (auto k = base.depth + 1; k < array.extents.size(); ++k) stride *= array.extents[k];
  move(each, result, index, stride * array.of.bits);
  ++result.depth;
  return result;
}

/// The element of a tensor at coordinates, s(i, j).
code_value code_thread::coordinate(code_node const& each, code_value const& tensor) {
  auto const& array = array_of(tensor);
  if (!array.has_notation) fail(each, fmt::format("{} is no tensor; its elements are {}[i]", array.name, array.name));
  std::vector<std::int64_t> at;
  for (std::size_t i = 1; i < each.parts.size(); ++i) at.push_back(integer(*each.part(i)));
  auto extents = array.extents;
  if (at.size() == 1 && extents.size() > 1) extents = {array.layout->size()};  // a linear coordinate
  if (at.size() != extents.size()) fail(each, fmt::format("{} has {} modes", array.name, extents.size()));
  std::int64_t linear = 0, scale = 1;
  for (std::size_t k = 0; k < at.size(); ++k) {
    if (at[k] < 0 || at[k] >= extents[k])
      fail(*each.part(k + 1),
           fmt::format("coordinate {} is outside of the extent {} of {}, in {}", at[k], extents[k], array.name, who()));
    linear += at[k] * scale;
    scale *= extents[k];
  }
  auto result = tensor;
  result.offset = (*array.layout)(linear)*array.of.bits;
  result.depth = array.extents.size();
  return result;
}

code_value code_thread::unary(code_node const& each) {
  auto const& of = *each.part(0);
  if (each.text == "++" || each.text == "--") return stepped(each);
  if (each.text == "*") {
    auto const target = target_of(each);
    return target.place ? load(each, *target.place) : target.value;
  }
  if (each.text == "&") {
    auto const target = target_of(of);
    auto result = target.place ? *target.place : target.variable ? *target.variable : target.value;
    if (!result.is_pointer()) return code_value::unknown(each);
    result.depth = code_value::kFlat;
    return result;
  }
  auto result = value(of);
  if (!result.is_integer()) return code_value::unknown(result.why ? *result.why : each);
  if (each.text == "!") return code_value::integer(!result.number);
  result.of = promoted(result.of);
  if (each.text == "-") result.number = converted(-result.number, result.of);
  if (each.text == "~") result.number = converted(~result.number, result.of);
  return result;
}

code_value code_thread::computed_of(code_node const& each, std::string_view by, code_value const& left, code_value const& right) {
  if (left.is_pointer() && right.is_integer() && (by == "+" || by == "-")) {
    auto result = left;
    auto const& extents = array_of(left).extents;
    std::int64_t stride = 1;
    if (left.depth != code_value::kFlat)
      for (auto k = left.depth + 1; k < extents.size(); ++k) stride *= extents[k];
    move(each, result, by == "+" ? right.number : -right.number, stride * left.of.bits);
    bool const is_of_rows = left.depth != code_value::kFlat && left.depth + 1 < extents.size();
    if (!is_of_rows) result.depth = code_value::kFlat;
    return result;
  }
  if (right.is_pointer() && left.is_integer() && by == "+") return computed_of(each, by, right, left);
  if (!left.is_integer()) return code_value::unknown(left.why ? *left.why : each);
  if (!right.is_integer()) return code_value::unknown(right.why ? *right.why : each);
  auto const type = common_type(by, left.of, right.of);
  bool const shifts = by == "<<" || by == ">>";
  auto const result = compute(by, converted(left.number, type), shifts ? right.number : converted(right.number, type), type,
                              memory_ ? kMostCodeInteger : kMaxLayoutInteger);
  if (!result.problem.empty()) fail(each, fmt::format("{}, in {}", result.problem, who()));
  return code_value::integer(result.value, is_comparison(by) ? value_type() : type);
}

code_value code_thread::binary(code_node const& each) {
  if (each.text != "&&" && each.text != "||") {
    auto const left = value(*each.part(0));
    return computed_of(each, each.text, left, value(*each.part(1)));
  }
  auto const left = truth(*each.part(0));
  if (left.is_integer() && (left.number != 0) == (each.text == "||")) return left;
  auto const right = truth(*each.part(1));
  return left.is_integer() ? right : left;
}

code_value code_thread::assigned(code_node const& each) {
  auto const& to = *each.part(0);
  auto right = value(*each.part(1));
  auto const target = target_of(to);
  if (target.place) {
    if (!each.text.empty()) load(to, *target.place);
    access(to, *target.place, true);
    return code_value::unknown(each);
  }
  if (!each.text.empty()) right = computed_of(each, each.text, target.variable ? *target.variable : target.value, right);
  if (target.variable)
    *target.variable = right = as_type(target.variable->of, right, each);
  else if (to.type == kind::name)
    set(to.text, right);
  return right;
}

/// ++x, x++, --x and x--.
code_value code_thread::stepped(code_node const& each) {
  auto const target = target_of(*each.part(0));
  if (target.place) {
    auto const result = load(*each.part(0), *target.place);
    access(*each.part(0), *target.place, true);
    return result;
  }
  auto const before = target.variable ? *target.variable : target.value;
  auto const after = as_type(before.of, computed_of(each, each.text.substr(0, 1), before, code_value::integer(1)), each);
  if (target.variable) *target.variable = after;
  return each.type == kind::postfix ? before : after;
}

code_value code_thread::cast(code_node const& each) {
  auto result = value(*each.part(0));
  if (!result.is_pointer()) {
    if (each.to_pointer) return code_value::unknown(result.why ? *result.why : each);
    return as_type(each.of, result, each);
  }
  if (!each.to_pointer && !each.of.integer) fail(each, "an address is cast to a type that is no pointer; '*' is missing");
  // an address as an integer counts bytes
  result.of = each.to_pointer ? each.of : value_type{8, 1, true};
  result.depth = code_value::kFlat;
  return result;
}

}  // namespace cornerturn
