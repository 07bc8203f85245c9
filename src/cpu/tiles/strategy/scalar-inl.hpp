// tiles.cpp includes this file instead of the strategies that need vectors, for a target without.

inline void shuffle(call const& c, tile const& t) { c.plan.load.is_apart() ? gather(c, t) : transpose_image(c, t); }

inline void transpose_nt(call const& c, tile const& t) { transpose_rows_by_image(c, t, 0, t.rows); }

constexpr auto deinterleave_nt = transpose_nt;
constexpr auto interleave_nt = transpose_image, transpose_staged = transpose_image;
