#include "cornerturn/permute.hpp"

#include <bit>
#include <limits>

#include "api/batch.hpp"
#include "api/memory.hpp"
#include "api/one_shot.hpp"
#include "problem/permuted.hpp"

namespace cornerturn {
namespace {

/// Names every member, so that the compiler refuses a member that the key lacks.
void add(request_key& key, element_operation const& operation) {
  auto const& [source, destination, alpha, beta, conjugate, saturate, source_swapped, destination_swapped, scale, bias,
               factor_strides] = operation;
  auto const add_factor = [&](std::complex<double> factor) {
    key.add(std::bit_cast<std::int64_t>(factor.real()));
    key.add(std::bit_cast<std::int64_t>(factor.imag()));
  };
  key.add(std::int64_t(source));
  key.add(std::int64_t(destination));
  key.add(conjugate + 2 * saturate + 4 * source_swapped + 8 * destination_swapped);
  add_factor(alpha);
  add_factor(beta);
  key.add(std::bit_cast<std::int64_t>(scale));
  key.add(std::bit_cast<std::int64_t>(bias));
  key.add(factor_strides);
}

request_key key_of(request_key::call call, elements const& element) {
  constexpr std::int64_t kChanged = std::numeric_limits<std::int64_t>::min();  // no size
  request_key key(call);
  key.add(element.operation() ? kChanged : element.bytes());
  if (element.operation()) add(key, *element.operation());
  return key;
}

/// The key of a call of `permute`, and the problem that it states.
request_key key_of(index_list const& shape, index_list const& axes, elements const& element, permute_options const& options) {
  auto key = key_of(request_key::call::permute, element);
  key.add(shape);
  key.add(axes);
  key.add(options.source_strides);
  key.add(options.destination_strides);
  return key;
}
problem permutation_of(index_list const& shape, index_list const& axes, elements const& element, permute_options const& options) {
  return permutation(shape, options.source_strides, axes, element, options.destination_strides);
}

}  // namespace

void permute(void const* source, void* destination, index_list shape, index_list axes, elements const& element,
             permute_options const& options) {
  run_one_shot(key_of(shape, axes, element, options), source, destination, places_in(options),
               [&] { return permutation_of(shape, axes, element, options); });
}

void permute_batched(std::span<void const* const> sources, void* destination, std::int64_t batch_stride, index_list shape,
                     index_list axes, elements const& element, permute_options const& options) {
  auto const& operation = element.operation();
  auto const size = operation ? size_of(operation->destination) : element.bytes();
  run_batch(key_of(shape, axes, element, options), {sources, destination, batch_stride, size}, places_in(options),
            [&] { return permutation_of(shape, axes, element, options); });
}

void strided_copy(void const* source, index_list source_strides, void* destination, index_list destination_strides,
                  index_list shape, elements const& element, copy_options const& options) {
  auto key = key_of(request_key::call::strided_copy, element);
  key.add(shape);
  key.add(source_strides);
  key.add(destination_strides);
  run_one_shot(key, source, destination, options, [&] { return strided(shape, source_strides, destination_strides, element); });
}

}  // namespace cornerturn
