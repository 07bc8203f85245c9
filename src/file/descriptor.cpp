#include "file/descriptor.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "cornerturn/error.hpp"

namespace cornerturn {

descriptor::~descriptor() {
  if (number_ >= 0) ::close(number_);
}

void fail_by_errno(std::filesystem::path const& path, std::string_view what) {
  std::string const reason = std::generic_category().message(errno);
  throw error(error_kind::file, fmt::format("{} {}: {}", path.empty() ? "''" : path.string(), what, reason));
}

}  // namespace cornerturn
