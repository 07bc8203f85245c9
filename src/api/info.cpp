#include "cornerturn/info.hpp"

#include "engine/gpu/inventory.hpp"

namespace cornerturn {

build_info info() {
  build_info result;
  result.version = CORNERTURN_VERSION;
#if defined(__clang__)
  result.compiler = "clang " __clang_version__;
#else
  result.compiler = "g++ " __VERSION__;
#endif
  gpu::take_inventory(result);
  return result;
}

}  // namespace cornerturn
