#pragma once

#include <pthread.h>

#include <cstddef>
#include <cstdlib>

namespace cornerturn::test {

/// From now on no thread can be started in this process, as no memory has room for its stack.
inline void refuse_threads() {
  pthread_attr_t large;
  pthread_attr_init(&large);
  pthread_attr_setstacksize(&large, std::size_t{1} << 47);
  if (pthread_setattr_default_np(&large) != 0) std::_Exit(2);
}

}  // namespace cornerturn::test
