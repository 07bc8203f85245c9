#include "cornerturn/plan.hpp"

#include <fmt/ranges.h>

#include "api/memory.hpp"
#include "api/prepare.hpp"
#include "base/refuse.hpp"
#include "problem/permuted.hpp"

namespace cornerturn {
namespace {

permutation_plan planned(problem const& given, plan_options const& options) {
  return permutation_plan(prepare_plan(given, where_given(options), options.effort));
}

void refuse_strides(std::string_view name, std::vector<std::int64_t> const& strides) {
  if (!strides.empty())
    refuse(name, fmt::format("({})", fmt::join(strides, ", ")), "empty, because plan has its strides already");
}

void refuse_strides(plan_options const& options) {
  refuse_strides("options.source_strides", options.source_strides);
  refuse_strides("options.destination_strides", options.destination_strides);
}

}  // namespace

permutation_plan::permutation_plan(std::shared_ptr<prepared_plan const> prepared) : prepared_(std::move(prepared)) {}

void permutation_plan::run(void const* source, void* destination, void* stream) const {
  if (prepared_->is_empty()) return;
  refuse_memory(*prepared_, source, destination, stream);
  move(*prepared_, {.source = source, .destination = destination}, stream);
}

void permutation_plan::run_on(worker_threads const& workers, void const* source, void* destination) const {
  refuse_workers(workers, *prepared_);
  if (prepared_->is_empty()) return;
  refuse_memory(*prepared_, source, destination, nullptr);
  move(*prepared_, {.source = source, .destination = destination}, nullptr, &workers);
}

std::string permutation_plan::describe() const { return cornerturn::describe(*prepared_); }

permutation_plan plan(index_list shape, index_list source_strides, index_list destination_strides, elements const& element,
                      plan_options const& options) {
  refuse_strides(options);
  return planned(strided(shape, source_strides, destination_strides, element), options);
}

permutation_plan plan_permute(index_list shape, index_list axes, elements const& element, plan_options const& options) {
  return planned(permutation(shape, options.source_strides, axes, element, options.destination_strides), options);
}

}  // namespace cornerturn
