#include "kernel/convert/plan.hpp"

namespace cornerturn {

std::vector<block_class> classes_of(convert_plan const& plan, array_addresses const&) { return classes_of(plan, plan.sizes); }

}  // namespace cornerturn
