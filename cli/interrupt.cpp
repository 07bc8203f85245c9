#include "interrupt.hpp"

#include <csignal>
#include <initializer_list>

namespace cornerturn::cli {
namespace {

volatile std::sig_atomic_t received = 0;

void record_signal(int signal) { received = signal; }

}  // namespace

void watch_for_signals() {
  for (int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction action {
    }, before{};
    action.sa_handler = record_signal;
    action.sa_flags = SA_RESTART | SA_RESETHAND;
    sigaction(signal, nullptr, &before);
    if (before.sa_handler != SIG_IGN) sigaction(signal, &action, nullptr);
  }
}

void stop_if_interrupted() {
  if (received != 0) throw interrupted{received};
}

}  // namespace cornerturn::cli
