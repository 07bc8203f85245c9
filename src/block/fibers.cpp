// _FORTIFY_SOURCE makes longjmp to another stack an error.
#undef _FORTIFY_SOURCE

#include "block/fibers.hpp"

#include <setjmp.h>
#include <ucontext.h>

#include <cstdint>
#include <stdexcept>
#include <utility>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#endif

namespace cornerturn {
namespace {

#if defined(__SANITIZE_ADDRESS__)
constexpr std::size_t kStackBytes = 1 << 18;
#else
constexpr std::size_t kStackBytes = 1 << 16;
#endif

/// Stacks of destroyed groups, which the next groups on this thread use again. New pages for hundreds of fibers cost more time
/// than a small problem.
std::vector<std::unique_ptr<char[]>>& spare_stacks() {
  thread_local std::vector<std::unique_ptr<char[]>> stacks;
  return stacks;
}

std::unique_ptr<char[]> take_stack() {
  auto& spare = spare_stacks();
  if (spare.empty()) return std::unique_ptr<char[]>(new char[kStackBytes]);
  auto stack = std::move(spare.back());
  spare.pop_back();
  return stack;
}

}  // namespace

struct fiber_group::fiber {
  ucontext_t context;
#if !defined(__SANITIZE_ADDRESS__)
  jmp_buf here;
  bool begun = false;  ///< true if the fiber continues at `here`, false if it starts in its context
#endif
  std::unique_ptr<char[]> stack;
  bool finished = true;
  void* fake_stack = nullptr;  // AddressSanitizer's own stack, kept while another fiber runs
  void const* bottom = nullptr;
  std::size_t bytes = 0;

#if defined(__SANITIZE_ADDRESS__)
  /// Switches from this fiber to another, and tells AddressSanitizer which stack is in use. AddressSanitizer does not support
  /// longjmp to another stack.
  void switch_to(fiber& other) {
    __sanitizer_start_switch_fiber(&fake_stack, other.bottom, other.bytes);
    swapcontext(&context, &other.context);
    __sanitizer_finish_switch_fiber(fake_stack, &other.bottom, &other.bytes);
  }
#else
  /// Switches from this fiber to another. A context has a signal mask, which needs a system call and so takes ten times as long
  /// as longjmp. Contexts are therefore only used to start on another stack.
  void switch_to(fiber& other) {
    begun = true;
    if (_setjmp(here) != 0) return;
    if (other.begun) _longjmp(other.here, 1);
    setcontext(&other.context);
  }
#endif
};

fiber_group::fiber_group(int count) : caller_(std::make_unique<fiber>()) {
  for (int i = 0; i < count; ++i) create(*fibers_.emplace_back(std::make_unique<fiber>()));
}

void fiber_group::create(fiber& each) {
  each.stack = take_stack();
  each.bottom = each.stack.get(), each.bytes = kStackBytes;
  getcontext(&each.context);
  each.context.uc_stack = {.ss_sp = each.stack.get(), .ss_flags = 0, .ss_size = kStackBytes};
  auto const self = reinterpret_cast<std::uintptr_t>(this);
  makecontext(&each.context, reinterpret_cast<void (*)()>(&enter), 2, unsigned(self), unsigned(self >> 32));
}

fiber_group::~fiber_group() {
  for (auto& each : fibers_) spare_stacks().push_back(std::move(each->stack));
}

void fiber_group::enter(unsigned low, unsigned high) {
  auto* const self = reinterpret_cast<fiber_group*>(std::uintptr_t(high) << 32 | low);
  auto& here = *self->fibers_[self->current_];
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_finish_switch_fiber(nullptr, &self->caller_->bottom, &self->caller_->bytes);
  here.context.uc_stack = {};  // otherwise each switch to it clears the whole shadow memory of its stack
#endif
  for (;;) {  // after its body, a fiber waits for the next run
    try {
      (*self->body_)();
    } catch (...) {  // an exception must not leave this stack
      self->failure_ = std::current_exception();
    }
    here.finished = true;
    self->yield();
  }
}

void fiber_group::yield() { fibers_[current_]->switch_to(*caller_); }

void fiber_group::resume(int index) {
  current_ = index;
  caller_->switch_to(*fibers_[index]);
}

void fiber_group::run(std::function<void()> const& body, bool backwards) {
  body_ = &body;
  for (auto& each : fibers_) each->finished = false;
  for (int waiting = count(); waiting > 0;) {
    waiting = 0;
    for (int n = 0; n < count(); ++n) {
      int const i = backwards ? count() - 1 - n : n;
      resume(i);
      if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
      waiting += !fibers_[i]->finished;
    }
    if (waiting != 0 && waiting != count()) throw std::logic_error("a barrier that not every thread of the block reaches");
  }
}

}  // namespace cornerturn
