#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <numeric>

#include "cornerturn/cornerturn.h"
#include "fuzz/check.hpp"
#include "fuzz/places.hpp"
#include "fuzz/problems.hpp"
#include "problem/permuted.hpp"
#include "problem/print.hpp"
#include "problem/validate.hpp"
#include "support/numbered.hpp"
#include "support/placed_quantize.hpp"
#include "support/plain.hpp"
#include "support/plain_quantize.hpp"
#include "support/random_operation.hpp"
#include "support/special_numbers.hpp"

namespace cornerturn::fuzz {
namespace {

using numbers = std::vector<std::int64_t>;
using test::guarded;

/// Bytes of a result that the CPU stores past its caches.
constexpr std::int64_t kLarge = 9 << 19;

/// What is drawn for every call.
struct drawn_call {
  explicit drawn_call(random_source& from) : random(from), is_large(from.one_in(64)) {
    options.threads = std::int32_t(random.one_of({0, 1, 1, 2, 3}));
  }

  std::int64_t bytes() { return is_large ? kLarge : random.between(1, 20'000); }
  std::string_view size() const { return is_large ? "past the caches" : "within the caches"; }
  std::string_view threads() const { return options.threads == 1 ? "one thread" : "several threads"; }

  random_source& random;
  bool is_large;
  cornerturn_copy_options options = CORNERTURN_COPY_OPTIONS_INIT;
};

std::string wrong_bytes(std::span<std::byte const> expected, guarded const& result) {
  if (!result.is_whole()) return "a byte outside the result was written";
  auto const wrong = std::ranges::mismatch(expected, result.bytes()).in1 - expected.begin();
  return wrong == std::ssize(expected) ? "" : fmt::format("byte {} of {} is wrong", wrong, expected.size());
}

std::string_view begin_of(std::byte const* array) { return begins_a_line(array) ? "begins a line" : "begins within a line"; }

guarded placed(std::size_t bytes, random_source& random) {
  auto const at = random_place(random);
  return guarded(bytes, at.where, at.into_line);
}

/// The arrays of a call with a source and a result, and what the definition makes of them.
class two_arrays {
 public:
  two_arrays(problem const& p, random_source& random)
      : p_(p),
        given_(test::numbered_source(p, source_range(p).high, 0)),
        expected_(test::numbered(destination_range(p).high)),
        source_(placed(given_.size(), random)),
        result_(placed(expected_.size(), random)) {
    if (p.operation) test::mix_in_special_numbers(p.operation->destination, expected_);
    std::ranges::copy(given_, source_.data()), std::ranges::copy(expected_, result_.data());
    test::permute_plainly(p, given_.data(), expected_.data());
    test::unify_nans(p, expected_.data());
  }

  std::byte const* source() const { return source_.data(); }
  std::byte* result() const { return result_.data(); }
  guarded const& written() const { return result_; }

  std::string wrong() {
    test::unify_nans(p_, result_.data());
    if (!source_.is_whole() || !std::ranges::equal(given_, source_.bytes())) return "the source was written";
    return wrong_bytes(expected_, result_);
  }

 private:
  problem const& p_;
  std::vector<std::byte> given_, expected_;
  guarded source_, result_;
};

struct call_result {
  std::string_view call;
  std::string moved;
  std::string_view begin;
  cornerturn_status status;
  std::string wrong;
};

/// Makes a call that moves one array to another.
call_result moved(std::string_view name, problem const& p, random_source& random,
                  std::function<cornerturn_status(two_arrays const&)> const& call) {
  two_arrays arrays(p, random);
  auto const status = call(arrays);
  return {name, to_string(p), begin_of(arrays.written().data()), status, arrays.wrong()};
}

call_result permute(drawn_call& drawn) {
  auto const given = random_inplace(drawn.random, drawn.bytes());
  auto const rank = std::int32_t(given.shape.size());
  auto const p = permutation(given.shape, {}, given.axes, given.element_size);
  if (drawn.random.one_in(2))
    return moved("permute", p, drawn.random, [&](two_arrays const& in) {
      return cornerturn_permute(in.source(), in.result(), rank, given.shape.data(), given.axes.data(),
                                cornerturn_bytes(given.element_size), nullptr, &drawn.options);
    });
  return moved("plan", p, drawn.random, [&](two_arrays const& in) {
    cornerturn_options options = CORNERTURN_OPTIONS_INIT;
    options.processor = CORNERTURN_CPU, options.threads = drawn.options.threads;
    options.source_alignment = options.destination_alignment = 1;
    cornerturn_plan* plan = nullptr;
    auto status = cornerturn_plan_permute(&plan, rank, given.shape.data(), nullptr, given.axes.data(), nullptr,
                                          cornerturn_bytes(given.element_size), &options);
    if (status == CORNERTURN_OK) status = cornerturn_plan_run(plan, in.source(), in.result(), nullptr);
    cornerturn_plan_destroy(plan);
    return status;
  });
}

call_result strided_copy(drawn_call& drawn) {
  auto const size = random_element_size(drawn.random);
  auto const p = random_problem(drawn.random, drawn.bytes() / size + 1, size,
                                drawn.random.one_of({shape_kind::any, shape_kind::matrix, shape_kind::fields}));
  numbers extents, from, to;
  for (mode const& m : p.modes) extents.push_back(m.extent), from.push_back(m.source_stride), to.push_back(m.destination_stride);
  return moved("strided copy", p, drawn.random, [&](two_arrays const& in) {
    return cornerturn_strided_copy(in.source() + p.source_offset * size, from.data(), in.result() + p.destination_offset * size,
                                   to.data(), std::int32_t(extents.size()), extents.data(), cornerturn_bytes(size), nullptr,
                                   &drawn.options);
  });
}

cornerturn_operation passed(element_operation const& operation) {
  return {.size = sizeof(cornerturn_operation),
          .source_type = int(operation.source),
          .destination_type = int(operation.destination),
          .alpha = {operation.alpha.real(), operation.alpha.imag()},
          .beta = {operation.beta.real(), operation.beta.imag()},
          .conjugate = operation.conjugate,
          .saturate = operation.saturate,
          .scale = operation.scale,
          .bias = operation.bias,
          .factor_strides = operation.factor_strides.data(),
          .source_swapped = operation.source_swapped,
          .destination_swapped = operation.destination_swapped};
}

/// Elements that change, in one array or in a batch of up to three.
call_result elements(drawn_call& drawn) {
  auto& random = drawn.random;
  auto given = random_inplace(random, drawn.bytes());
  auto operation = test::random_operation(random.generator32());
  auto const rank = given.shape.size();
  if (random.one_in(4) && !is_complex(operation.destination) && std::ranges::max(given.shape) <= 256)
    operation = test::random_affine(random.generator32(), operation, rank);
  auto const size = size_of(operation.source);
  auto const operation_of_c = passed(operation);
  if (random.one_in(2)) {
    auto const p = with_operation(permutation(given.shape, {}, given.axes, size), operation);
    return moved("elements", p, random, [&](two_arrays const& in) {
      return cornerturn_permute(in.source(), in.result(), std::int32_t(rank), given.shape.data(), given.axes.data(),
                                cornerturn_changed_by(&operation_of_c), nullptr, &drawn.options);
    });
  }
  auto const count = random.between(1, 3);
  auto shape = given.shape, axes = given.axes;
  for (auto& axis : axes) ++axis;
  shape.insert(shape.begin(), count), axes.insert(axes.begin(), 0);
  auto whole = operation;
  if (is_affine(operation)) whole.factor_strides.insert(whole.factor_strides.begin(), 0);
  auto const p = with_operation(permutation(shape, {}, axes, size), whole);
  auto const of_one = std::accumulate(given.shape.begin(), given.shape.end(), std::int64_t(1), std::multiplies<>());
  return moved("batched", p, random, [&](two_arrays const& in) {
    std::vector<void const*> sources;
    for (std::int64_t i = 0; i < count; ++i) sources.push_back(in.source() + i * of_one * size);
    return cornerturn_permute_batched(sources.data(), count, in.result(), of_one, std::int32_t(rank), given.shape.data(), nullptr,
                                      given.axes.data(), nullptr, cornerturn_changed_by(&operation_of_c), nullptr,
                                      &drawn.options);
  });
}

/// Half of the arrays are squares of some tiles and one or two cache lines, so that all rows begin at one place within a line.
call_result inplace(drawn_call& drawn) {
  auto& random = drawn.random;
  auto given = random_inplace(random, drawn.bytes());
  if (!drawn.is_large && random.one_in(2)) {
    given.element_size = random.one_of<std::int64_t>({1, 2, 4, 8, 16});
    auto const tile = 2048 / std::max<std::int64_t>(4, given.element_size), line = 64 / given.element_size;
    auto const side = random.between(0, 1) * tile + random.between(1, 5) * line;
    given.shape = {side, side}, given.axes = {1, 0};
  }
  auto const p = permutation(given.shape, {}, given.axes, given.element_size);
  auto const before = test::numbered(bytes_of(p));
  auto expected = before;
  test::permute_plainly(p, before.data(), expected.data());
  auto const array = placed(before.size(), random);
  std::ranges::copy(before, array.data());
  auto const status = cornerturn_permute_inplace(array.data(), std::int32_t(given.shape.size()), given.shape.data(),
                                                 given.axes.data(), given.element_size, nullptr, &drawn.options);
  return {"in place", to_string(p), begin_of(array.data()), status, wrong_bytes(expected, array)};
}

call_result quantize(drawn_call& drawn) {
  drawn.is_large = false;
  auto& random = drawn.random;
  auto const each = test::random_quantize_case(random.generator32());
  auto const seed = unsigned(random.between(0, 1 << 30));
  test::quantized_arrays wanted(each, seed), got(each, seed);
  test::quantize_plainly(wanted.given(), wanted.call.source);
  test::placed_quantize arrays(got, [&] { return random_place(random); });
  auto const given = quantization_of(got.layout, arrays.call());
  auto const passed = [](quantized_matrix const& output) {
    return cornerturn_quantized_matrix{sizeof(cornerturn_quantized_matrix),
                                       output.values,
                                       output.pitch,
                                       output.scales,
                                       output.scale_row_stride,
                                       output.scale_block_stride};
  };
  auto const rows = passed(given.row_wise), columns = passed(given.column_wise);
  cornerturn_quantize_options options = CORNERTURN_QUANTIZE_OPTIONS_INIT;
  options.threads = drawn.options.threads;
  options.blocks = int(given.blocks), options.scale_address = given.scale_address;
  if (!given.scale_address) options.scale = given.given.scale;
  options.power_of_two = given.recipe.power_of_two, options.amax = given.amax, options.source_scales = given.source_scales;
  options.source_scale_row_stride = given.source_scale_row_stride;
  options.source_scale_block_stride = given.source_scale_block_stride;
  auto const status =
      cornerturn_quantize(arrays.source(), int(each.source), each.rows, each.cols, given.pitch, int(each.destination),
                          each.has_rows ? &rows : nullptr, each.has_columns ? &columns : nullptr, nullptr, &options);
  call_result result{"quantize", each.text(), begin_of(arrays.source()), status, ""};
  if (!arrays.take())
    result.wrong = "a byte outside the outputs was written";
  else if (!(got == wanted))
    result.wrong = "a value or a scale is wrong";
  return result;
}

}  // namespace

std::string check_c(random_source& random, memories&, std::string_view target, decision_counts& counts) {
  drawn_call drawn(random);
  auto const result = random.one_of({permute, permute, strided_copy, elements, elements, inplace, quantize})(drawn);
  counts.add("calls of C", {result.call, drawn.size(), result.begin, drawn.threads()}, target);
  if (result.status != CORNERTURN_OK) return fmt::format("{} of {}: {}", result.call, result.moved, cornerturn_last_error());
  return result.wrong.empty() ? "" : fmt::format("{} in {} of {}", result.wrong, result.call, result.moved);
}

}  // namespace cornerturn::fuzz
