#include "api/transpose_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>

#include "cornerturn/error.hpp"
#include "engine/file/piece_in_memory.hpp"
#include "fuzz/check.hpp"
#include "fuzz/problems.hpp"
#include "problem/canonical.hpp"
#include "problem/element_types.hpp"
#include "problem/permuted.hpp"
#include "problem/validate.hpp"
#include "support/numbered.hpp"
#include "support/plain.hpp"
#include "support/random_operation.hpp"
#include "support/special_numbers.hpp"

namespace cornerturn::fuzz {
namespace {

using numbers = std::vector<std::int64_t>;

enum class format { raw, npy, fortran_npy };

/// What NumPy names the types of these sizes, and what raw files do.
struct named_type {
  element_type type;
  std::string_view npy, raw;
};
constexpr named_type kTypes[] = {{element_type::u8, "|u1", "u8"},   {element_type::i16, "<i2", "i16"},
                                 {element_type::f16, "<f2", "f16"}, {element_type::f32, "<f4", "f32"},
                                 {element_type::i64, "<i8", "i64"}, {element_type::f64, "<f8", "f64"},
                                 {element_type::c64, "<c8", "c64"}, {element_type::c128, "<c16", "c128"}};

named_type const& named(element_type type) { return *std::ranges::find(kTypes, type, &named_type::type); }

/// An array in a file and what is asked of a call.
struct file_case {
  numbers shape, axes;
  element_type type;
  format as;
  file_options options;
  std::string_view call;
  file_limits limits = {};

