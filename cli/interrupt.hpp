#pragma once

#include <string>
#include <string_view>

namespace cornerturn::cli {

/// Thrown when the user stops a command, so that stack unwinding removes temporary files.
struct interrupted {
  int signal;
  std::string message;
};

/// Installs handlers that record SIGINT, SIGTERM and SIGHUP. A second signal has its default action. Signals that were ignored
/// stay ignored.
void watch_for_signals();

/// Throws `interrupted` if a signal was recorded. Its message names the signal and the state that the command leaves.
void stop_if_interrupted(std::string_view state);

}  // namespace cornerturn::cli
