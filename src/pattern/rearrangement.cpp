#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <mutex>
#include <unordered_map>

#include "base/fork_safe_mutex.hpp"
#include "base/fork_safe_static.hpp"
#include "base/refuse.hpp"
#include "base/round.hpp"
#include "cornerturn/rearrange.hpp"
#include "pattern/grammar.hpp"

namespace cornerturn {
namespace {

constexpr std::int64_t kLargestExtent = std::numeric_limits<std::int64_t>::max();

/// The product of extents, at most `kLargestExtent`.
std::int64_t limited_product(std::int64_t a, std::int64_t b) {
  std::int64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? kLargestExtent : product;
}

[[noreturn]] void refuse_size() { refuse("the size of the result", "beyond 64 bits", "within 64 bits"); }

class lengths_by_name {
 public:
  explicit lengths_by_name(std::span<axis_length const> lengths) : lengths_(lengths) {
    for (auto const& [name, length] : lengths) {
      if (length < 0) refuse(name, length, "0 or more");
      if (std::ranges::count(lengths, name, &axis_length::name) > 1) refuse(name, "given twice", "given once");
    }
  }

  std::int64_t const* find(std::string_view name) const {
    auto const found = std::ranges::find(lengths_, name, &axis_length::name);
    return found == lengths_.end() ? nullptr : &found->length;
  }

 private:
  std::span<axis_length const> lengths_;
};

/// The arguments of a call, for messages.
struct bound_call {
  std::string_view pattern;
  lengths_by_name const& lengths;
  rearrange_limits const& limits;

  [[noreturn]] void refuse_extent(std::string_view list, std::size_t number, std::int64_t extent, std::string_view relation,
                                  std::int64_t wanted, parsed_pattern::axis const& axis) const {
    refuse(fmt::format("{}[{}]", list, number), extent,
           fmt::format("{}, for {} at index {} of pattern {}", fmt::format(fmt::runtime(relation), wanted), quoted(axis.text),
                       axis.index, quoted(pattern)));
  }
};

/// Appends the extents of the axes of which axis `number` of the source, which has an extent, consists.
void split_axis(bound_call const& of, parsed_pattern::axis const& axis, std::size_t number, std::int64_t extent,
                std::vector<std::int64_t>& split) {
  if (extent < 0) refuse(fmt::format("shape[{}]", number), extent, "0 or more");
  std::int64_t known = 1;
  bool is_inferred = false;
  for (auto const& name : axis.names) {
    if (auto const* const length = of.lengths.find(name))
      known = limited_product(known, *length);
    else
      is_inferred = true;
  }
  if (is_inferred && known == 0) refuse_axis(of.pattern, axis, "parentheses without a length of 0 if another length is inferred");
  if (is_inferred && extent % known != 0 && !of.limits.padded)
    of.refuse_extent("shape", number, extent, "a multiple of {}", known, axis);
  if (!is_inferred && extent != known && !(of.limits.padded && extent < known))
    of.refuse_extent("shape", number, extent, of.limits.padded ? "{} or less" : "{}", known, axis);
  if (is_inferred && limited_product(known, ceil_div(extent, known)) == kLargestExtent) refuse_size();
  for (auto const& name : axis.names) {
    auto const* const length = of.lengths.find(name);
    split.push_back(length ? *length : ceil_div(extent, known));
  }
}

/// The extents of the axes of a pattern's result. Throws `error` for a wanted shape that does not fit them.
std::vector<std::int64_t> result_shape(bound_call const& of, parsed_pattern const& parsed,
                                       std::vector<std::int64_t> const& split) {
  std::vector<std::int64_t> shape;
  for (auto const& merged : parsed.result) {
    std::int64_t extent = 1;
    for (auto const number : merged) extent = limited_product(extent, split[std::size_t(number)]);
    if (extent == kLargestExtent) refuse_size();
    shape.push_back(extent);
  }
  auto const& wanted = of.limits.shape;
  if (wanted.empty()) return shape;
  if (wanted.size() != shape.size())
    refuse({"result_shape", "the length of {}"}, wanted.size(),
           fmt::format("{}, as on the right of pattern {}", shape.size(), quoted(of.pattern)));
  for (std::size_t i = 0; i < shape.size(); ++i)
    if (wanted[i] < 0 || wanted[i] > shape[i])
      refuse(fmt::format("result_shape[{}]", i), wanted[i],
             fmt::format("from 0 to {}, the extent that the pattern makes", shape[i]));
  return wanted;
}

rearrangement bound(std::string_view pattern, index_list const& shape, std::span<axis_length const> given,
                    rearrange_limits const& limits) {
  lengths_by_name const lengths(given);
  std::vector<std::string_view> names;
  for (auto const& each : given) names.push_back(each.name);
  auto const parsed = parse_pattern(pattern, int(shape.size()), names);
  bound_call const of{pattern, lengths, limits};
  rearrangement result{.split = {},
                       .split_counts = {},
                       .order = parsed.order,
                       .merged_counts = {},
                       .shape = {},
                       .source_tile = int(std::ranges::count(parsed.source, true, &parsed_pattern::axis::in_tile)),
                       .result_tile = parsed.result_tile};
  for (std::size_t i = 0; i < shape.size(); ++i) {
    split_axis(of, parsed.source[i], i, shape[i], result.split);
    result.split_counts.push_back(int(parsed.source[i].names.size()));
  }
  for (auto const& merged : parsed.result) result.merged_counts.push_back(int(merged.size()));
  result.shape = result_shape(of, parsed, result.split);
  return result;
}

/// The rearrangements of recent calls by their arguments, written one after another.
class rearrangement_cache {
 public:
  using value = std::shared_ptr<rearrangement const>;

