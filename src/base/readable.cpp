#include "base/readable.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>

namespace cornerturn {

/// Asks Linux to set the signal mask at the address, with an invalid `how`. Linux reads the mask before it looks at `how`, so the
/// call changes nothing, and fails with EFAULT only if the address cannot be read. Abseil's AddressIsReadable does the same.
bool is_readable(void const* pointer) {
  constexpr std::uintptr_t kMaskBytes = 8;
  constexpr long kInvalidHow = -1;
  auto const aligned = reinterpret_cast<std::uintptr_t>(pointer) & ~(kMaskBytes - 1);
  if (aligned == 0) return false;  // Linux does not read a null mask
  int const before = errno;
  bool const failed = ::syscall(SYS_rt_sigprocmask, kInvalidHow, aligned, nullptr, kMaskBytes) != 0 && errno == EFAULT;
  errno = before;
  return !failed;
}

}  // namespace cornerturn
