#include "cornerturn/formats.hpp"

#include <algorithm>
#include <mutex>
#include <utility>

#include "base/fork_safe_mutex.hpp"
#include "base/fork_safe_static.hpp"
#include "base/refuse.hpp"
#include "cornerturn/text.hpp"
#include "pattern/grammar.hpp"
#include "pattern/known_formats.hpp"
#include "pattern/swizzle.hpp"

namespace cornerturn {
namespace {

/// The formats that `register_format` added.
struct registered_formats {
  fork_safe_mutex mutex;
  std::vector<known_format> formats;
};

registered_formats& added_formats() {
  static constinit fork_safe_static<registered_formats> instance;
  return instance.get([] { return registered_formats(); });
}

/// Null if no format has this name. Expects that the mutex of `added_formats` is held.
known_format const* find_held(std::string_view name) {
  for (auto const* const formats : {&known_formats(), &std::as_const(added_formats().formats)})
    for (auto const& each : *formats)
      if (each.format.name == name) return &each;
  return nullptr;
}

known_format find_format(std::string_view name) {
  {
    std::lock_guard const lock(added_formats().mutex);
    if (auto const* const found = find_held(name)) return *found;
  }
  refuse("name", quoted(name), "the name of a format" + did_you_mean(name, format_names()));
}

/// The sides of a pattern in reverse.
std::string inverse(std::string_view pattern) {
  auto const arrow = pattern.find(kArrow);
  return fmt::format("{} -> {}", pattern.substr(arrow + kArrow.size()), pattern.substr(0, arrow));
}

format_call call_of(known_format const& known, index_list const& shape, std::int64_t element_bits,
                    std::span<axis_length const> given) {
  auto const& format = known.format;
  if (element_bits < 1) refuse("element_bits", element_bits, "1 or more");
  auto call = known.call_for ? known.call_for(shape) : format_call{format.pattern, {}, format.padded, format.bits};
  call.swizzle = format.swizzle;
  for (auto const& [name, length] : given) call.lengths.push_back({std::string(name), length});
  for (auto const& [name, value, in_bytes] : format.lengths) {
    if (std::ranges::find(given, name, &axis_length::name) != given.end()) continue;
    if (value == 0) refuse(name, "missing", fmt::format("the length of an axis of pattern {}", quoted(format.pattern)));
    if (in_bytes && value * 8 % element_bits != 0)
      refuse("the size of an element", fmt::format("{} bits", element_bits), fmt::format("a divisor of {} bytes", value));
    call.lengths.push_back({name, in_bytes ? value * 8 / element_bits : value});
  }
  return call;
}

}  // namespace

std::vector<axis_length> format_call::axis_lengths() const {
  std::vector<axis_length> result;
  for (auto const& [name, value] : lengths) result.push_back({name, value});
  return result;
}

std::vector<std::string> format_names() {
  std::vector<std::string> names;
  for (auto const& each : known_formats()) names.push_back(each.format.name);
  std::lock_guard const lock(added_formats().mutex);
  for (auto const& each : added_formats().formats) names.push_back(each.format.name);
  return names;
}

layout_format format_of(std::string_view name) { return find_format(name).format; }

void register_format(layout_format format) {
  if (format.name.empty()) refuse("name", "empty", "a text");
  for (auto const& [name, value, in_bytes] : format.lengths) {
    if (value < 0) refuse(name, value, "0 or more");
    if (!has_axis(format.pattern, name))
      refuse(name, "given", fmt::format("the name of an axis of pattern {}", quoted(format.pattern)));
  }
  expect_pattern(format.pattern);
  expect_pattern(inverse(format.pattern));
  if (format.bits != 8 && format.bits != 4 && format.bits != 2 && format.bits != 1) refuse("bits", format.bits, "8, 4, 2 or 1");
  if (!format.swizzle.empty()) {
    expect_swizzle("swizzle", format.swizzle);
    if (std::ranges::none_of(read_sides(format.pattern).right, &parsed_pattern::axis::in_tile))
      refuse_without_tile("swizzle", "right", format.pattern);
  }
  std::lock_guard const lock(added_formats().mutex);
  if (find_held(format.name)) refuse("name", quoted(format.name), "a name that no format has");
  added_formats().formats.push_back({std::move(format)});
}

format_call packing(std::string_view name, index_list shape, std::int64_t element_bits, std::span<axis_length const> given) {
  return call_of(find_format(name), shape, element_bits, given);
}

format_call unpacking(std::string_view name, index_list shape, std::int64_t element_bits, std::span<axis_length const> given) {
  auto call = packing(name, shape, element_bits, given);
  call.pattern = inverse(call.pattern);
  call.padded = false;
  std::swap(call.swizzle, call.source_swizzle);
  return call;
}

}  // namespace cornerturn
