#include "interrupt.hpp"

#include <csignal>
#include <initializer_list>

namespace cornerturn::cli {
namespace {

volatile std::sig_atomic_t noted = 0;

void note(int signal) { noted = signal; }

}  // namespace

void watch_for_signals() {
  for (int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction action {
    }, before{};
    action.sa_handler = note;
    action.sa_flags = SA_RESTART | SA_RESETHAND;
    sigaction(signal, nullptr, &before);
    if (before.sa_handler != SIG_IGN) sigaction(signal, &action, nullptr);
  }
}

void stop_if_interrupted() {
  if (noted != 0) throw interrupted{noted};
}

}  // namespace cornerturn::cli
