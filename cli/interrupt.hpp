#pragma once

namespace cornerturn::cli {

/// Thrown when the user stops a command, so that stack unwinding removes temporary files.
struct interrupted {
  int signal;
};

/// Installs handlers that record SIGINT, SIGTERM and SIGHUP. A second signal has its default action. Signals that were ignored
/// stay ignored.
void watch_for_signals();

/// Throws `interrupted` if a signal was recorded.
void stop_if_interrupted();

}  // namespace cornerturn::cli