  std::string text() const {
    return fmt::format("a file of {} ({}), {}, axes {}, memory {}", named(type).raw, fmt::join(shape, ", "),
                       as == format::raw   ? "raw"
                       : as == format::npy ? ".npy"
                                           : ".npy in Fortran order",
                       fmt::join(axes, ","), options.memory);
  }
};

std::string header(file_case const& of, numbers const& shape, element_type type, bool is_fortran, bool swapped = false) {
  if (of.as == format::raw) return std::string(std::size_t(of.options.raw->offset), '#');
  std::string result = fmt::format("{{'descr': '{}', 'fortran_order': {}, 'shape': ({}{}), }}", named(type).npy,
                                   is_fortran ? "True" : "False", fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
  if (auto const at = result.find('<'); swapped && at != result.npos) result[at] = '>';
  result.resize((result.size() + 11 + 63) / 64 * 64 - 11, ' ');
  result += '\n';
  std::string const magic("\x93NUMPY\x01\x00", 8);
  return magic + char(result.size() % 256) + char(result.size() / 256) + result;
}

numbers permuted(numbers const& shape, numbers const& axes) {
  numbers result;
  for (auto const axis : axes) result.push_back(shape[std::size_t(axis)]);
  return result;
}

numbers strides_of(file_case const& of) {
  bool const is_fortran = of.as == format::raw ? of.options.raw->is_fortran : of.as == format::fortran_npy;
  if (!is_fortran) return {};
  numbers result;
  std::int64_t step = 1;
  for (auto const extent : of.shape) result.push_back(step), step *= extent;
  return result;
}

file_case random_file(random_source& random) {
  auto const given = random_inplace(random, random.one_in(16) ? random.between(100'000, 1'000'000) : random.between(1, 40'000));
  file_case result{
      .shape = given.shape,
      .axes = given.axes,
      .type = random.one_of(std::vector<named_type>(std::begin(kTypes), std::end(kTypes))).type,
      .as = random.one_of({format::raw, format::npy, format::fortran_npy}),
      .options = {},
      .call = random.one_of<std::string_view>({"to another file", "onto itself", "in place", "in place in two calls"})};
  auto& options = result.options;
  options.processor = processor_kind::cpu, options.axes = result.axes;
  if (result.as == format::raw)
    options.raw = raw_array{.shape = result.shape,
                            .type = std::string(named(result.type).raw),
                            .offset = random.one_in(2) ? random.between(1, 200) : 0,
                            .byte_order = random.one_in(4) ? std::endian::big : std::endian::little,
                            .is_fortran = random.one_in(4)};
  if (!result.call.starts_with("in place"))
    for (std::size_t i = 0; i < result.shape.size(); ++i)
      if (random.one_in(8)) options.flip.push_back(std::int64_t(i));
  return result;
}

bool is_in_place(file_case const& each) { return each.call.starts_with("in place"); }

/// Elements of files out of place often change.
problem problem_of(file_case& each, random_source& random) {
  auto p = permutation(each.shape, strides_of(each), each.axes, size_of(each.type));
  for (std::size_t i = 0; i < each.axes.size(); ++i) {
    if (std::ranges::count(each.options.flip, each.axes[i]) == 0) continue;
    auto& flipped = p.modes[i];
    p.source_offset += (flipped.extent - 1) * flipped.source_stride, flipped.source_stride *= -1;
  }
  if (is_in_place(each) || random.one_in(2)) return p;
  element_operation operation{each.type, each.type};
  if (!is_complex(each.type) && random.one_in(2))
    operation.destination = random.one_of({element_type::f32, element_type::f64, element_type::f16, element_type::u8});
  operation.alpha = random.one_of({1.0, 0.5, -2.0});
  operation.source_swapped = each.as == format::raw && each.options.raw->byte_order == std::endian::big;
  operation.destination_swapped = operation.source_swapped ? random.one_in(2) : random.one_in(4);
  each.options.dtype = operation.destination, each.options.alpha = operation.alpha;
  if (operation.destination_swapped) each.options.dtype_order = std::endian::big;
  return with_operation(p, operation);
}

/// Makes the call. The first of two calls in place is stopped by its progress, and the second one has the usual limits.
void call(file_case const& each, std::filesystem::path const& from, std::filesystem::path const& to, double stop) {
  if (!is_in_place(each)) return static_cast<void>(transpose_file(from, to, each.options, each.limits));
  if (each.call == "in place") return static_cast<void>(transpose_file_inplace(from, each.options, each.limits));
  auto options = each.options;
  options.progress = [&](double share, std::int64_t) {
    if (share >= stop) throw stop;
  };
  try {
    transpose_file_inplace(from, options, each.limits);
  } catch (double) {
    transpose_file_inplace(from, each.options);
  }
}

}  // namespace

std::string check_files(random_source& random, memories& in, std::string_view target, decision_counts& counts) {
  auto each = random_file(random);
  auto const p = problem_of(each, random);
  each.limits = random_file_limits(random);
  bool const is_little = random.one_in(2), has_usual = each.limits == file_limits();
  if (is_little)
    each.options.memory = is_in_place(each) ? 4 * std::max<std::int64_t>(4096, bytes_of(p) / random.between(2, 40))
                                            // each piece takes two threads, so there are few of them
                                            : std::max(least_memory(canonical(p), each.limits) * random.between(1, 3),
                                                       bytes_of(p) / random.between(2, 100));
  auto const written = p.operation ? p.operation->destination : each.type;
  auto const source = test::numbered_source(p, source_range(p).high, 0);
  std::vector<std::byte> wanted(std::size_t(destination_range(p).high));
  test::permute_plainly(p, source.data(), wanted.data());
  test::unify_nans(p, wanted.data());

  auto const& folder = in.folder;
  std::string content = header(each, each.shape, each.type, each.as == format::fortran_npy);
  content.append(reinterpret_cast<char const*>(source.data()), source.size());
  folder.put("in", content);
  std::string const to = each.call == "to another file" ? "out" : "in";
  counts.add("files",
             {each.call,
              each.as == format::raw   ? "raw"
              : each.as == format::npy ? ".npy in C order"
                                       : ".npy in Fortran order",
              p.operation ? "changed elements" : "bits", is_little ? "little memory" : "usual memory",
              has_usual ? "usual limits" : "small limits"},
             target);
  try {
    call(each, folder / "in", folder / to, double(random.between(0, 10)) / 10);
  } catch (error const& e) {
    bool const is_too_little =
        is_in_place(each) && (is_little || !has_usual) && std::string_view(e.what()).starts_with("memory is");
    if (!is_too_little) return fmt::format("{}: {}", each.text(), e.what());
    return folder.get("in") == content ? "" : fmt::format("a call that was refused has changed {}", each.text());
  }
  auto got = folder.get(to);
  auto const names = folder.names();
  if (names.size() != (to == "out" ? 2u : 1u)) return fmt::format("{} leaves files: {}", each.text(), fmt::join(names, ", "));
  if (to == "out") std::filesystem::remove(folder / to);
  auto const has_none = each.as == format::raw && !is_in_place(each);
  auto const expected_header =
      has_none ? "" : header(each, permuted(each.shape, each.axes), written, false, each.options.dtype_order == std::endian::big);
  if (got.size() != expected_header.size() + wanted.size() || !got.starts_with(expected_header))
    return fmt::format("{} has another header or size", each.text());
  auto* const data = reinterpret_cast<std::byte*>(got.data()) + expected_header.size();
  std::vector<std::byte> result(data, data + wanted.size());
  test::unify_nans(p, result.data());
  auto const wrong = std::ranges::mismatch(wanted, result).in1 - wanted.begin();
  return wrong == std::ssize(wanted) ? "" : fmt::format("byte {} of the result of {} is wrong", wrong, each.text());
}

}  // namespace cornerturn::fuzz
