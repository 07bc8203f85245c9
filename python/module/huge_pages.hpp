#pragma once

#include <cstdint>

namespace cornerturn::python {

/// Asks the system for huge pages for a new result of 4 MiB and more in host memory, as NumPy does for its arrays. With pages of
/// 4 KiB the first write of each takes longer than its copy. Only huge pages that lie within the result are asked for, so it
/// takes no more memory. Without effect if the system refuses.
void ask_for_huge_pages(void const* data, std::uint64_t bytes);

/// The same for memory that may not be new: nothing is asked for if its first huge page has memory already.
void ask_for_huge_pages_if_new(void const* data, std::uint64_t bytes);

}  // namespace cornerturn::python
