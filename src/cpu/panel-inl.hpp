// Several files include this file for each target, inside its namespace.

HWY_INLINE std::byte const* const* as_bytes(bytes const* const* rows) { return reinterpret_cast<std::byte const* const*>(rows); }
HWY_INLINE std::byte* as_bytes(bytes* pointer) { return reinterpret_cast<std::byte*>(pointer); }

HWY_INLINE std::uintptr_t address_of(bytes const* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }

HWY_INLINE std::uintptr_t page_of(bytes const* pointer) { return address_of(pointer) / kPage; }

/// True if memory may be read up to `end`, which is less than a page after a row's end. A page after the row's last page may not
/// be mapped.
HWY_INLINE bool may_read(panel const& p, bytes const* row_end, bytes const* end) {
  return end <= row_end || (end <= p.source_end && page_of(row_end - 1) == page_of(end - 1));
}

/// Prefetches a cache line into the level 2 cache.
HWY_INLINE void prefetch(bytes const* line) { __builtin_prefetch(line, 0, 2); }

/// Calls body with `value` as a compile-time constant, if it is one of `Values`. Returns the result of `body`, or true if `body`
/// returns void. Returns false if `value` is not among `Values`.
template <int... Values, class Body>
HWY_INLINE bool with_constant(offset value, Body const& body) {
  auto const call = [&](auto constant) HWY_ATTR {
    if constexpr (std::is_void_v<decltype(body(constant))>)
      return body(constant), true;
    else
      return body(constant);
  };
  return ((value == Values && call(std::integral_constant<int, Values>())) || ...);
}

/// Calls body with `unit` as a compile-time constant and returns the result. Returns false if no element has this size.
template <class Body>
HWY_INLINE bool with_element(offset unit, Body const& body) {
  return with_constant<1, 2, 4, 8, 16>(unit, body);
}
