#pragma once

#include <atomic>
#include <memory>

namespace cornerturn {

/// An object that is made when it is first asked for. It is never destroyed, as threads may outlive the end of main. Declared
/// `static constinit`, it takes the place of a function-local static, whose initialisation by one thread while another one forks
/// would leave the child waiting for it forever. Threads that ask at once may each make an object; the first one stays.
template <class T>
class fork_safe_static {
 public:
  template <class Make>
  T& get(Make const& make) {
    if (T* const made = made_.load(std::memory_order_acquire)) return *made;
    std::unique_ptr<T> fresh(new T(make()));  // not by make_unique, as T may be one that cannot be moved
    T* first = nullptr;
    return made_.compare_exchange_strong(first, fresh.get(), std::memory_order_acq_rel) ? *fresh.release() : *first;
  }

 private:
  std::atomic<T*> made_ = nullptr;
};

}  // namespace cornerturn
