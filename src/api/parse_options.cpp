#include "api/parse_options.hpp"

#include <fmt/format.h>

#include <bit>
#include <optional>
#include <utility>

#include "base/refuse.hpp"
#include "explain/ldmatrix.hpp"
#include "layout/notation.hpp"
#include "layout/triton.hpp"

namespace cornerturn {
namespace {

constexpr int kMostVector = 16;

int vector_elements(std::string const& name, int bytes, int element_size) {
  if (bytes == 0) return 1;
  if (bytes < element_size || bytes > kMostVector || !std::has_single_bit(unsigned(bytes)))
    refuse(name, bytes, fmt::format("a power of two from the element size, {}, to {} bytes", element_size, kMostVector));
  return bytes / element_size;
}

/// A text with the mode of the lowest offset: "mode 1, 4:-4, goes down to -12". For composed layouts it has the offset only.
std::string lowest(layout_expression const& layout) {
  auto const& [shape, stride] = layout.domain();
  for (std::size_t k = 0; layout.stages().size() == 1 && k < shape.items.size(); ++k) {
    strided_layout const mode{shape.items[k], stride.items[k]};
    if (auto const low = mode.offsets().low; low < 0)
      return fmt::format("mode {}, {}, goes down to {}", k, to_string(layout_expression({mode})), low);
  }
  return fmt::format("one is {}", layout.offsets().low);
}

}  // namespace

parsed_layout parse_options(layout_options const& options) {
  if (int const given = options.element_size;
      given != 0 && (given < 0 || given > kMostVector || !std::has_single_bit(unsigned(given))))
    refuse("element", given, "1, 2, 4, 8 or 16 bytes");
  auto [layout, size] = is_triton(options.layout) ? parse_triton_tile("layout", options.layout, options.element_size)
                                                  : parse_tile("layout", options.layout, options.element_size);
  parsed_layout result{std::move(layout), size, {}};
  if (result.layout.offsets().low < 0)
    refuse("layout", fmt::format("'{}'", options.layout),
           fmt::format("one whose offsets are 0 or more; {}", lowest(result.layout)));
  auto const add_triton = [&, size = size](std::string const& prefix, tiled_access const& access, bool store) {
    if (!access.values.empty()) refuse(prefix + "values", fmt::format("'{}'", access.values), "absent with a layout of Triton");
    int const most = access.vector ? vector_elements(prefix + "vector", access.vector, size) * size : kMostVector;
    auto const held = parse_triton_threads(prefix + "threads", access.threads, result.layout.extents());
    result.accesses.push_back({prefix, std::nullopt, vectors_of(held, result.layout, size, most, store)});
  };
  auto const add = [&, size = size](std::string const& prefix, tiled_access const& access, bool store) {
    if (is_triton(access.threads)) return add_triton(prefix, access, store);
    tiled_copy const copy{parse_layout(prefix + "threads", access.threads),
                          parse_layout(prefix + "values", access.values.empty() ? "1:0" : access.values),
                          vector_elements(prefix + "vector", access.vector, size), size};
    result.accesses.push_back({prefix, copy, {vectors_of(copy, result.layout.extents(), prefix), copy.vector, size, store}});
  };
  auto const add_given = [&](std::string const& prefix, tiled_access const& access, bool store) {
    if (!access.threads.empty())
      add(prefix, access, store);
    else if (!access.values.empty() || access.vector)
      refuse(prefix + "threads", "''", "a layout, as values or a vector go with it");
  };
  if (options.ldmatrix)
    for (auto const& [name, given] :
         {std::pair("load_threads", options.load.threads), std::pair("load_values", options.load.values),
          std::pair("load_vector", options.load.vector ? std::to_string(options.load.vector) : "")})
      if (!given.empty()) refuse(name, given, "absent, as ldmatrix is the load");
  if (options.ldmatrix && options.space == memory_space::global)
    refuse("space", "global", "shared or both with ldmatrix, which reads shared memory");
  add_given("store_", options.store, true);
  add_given("load_", options.load, false);
  if (options.ldmatrix)
    result.accesses.push_back({"ldmatrix", std::nullopt, ldmatrix_rows(options.ldmatrix, result.layout.extents(), size), true});
  if (result.accesses.empty()) throw error(error_kind::argument, "store_threads, load_threads or ldmatrix must be given");
  return result;
}

}  // namespace cornerturn
