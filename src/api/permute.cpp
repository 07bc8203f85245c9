#include "cornerturn/permute.hpp"

#include "api/one_shot.hpp"
#include "problem/permuted.hpp"

namespace cornerturn {

void permute(void const* source, void* destination, index_list shape, index_list axes, std::int64_t element_size,
             permute_options const& options) {
  request_key key(request_key::call::permute);
  key.add(element_size);
  key.add(shape);
  key.add(axes);
  key.add(options.source_strides);
  key.add(options.destination_strides);
  copy_options const common{options.processor, options.stream, options.device, options.threads};
  run_one_shot(key, source, destination, common, [&] {
    return permutation(shape, options.source_strides, axes, element_size, options.destination_strides);
  });
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

}  // namespace cornerturn
