#include "gil.hpp"

#include <pthread.h>
#include <unistd.h>
#include <unwind.h>

#include <atomic>

namespace cornerturn::python {
namespace {

std::atomic<int> running = 0;
bool is_finalizing = false;  // guarded by the GIL

void wait_for_running_calls() {
  is_finalizing = true;
  if (running == 0) return;  // an interpreter that ends with the main one could not take the GIL again
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

extern "C" {

_Unwind_Reason_Code __real___gxx_personality_v0(int, _Unwind_Action, _Unwind_Exception_Class, _Unwind_Exception*,
                                                _Unwind_Context*);

/// What the unwinder calls for each frame of the module, instead of the function of the C++ runtime (the linker's --wrap). Python
/// up to 3.13 ends a thread that takes the GIL while the interpreter exits, by unwinding its stack. The destructors of the
/// module's frames would then release Python objects without the GIL. So the thread stops for good before the first of them, as
/// threads do in Python 3.14.
_Unwind_Reason_Code __wrap___gxx_personality_v0(int version, _Unwind_Action actions, _Unwind_Exception_Class kind,
                                                _Unwind_Exception* thrown, _Unwind_Context* frame) {
  while (actions & _UA_FORCE_UNWIND) ::pause();
  return __real___gxx_personality_v0(version, actions, kind, thrown, frame);
}
}
