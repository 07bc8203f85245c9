#include "gil.hpp"

#include <pthread.h>

#include <atomic>

namespace cornerturn::python {
namespace {

std::atomic<int> running = 0;
bool is_ending = false;  // read and written with the GIL

void wait_for_the_running() {
  is_ending = true;
  PyThreadState* const state = PyEval_SaveThread();
  for (int count = running; count > 0; count = running) running.wait(count);
  PyEval_RestoreThread(state);
}

}  // namespace

gil_release::gil_release(bool is_worth_it) : state_(nullptr) {
  if (is_ending || !is_worth_it) return;
  ++running;
  state_ = PyEval_SaveThread();
}

gil_release::~gil_release() {
  if (!state_) return;
  PyEval_RestoreThread(state_);
  if (--running == 0) running.notify_all();
}

void guard_the_end() {
  nanobind::module_::import_("atexit").attr("register")(nanobind::cpp_function(wait_for_the_running));
  pthread_atfork(nullptr, nullptr, [] { running = 0; });  // the other threads are not in the child
}

}  // namespace cornerturn::python
