#include "cornerturn/permute.hpp"

#include <bit>

#include "api/batch.hpp"
#include "api/one_shot.hpp"
#include "problem/element_types.hpp"
#include "problem/permuted.hpp"

namespace cornerturn {
namespace {

/// Names every member, so that the compiler refuses a member that the key lacks.
void add(request_key& key, element_operation const& operation) {
  auto const& [source, destination, alpha, beta, conjugate, saturate, scale, bias, factor_strides] = operation;
  auto const add_factor = [&](std::complex<double> factor) {
    key.add(std::bit_cast<std::int64_t>(factor.real()));
    key.add(std::bit_cast<std::int64_t>(factor.imag()));
  };
  key.add(std::int64_t(source));
  key.add(std::int64_t(destination));
  key.add(conjugate + 2 * saturate);
  add_factor(alpha);
  add_factor(beta);
  key.add(std::bit_cast<std::int64_t>(scale));
  key.add(std::bit_cast<std::int64_t>(bias));
  key.add(index_list(factor_strides));
}

copy_options common_of(permute_options const& options) {
  return {options.processor, options.stream, options.device, options.threads};
}

/// The key of a call of `permute` that changes elements, and the problem that it states.
request_key key_of(index_list const& shape, index_list const& axes, element_operation const& operation,
                   permute_options const& options) {
  request_key key(request_key::call::permute_elements);
  add(key, operation);
  key.add(shape);
  key.add(axes);
  key.add(options.source_strides);
  key.add(options.destination_strides);
  return key;
}
problem permutation_of(index_list const& shape, index_list const& axes, element_operation const& operation,
                       permute_options const& options) {
  auto const moved = permutation(shape, options.source_strides, axes, sizes_of(operation), options.destination_strides);
  return with_operation(moved, operation);
}

}  // namespace

void permute(void const* source, void* destination, index_list shape, index_list axes, std::int64_t element_size,
             permute_options const& options) {
  request_key key(request_key::call::permute);
  key.add(element_size);
  key.add(shape);
  key.add(axes);
  key.add(options.source_strides);
  key.add(options.destination_strides);
  run_one_shot(key, source, destination, common_of(options),
               [&] { return permutation(shape, options.source_strides, axes, element_size, options.destination_strides); });
}

void strided_copy(void const* source, index_list source_strides, void* destination, index_list destination_strides,
                  index_list shape, std::int64_t element_size, copy_options const& options) {
  request_key key(request_key::call::strided_copy);
  key.add(element_size);
  key.add(shape);
  key.add(source_strides);
  key.add(destination_strides);
  run_one_shot(key, source, destination, options,
               [&] { return strided(shape, source_strides, destination_strides, element_size); });
}

void permute(void const* source, void* destination, index_list shape, index_list axes, element_operation const& operation,
             permute_options const& options) {
  run_one_shot(key_of(shape, axes, operation, options), source, destination, common_of(options),
               [&] { return permutation_of(shape, axes, operation, options); });
}

void permute_batched(std::span<void const* const> sources, void* destination, std::int64_t batch_stride, index_list shape,
                     index_list axes, element_operation const& operation, permute_options const& options) {
  run_batch(key_of(shape, axes, operation, options), {sources, destination, batch_stride, size_of(operation.destination)},
            common_of(options), [&] { return permutation_of(shape, axes, operation, options); });
}

void strided_copy(void const* source, index_list source_strides, void* destination, index_list destination_strides,
                  index_list shape, element_operation const& operation, copy_options const& options) {
  request_key key(request_key::call::copy_elements);
  add(key, operation);
  key.add(shape);
  key.add(source_strides);
  key.add(destination_strides);
  run_one_shot(key, source, destination, options, [&] {
    return with_operation(strided(shape, source_strides, destination_strides, sizes_of(operation)), operation);
  });
}

}  // namespace cornerturn
