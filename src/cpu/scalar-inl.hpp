// tiles.cpp includes this file instead of the files with vectors, if the target is a processor whose vectors Highway does not
// know.

template <int Size>
bool stays_inside(panel const&, cpu_plan const&) {
  return true;
}

template <int Size>
void transpose_elements(panel const& p, cpu_plan const&) {
  for (offset i = 0; i < p.rows; ++i)
    for (offset j = 0; j < p.columns; ++j)
      std::memcpy(p.image + j * p.pitch + i * Size, p.source + p.row_source[i] + j * Size, Size);
}

template <int Size>
bool transpose_by_squares(panel const&, cpu_plan const&) {
  return false;
}

HWY_INLINE offset stream_lines(bytes* to, bytes const* from, offset count) {
  offset const whole = count / kCacheLine * kCacheLine;
  std::memcpy(to, from, std::size_t(whole));
  return whole;
}

constexpr bool kWholeLines = false;

HWY_INLINE void stream_joined(bytes* line, bytes const* first, bytes const* second, offset before) {
  std::memcpy(line, first, std::size_t(before));
  std::memcpy(line + before, second + before, std::size_t(kCacheLine - before));
}
