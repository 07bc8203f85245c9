#include "plan/place.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include "gtest/gtest.h"
#include "support/message.hpp"

namespace cornerturn {
namespace {

using test::message_of;
using enum pointer_attributes::memory;

constexpr pointer_attributes kUnqueried{}, kUnknown{unregistered}, kPinned{host, 0}, kOn0{device, 0}, kOn1{device, 1},
    kManaged{managed, 0};

int automatic(pointer_attributes source, pointer_attributes destination, bool capturing = false) {
  return place_of(processor_kind::automatic, {source, destination, capturing});
}

TEST(place, follows_the_memory) {
  EXPECT_EQ(automatic(kUnqueried, kUnqueried), kHost);
  EXPECT_EQ(automatic(kUnknown, kUnknown), kHost);
  EXPECT_EQ(automatic(kPinned, kUnknown), kHost);
  EXPECT_EQ(automatic(kOn0, kOn0), 0);
  EXPECT_EQ(automatic(kOn1, kOn1), 1);
}

TEST(place, is_any_that_reaches_managed_memory) {
  EXPECT_EQ(automatic(kManaged, kManaged), 0);
  EXPECT_EQ(automatic(kManaged, kOn1), 1);
  EXPECT_EQ(automatic(kOn1, kManaged), 1);
  for (auto const& of_host : {kUnknown, kPinned}) {
    EXPECT_EQ(automatic(kManaged, of_host), kHost);
    EXPECT_EQ(automatic(of_host, kManaged), kHost);
    for (auto const asked : {processor_kind::cpu, processor_kind::gpu}) EXPECT_EQ(place_of(asked, {kManaged, of_host}), kHost);
  }
  EXPECT_EQ(place_of(processor_kind::cpu, {kManaged, kManaged}), kHost);
  EXPECT_EQ(place_of(processor_kind::gpu, {kManaged, kManaged}), 0);
}

TEST(place, differs_between_the_sides) {
  EXPECT_EQ(message_of([] { automatic(kOn0, kUnknown); }),
            "destination is unregistered memory (the host's, or allocated during a capture); it must be memory of device 0, as "
            "the source is");
  EXPECT_EQ(message_of([] { automatic(kPinned, kOn0); }),
            "destination is memory of device 0; it must be host memory, as the source is");
  EXPECT_EQ(message_of([] { automatic(kOn0, kOn1); }),
            "destination is memory of device 1; it must be memory of device 0, as the source is");
  EXPECT_EQ(message_of([] {
              place_of(processor_kind::cpu, {kManaged, kOn1});
            }),
            "destination is memory of device 1; it must be host memory where processor is cpu");
}

/// CUDA does not know memory that was allocated by the stream while it was being captured.
TEST(place, of_unknown_memory_on_a_capturing_stream_is_the_gpu_of_the_other_side) {
  EXPECT_EQ(automatic(kUnknown, kOn1, true), 1);
  EXPECT_EQ(automatic(kOn1, kUnknown, true), 1);
  EXPECT_EQ(automatic(kManaged, kManaged, true), 0);
}

TEST(place, of_memory_on_a_capturing_stream_is_the_cpu_only_where_that_is_asked_for) {
  constexpr auto kMust =
      " memory on a stream that is being captured; it must be a GPU's, with its number given as device, unless "
      "processor is cpu";
  for (auto const asked : {processor_kind::automatic, processor_kind::gpu}) {
    auto const said = [&](pointer_attributes source, pointer_attributes destination) {
      return message_of([&] { place_of(asked, {source, destination, true}); });
    };
    EXPECT_EQ(said(kUnknown, kUnknown), std::string("source is unregistered") + kMust);
    EXPECT_EQ(said(kPinned, kUnknown), std::string("source is host") + kMust);
    EXPECT_EQ(said(kManaged, kUnknown), std::string("destination is unregistered") + kMust);
  }
  EXPECT_EQ(place_of(processor_kind::cpu, {kUnknown, kPinned, true}), kHost);
}

/// Three pages, of which the CPU cannot read the middle one.
struct guarded_pages {
  std::int64_t const page = sysconf(_SC_PAGESIZE);
  char* const begin = static_cast<char*>(mmap(nullptr, 3 * page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  guarded_pages() { EXPECT_EQ(mprotect(begin + page, page, PROT_NONE), 0); }
  guarded_pages(guarded_pages const&) = delete;
  ~guarded_pages() { munmap(begin, 3 * page); }
};

/// A stream other than the call's may have allocated the memory during its capture, and the state of streams need not show it.
TEST(place, of_memory_that_the_cpu_cannot_read_is_never_the_cpu) {
  guarded_pages const pages;
  auto const said = [&](int place, call_memory const& memory, accessed_bytes const& read, accessed_bytes const& written) {
    return message_of([&] { refuse_unreadable(place, memory, read, written); });
  };
  constexpr auto kSaid =
      " is unregistered memory that the CPU cannot read; it must be host memory, or a GPU's, with its number given as device "
      "(CUDA does not know memory allocated during a capture)";
  accessed_bytes const allowed{pages.begin, {0, pages.page}};
  auto const page = pages.page;
  for (accessed_bytes const& captured :
       {accessed_bytes{pages.begin + page, {0, 8}}, accessed_bytes{pages.begin, {page, page + 8}},
        accessed_bytes{pages.begin, {0, page + 8}}, accessed_bytes{pages.begin + 2 * page, {-8, 8}}}) {
    for (auto const& other : {kUnqueried, kUnknown, kPinned, kManaged}) {
      EXPECT_EQ(said(kHost, {kUnknown, other}, captured, allowed), std::string("source") + kSaid);
      EXPECT_EQ(said(kHost, {other, kUnknown}, allowed, captured), std::string("destination") + kSaid);
    }
    EXPECT_EQ(said(1, {kUnknown, kUnknown}, captured, captured), "");
    EXPECT_EQ(said(kHost, {kUnqueried, kPinned}, captured, captured), "");
  }
  // the pointers may be to memory that is not accessed
  EXPECT_EQ(said(kHost, {kUnknown, kUnknown}, {pages.begin + page, {-page, 0}}, {pages.begin + page, {page, 2 * page}}), "");
}

TEST(place, of_a_plan_reaches_both_sides) {
  for (auto const& source : {kUnknown, kPinned, kManaged})
    for (auto const& destination : {kUnknown, kPinned, kManaged}) refuse_unreachable(kHost, {source, destination});
  refuse_unreachable(1, {kOn1, kManaged});
  refuse_unreachable(1, {kUnknown, kUnknown, true});
  EXPECT_EQ(message_of([] {
              refuse_unreachable(1, {kOn1, kUnknown});
            }),
            "destination is unregistered memory (the host's, or allocated during a capture); it must be memory of device 1, "
            "which the plan was made for");
  EXPECT_EQ(message_of([] {
              refuse_unreachable(kHost, {kOn1, kOn1});
            }),
            "source is memory of device 1; it must be host memory, which the plan was made for");
  EXPECT_EQ(message_of([] {
              refuse_unreachable(1, {kPinned, kOn1, true});
            }),
            "source is host memory; it must be memory of device 1, which the plan was made for");
}

TEST(place, of_host_memory_that_a_gpu_may_use) {
  EXPECT_TRUE(is_shared_with_gpu(kHost, {kUnknown, kPinned}));
  EXPECT_TRUE(is_shared_with_gpu(kHost, {kManaged, kUnknown}));
  EXPECT_FALSE(is_shared_with_gpu(kHost, {kUnknown, kUnknown}));
  EXPECT_FALSE(is_shared_with_gpu(0, {kManaged, kManaged}));
}

}  // namespace
}  // namespace cornerturn
