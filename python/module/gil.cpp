#include "gil.hpp"

#include <pthread.h>

#include <atomic>

namespace cornerturn::python {
namespace {

std::atomic<int> running = 0;
bool is_finalizing = false;  // guarded by the GIL

void wait_for_running_calls() {
  is_finalizing = true;
  PyThreadState* const state = PyEval_SaveThread();
  for (int count = running; count > 0; count = running) running.wait(count);
  PyEval_RestoreThread(state);
}

}  // namespace

gil_release::gil_release(bool release) : state_(nullptr) {
  if (is_finalizing || !release) return;
  ++running;
  state_ = PyEval_SaveThread();
}

gil_release::~gil_release() {
  if (!state_) return;
  PyEval_RestoreThread(state_);
  if (--running == 0) running.notify_all();
}

void wait_for_calls_at_exit() {
  nanobind::module_::import_("atexit").attr("register")(nanobind::cpp_function(wait_for_running_calls));
  pthread_atfork(nullptr, nullptr, [] { running = 0; });  // the other threads do not exist in the child
}

}  // namespace cornerturn::python
