#pragma once

#include <stdexcept>
#include <string>

#include "cornerturn/export.h"

namespace cornerturn {

/// What an error is about; the command line turns `device` into exit code 1 and the others into 2.
enum class error_kind {
  argument,  ///< a value handed in: the message names the argument, its value and what is allowed
  file,      ///< a file that is missing, malformed, truncated or cannot be written: the message names it
  device,    ///< a CUDA call that failed: the message names the call and the device
};

/// The one exception type of the library.
class CORNERTURN_API error : public std::runtime_error {
 public:
  error(error_kind kind, std::string const& message) : std::runtime_error(message), kind_(kind) {}
  error_kind kind() const noexcept { return kind_; }

 private:
  error_kind kind_;
};

}  // namespace cornerturn
