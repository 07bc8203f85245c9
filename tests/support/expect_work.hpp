#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "base/planning_work.hpp"

namespace cornerturn::test {

/// The work of planning that a call does.
template <class Call>
planning_work work_of(Call const& call) {
  work_of_planning = {};
  call();
  return work_of_planning;
}

/// Expects that some planning has done at most this much, of everything that is counted.
inline void expect_work_within(planning_work const& done, planning_work const& most, std::string const& what) {
  struct {
    char const* name;
    std::int64_t planning_work::*count;
  } const counts[] = {
      {"candidates", &planning_work::candidates}, {"tilings", &planning_work::tilings},     {"pieces", &planning_work::pieces},
      {"offsets", &planning_work::offsets},       {"shuffled", &planning_work::shuffled},   {"cuts", &planning_work::cuts},
      {"factors", &planning_work::factors},       {"exchanges", &planning_work::exchanges}, {"edges", &planning_work::edges}};
  for (auto const& [name, count] : counts) EXPECT_LE(done.*count, most.*count) << name << " of " << what;
}

}  // namespace cornerturn::test
