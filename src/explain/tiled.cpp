#include "explain/tiled.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/refuse.hpp"
#include "cornerturn/text.hpp"
#include "layout/notation.hpp"
#include "problem/extents.hpp"

namespace cornerturn {
namespace {

constexpr std::int64_t kMostThreads = 1024, kMostElements = 1 << 18;

/// The coordinates of a linear index; the first mode is the fastest.
std::vector<std::int64_t> coordinates_of(std::int64_t index, std::vector<std::int64_t> const& extents) {
  std::vector<std::int64_t> result;
  for (auto const extent : extents) {
    result.push_back(index % extent);
    index /= extent;
  }
  return result;
}

std::string coordinate_text(std::vector<std::int64_t> const& at) { return fmt::format("({})", fmt::join(at, ",")); }

/// The direction of a layout of threads or values, for messages: from elements to threads or values. Thread-value maps have the
/// opposite direction.
std::string direction_of(std::string const& name) {
  return fmt::format("it leads from coordinates of the tile to {}", name.ends_with("threads") ? "threads" : "values");
}

/// The inverse of a layout: the coordinates of each number that it gives.
std::vector<std::vector<std::int64_t>> inverse(std::string const& name, layout_expression const& layout,
                                               std::vector<std::int64_t> const& extents, std::int64_t most) {
  if (layout.size() > most) refuse({name, "the size of {}"}, layout.size(), fmt::format("at most {}", most));
  std::vector<std::vector<std::int64_t>> result(std::size_t(layout.size()));
  for (std::int64_t i = 0; i < layout.size(); ++i) {
    auto const number = layout(i);
    bool const fits = number >= 0 && number < layout.size();
    auto const at = coordinates_of(i, extents);
    auto const refuse_for = [&](std::string const& where) {
      refuse(name, fmt::format("'{}', which gives {} at {}", to_string(layout), number, where),
             fmt::format("a layout that gives each number from 0 to {} once; {}", layout.size() - 1, direction_of(name)));
    };
    if (!fits) refuse_for(coordinate_text(at));
    auto& place = result[std::size_t(number)];
    if (!place.empty()) refuse_for(fmt::format("{} and at {}", coordinate_text(place), coordinate_text(at)));
    place = at;
  }
  return result;
}

/// The extents of a layout's modes, extended by modes of extent 1 to the rank of the tile.
std::vector<std::int64_t> padded_extents(std::string const& name, layout_expression const& layout, std::size_t rank) {
  auto extents = layout.extents();
  if (extents.size() > rank)
    refuse({name, "the rank of {}"}, extents.size(), fmt::format("at most the tile's, {}; {}", rank, direction_of(name)));
  extents.resize(rank, 1);
  return extents;
}

}  // namespace

std::string tiled_copy::vector_text() const { return count_text(vector * element_size, "byte"); }

std::vector<tiled_vector> vectors_of(tiled_copy const& copy, std::vector<std::int64_t> const& extents,
                                     std::string const& prefix) {
  auto const threads_name = prefix + "threads", values_name = prefix + "values";
  auto const across_threads = padded_extents(threads_name, copy.threads, extents.size()),
             across_values = padded_extents(values_name, copy.values, extents.size());
  if (product(extents) > kMostElements)
    refuse({"layout", "the {}'s size"}, product(extents), fmt::format("at most {} elements", kMostElements));
  auto const threads = inverse(threads_name, copy.threads, across_threads, kMostThreads),
             values = inverse(values_name, copy.values, across_values, kMostElements);
  if (threads.size() * values.size() > std::size_t(kMostElements))
    refuse(threads_name + " x " + values_name, fmt::format("{} x {}", threads.size(), values.size()),
           fmt::format("at most {} together", kMostElements));
  if (values.size() % std::size_t(copy.vector))
    refuse(prefix + "vector", copy.vector_text(),
           fmt::format("a divisor of a thread's {}, {}", count_text(std::int64_t(values.size()) * copy.element_size, "byte"),
                       count_text(std::int64_t(values.size()), "value")));

  std::vector<std::int64_t> repeats;
  for (std::size_t k = 0; k < extents.size(); ++k) {
    auto const block = across_threads[k] * across_values[k];
    repeats.push_back((extents[k] + block - 1) / block);
  }

  std::vector<tiled_vector> result;
  int occurrence = 0;
  for (std::int64_t repeat = 0; repeat < product(repeats); ++repeat) {
    auto const at = coordinates_of(repeat, repeats);
    for (std::size_t first = 0; first < values.size(); first += std::size_t(copy.vector), ++occurrence)
      for (std::size_t thread = 0; thread < threads.size(); ++thread) {
        tiled_vector access{int(thread), occurrence, {}};
        bool inside = true;
        for (int v = 0; v < copy.vector; ++v) {
          std::int64_t element = 0, scale = 1;
          for (std::size_t k = 0; k < extents.size(); ++k) {
            auto const c =
                (at[k] * across_threads[k] + threads[thread][k]) * across_values[k] + values[first + std::size_t(v)][k];
            inside &= c < extents[k];
            element += c * scale;
            scale *= extents[k];
          }
          access.elements.push_back(element);
        }
        if (!inside) access.elements.clear();
        result.push_back(std::move(access));
      }
  }
  if (std::ranges::all_of(result, [](auto const& each) { return each.elements.empty(); }))
    refuse(prefix + "vector", copy.vector_text(), "short enough that one access is within the tile");
  return result;
}

pattern vectors_of(held_elements const& held, std::function<std::int64_t(std::int64_t)> const& offset, int element_size, int most,
                   bool store) {
  auto const element = [&](std::int64_t thread, std::int64_t value) {
    return held.elements[std::size_t(thread * held.values + value)];
  };
  // The bits of a value's index that lead to the next element, to the one after that pair, and so on.
  std::vector<std::int64_t> within, others;
  std::int64_t vector = 1;
  auto const doubles = [&](std::int64_t bit) {
    for (std::int64_t thread = 0; thread < held.threads; ++thread)
      for (std::int64_t value = 0; value < held.values; ++value) {
        if (value & bit || std::ranges::any_of(within, [&](auto other) { return value & other; })) continue;
        auto const first = offset(element(thread, value));
        if (first % (2 * vector) || offset(element(thread, value | bit)) != first + vector) return false;
      }
    return true;
  };
  for (bool is_wider = true; is_wider && 2 * vector * element_size <= most;) {
    is_wider = false;
    for (std::int64_t bit = 1; bit < held.values && !is_wider; bit *= 2)
      if (std::ranges::find(within, bit) == within.end() && doubles(bit)) {
        within.push_back(bit);
        vector *= 2;
        is_wider = true;
      }
  }
  for (std::int64_t bit = 1; bit < held.values; bit *= 2)
    if (std::ranges::find(within, bit) == within.end()) others.push_back(bit);
  auto const spread = [](std::int64_t number, std::vector<std::int64_t> const& bits) {
    std::int64_t result = 0;
    for (std::size_t i = 0; i < bits.size(); ++i)
      if (number >> i & 1) result |= bits[i];
    return result;
  };
  pattern result{.vectors = {}, .vector = int(vector), .element_size = element_size, .store = store};
  for (std::int64_t occurrence = 0; occurrence < held.values / vector; ++occurrence)
    for (std::int64_t thread = 0; thread < held.threads; ++thread) {
      tiled_vector each{int(thread), int(occurrence), {}};
      for (std::int64_t v = 0; v < vector; ++v)
        each.elements.push_back(element(thread, spread(occurrence, others) | spread(v, within)));
      result.vectors.push_back(std::move(each));
    }
  return result;
}

recording record_vectors(pattern const& accesses, std::function<std::int64_t(std::int64_t)> const& offset, memory_space space) {
  recording record;
  for (auto const& each : accesses.vectors) {
    bool const active = !each.elements.empty();
    record.accesses.push_back({.thread = each.thread,
                               .place = {{}, accesses.store ? 1 : 2},
                               .occurrence = each.occurrence,
                               .space = space,
                               .store = accesses.store,
                               .active = active,
                               .address = active ? std::uint64_t(offset(each.elements.front()) * accesses.element_size) : 0,
                               .bytes = accesses.vector * accesses.element_size,
                               .source_address = each.source_address,
                               .matrix_row = accesses.matrix_rows});
  }
  return record;
}

}  // namespace cornerturn
