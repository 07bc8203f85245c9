// tiles.cpp includes this file for each target, inside its namespace.

/// True if a vector fills a cache line.
constexpr bool kWholeLines = hn::MaxLanes(hn::CappedTag<bytes, kCacheLine>()) == kCacheLine;

/// Writes the whole cache lines of a run that begins at a cache line, by non-temporal stores. Returns their size in bytes.
HWY_INLINE offset stream_lines(bytes* to, bytes const* from, offset count) {
  const hn::CappedTag<bytes, kCacheLine> d;
  offset const whole = count / kCacheLine * kCacheLine, step = offset(hn::Lanes(d));
  for (offset at = 0; at < whole; at += step) hn::Stream(hn::LoadU(d, from + at), d, to + at);
  return whole;
}
