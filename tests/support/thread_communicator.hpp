#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <functional>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "cornerturn/distributed.hpp"

namespace cornerturn::test {

/// Ranks that are threads of this process. A message is copied when its receiver waits for it, so that a sender that changes its
/// buffer too early, or a receiver that reads too early, fails.
class thread_job {
 public:
  explicit thread_job(int ranks) : ranks_(ranks) {}

  /// Runs a function once per rank, each on a thread of its own. Returns what each one threw; empty if it returned.
  std::vector<std::string> run(std::function<void(distributed::communicator&)> const& of_rank) {
    std::vector<std::string> thrown(ranks_);
    std::vector<std::thread> threads;
    for (int rank = 0; rank < ranks_; ++rank)
      threads.emplace_back([&, rank] {
        thread_rank self(*this, rank);
        try {
          of_rank(self);
        } catch (std::exception const& e) {
          thrown[rank] = e.what();
        }
      });
    for (auto& each : threads) each.join();
    return thrown;
  }

  std::size_t most_pending = 0;  ///< the maximum number of messages that one rank had sent without waiting

 private:
  using message_key = std::tuple<int, int, int>;  // the sender, the receiver and the number among the messages between them

  struct sent {
    void const* data;
    std::int64_t bytes;
    bool taken = false;
  };

  class thread_rank : public distributed::communicator {
   public:
    thread_rank(thread_job& job, int rank) : job_(job), rank_(rank) {}
    int rank() const override { return rank_; }
    int size() const override { return job_.ranks_; }

    std::int64_t isend(void const* data, std::int64_t bytes, int peer) override {
      std::lock_guard const lock(job_.mutex_);
      job_.wire_.insert({{rank_, peer, sent_to_[peer]}, {data, bytes}});
      job_.most_pending = std::max(job_.most_pending, ++pending_);
      job_.changed_.notify_all();
      requests_.push_back({nullptr, bytes, {rank_, peer, sent_to_[peer]++}});
      return std::int64_t(requests_.size()) - 1;
    }

    std::int64_t irecv(void* data, std::int64_t bytes, int peer) override {
      requests_.push_back({data, bytes, {peer, rank_, received_from_[peer]++}});
      return std::int64_t(requests_.size()) - 1;
    }

    void wait(std::int64_t number) override {
      auto const& [data, bytes, key] = requests_.at(number);
      std::unique_lock lock(job_.mutex_);
      job_.wait_until(lock, [&] { return job_.wire_.contains(key) && job_.wire_.at(key).taken == !data; });
      auto& message = job_.wire_.at(key);
      if (message.bytes != bytes) throw std::logic_error("a message of another size");
      if (data) {
        std::memcpy(data, message.data, std::size_t(bytes));
        message.taken = true;
      } else {
        job_.wire_.erase(key);
        --pending_;
      }
      job_.changed_.notify_all();
    }

    void all_min(std::span<std::int64_t> values) override {
      std::unique_lock lock(job_.mutex_);
      job_.wait_until(lock, [&] { return !job_.is_leaving_; });
      if (job_.arrived_++ == 0) job_.smallest_.assign(values.begin(), values.end());
      if (job_.smallest_.size() != values.size()) throw std::logic_error("another number of values");
      for (std::size_t i = 0; i < values.size(); ++i) job_.smallest_[i] = std::min(job_.smallest_[i], values[i]);
      if (job_.arrived_ == job_.ranks_) job_.is_leaving_ = true;
      job_.changed_.notify_all();
      job_.wait_until(lock, [&] { return job_.is_leaving_; });
      std::ranges::copy(job_.smallest_, values.begin());
      if (--job_.arrived_ == 0) job_.is_leaving_ = false;
      job_.changed_.notify_all();
    }

    void abort(std::string_view reason) override {
      std::lock_guard const lock(job_.mutex_);
      job_.aborted_ = "rank " + std::to_string(rank_) + " failed: " + std::string(reason);
      job_.changed_.notify_all();
    }

   private:
    struct request {
      void* data;  // null for a message that is sent
      std::int64_t bytes;
      message_key key;
    };

    thread_job& job_;
    int rank_;
    std::vector<request> requests_;
    std::map<int, int> sent_to_, received_from_;  // by peer: the number of messages
    std::size_t pending_ = 0;
  };

  template <class Condition>
  void wait_until(std::unique_lock<std::mutex>& lock, Condition const& condition) {
    constexpr std::chrono::seconds kTimeout(600);
    if (!changed_.wait_for(lock, kTimeout, [&] { return !aborted_.empty() || condition(); }))
      throw std::runtime_error("timed out");
    if (!aborted_.empty()) throw std::runtime_error(aborted_);
  }

  int ranks_, arrived_ = 0;
  bool is_leaving_ = false;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<message_key, sent> wire_;
  std::vector<std::int64_t> smallest_;
  std::string aborted_;
};

}  // namespace cornerturn::test
