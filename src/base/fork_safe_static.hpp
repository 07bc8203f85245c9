#pragma once

#include <atomic>
#include <memory>

namespace cornerturn {

/// An object that is constructed on first use. It is never destroyed, as threads may outlive the end of main. Declared
/// `static constinit`, it replaces a function-local static: if one thread initialised that while another one forked, the child
/// would wait for it forever. Concurrent first uses may each construct an object; the first one stored stays.
template <class T>
class fork_safe_static {
 public:
  template <class Make>
  T& get(Make const& make) {
    if (T* const made = made_.load(std::memory_order_acquire)) return *made;
    std::unique_ptr<T> fresh(new T(make()));  // unlike make_unique, this needs no move constructor
    T* first = nullptr;
    return made_.compare_exchange_strong(first, fresh.get(), std::memory_order_acq_rel) ? *fresh.release() : *first;
  }

 protected:
  std::atomic<T*> made_ = nullptr;
};

/// Such an object as a mutable member of another one, which destroys it.
template <class T>
class fork_safe_member : public fork_safe_static<T> {
 public:
  ~fork_safe_member() { delete this->made_.load(); }
};

}  // namespace cornerturn
