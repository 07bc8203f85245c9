#include "plan/readable.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>

#include "cpu/sizes.hpp"

namespace cornerturn {

/// Linux reads the new signal mask from the address before it looks at `how`. With an invalid `how` the call changes nothing, and
/// fails with EFAULT only if the address cannot be read. Abseil's AddressIsReadable does the same.
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

bool is_readable(void const* pointer, byte_range const& range) {
  auto const begin = reinterpret_cast<std::uintptr_t>(pointer);
  auto const first = begin + std::uintptr_t(range.low), last = begin + std::uintptr_t(range.high) - 1;
  // memory is readable page by page
  return is_readable(reinterpret_cast<void const*>(first)) &&
         (first / kPage == last / kPage || is_readable(reinterpret_cast<void const*>(last)));
}

}  // namespace cornerturn
