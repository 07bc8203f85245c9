#pragma once

namespace cornerturn::cli {

/// Thrown where the user stops a command, so that unwinding tidies up.
struct interrupted {
  int signal;
};

/// From now on SIGINT, SIGTERM and SIGHUP are noted (once; a second one ends the program as it would have). One that was
/// ignored stays so.
void watch_for_signals();

/// Throws `interrupted` where a signal was noted.
void stop_if_interrupted();

}  // namespace cornerturn::cli