  value find(std::string const& key) {
    std::lock_guard const lock(mutex_);
    auto const found = entries_.find(key);
    return found == entries_.end() ? nullptr : found->second;
  }

  void insert(std::string key, value made) {
    constexpr std::size_t kMostEntries = 1024;
    std::lock_guard const lock(mutex_);
    if (entries_.size() >= kMostEntries) entries_.clear();
    entries_.emplace(std::move(key), std::move(made));
  }

 private:
  fork_safe_mutex mutex_;
  std::unordered_map<std::string, value> entries_;
};

rearrangement_cache& recent_rearrangements() {
  static constinit fork_safe_static<rearrangement_cache> instance;
  return instance.get([] { return rearrangement_cache(); });
}

std::string cache_key_of(std::string_view pattern, index_list const& shape, std::span<axis_length const> lengths,
                         rearrange_limits const& limits) {
  std::string key;
  auto const add = [&](void const* bytes, std::size_t count) { key.append(static_cast<char const*>(bytes), count); };
  auto const add_text = [&](std::string_view text) {
    auto const size = text.size();
    add(&size, sizeof(size));
    key += text;
  };
  auto const add_list = [&](index_list const& list) {
    add_text({reinterpret_cast<char const*>(list.data()), list.size_bytes()});
  };
  key += limits.padded ? 'p' : ' ';
  add_text(pattern);
  add_list(shape);
  add_list(limits.shape);
  for (auto const& [name, length] : lengths) {
    add_text(name);
    add(&length, sizeof(length));
  }
  return key;
}

}  // namespace

std::shared_ptr<rearrangement const> rearrangement_of(std::string_view pattern, index_list shape,
                                                      std::span<axis_length const> lengths, rearrange_limits const& limits) {
  auto key = cache_key_of(pattern, shape, lengths, limits);
  if (auto found = recent_rearrangements().find(key)) return found;
  auto made = std::make_shared<rearrangement const>(bound(pattern, shape, lengths, limits));
  recent_rearrangements().insert(std::move(key), made);
  return made;
}

}  // namespace cornerturn
