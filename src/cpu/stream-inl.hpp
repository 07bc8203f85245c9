// Several files include this file for each target, inside its namespace.

#if HWY_TARGET == HWY_SCALAR

HWY_INLINE void stream_run(bytes* to, bytes const* from, offset count) { std::memcpy(to, from, std::size_t(count)); }

#else

/// True if a vector fills a cache line.
constexpr bool kWholeLines = hn::MaxLanes(hn::CappedTag<bytes, kCacheLine>()) == kCacheLine;

/// Writes the whole cache lines of a run that begins at a cache line, by non-temporal stores. Returns their size in bytes.
HWY_INLINE offset stream_lines(bytes* to, bytes const* from, offset count) {
  const hn::CappedTag<bytes, kCacheLine> d;
  offset const whole = count / kCacheLine * kCacheLine, step = offset(hn::Lanes(d));
  for (offset at = 0; at < whole; at += step) hn::Stream(hn::LoadU(d, from + at), d, to + at);
  return whole;
}

/// Writes an unaligned run: whole cache lines by non-temporal stores, and the bytes before and after them by normal stores.
HWY_INLINE void stream_run(bytes* to, bytes const* from, offset count) {
  auto const head = std::min<offset>(count, offset(-address_of(to) % kCacheLine));
  std::memcpy(to, from, std::size_t(head));
  auto const done = head + stream_lines(to + head, from + head, count - head);
  std::memcpy(to + done, from + done, std::size_t(count - done));
}

#endif
