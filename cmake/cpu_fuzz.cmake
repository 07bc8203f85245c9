# The program that moves random problems by every plan of the CPU, with every set of instructions. `objects` are those of the library.

file(GLOB fuzz_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/fuzz/*.cpp)
list(FILTER fuzz_sources EXCLUDE REGEX "/notation\\.cpp$")  # libFuzzer's: scripts/fuzz
if(CORNERTURN_CPU_TESTS)
  list(FILTER fuzz_sources EXCLUDE REGEX "/(c_calls|gpu_[a-z]+)\\.cpp$")  # a build of parts has no C interface and no executor
endif()
add_test_program(cornerturn_cpu_fuzz ${objects} ${fuzz_sources} ${PROJECT_SOURCE_DIR}/tests/support/plain.cpp)
target_compile_definitions(cornerturn_cpu_fuzz_code PRIVATE $<$<BOOL:${CORNERTURN_CPU_TESTS}>:CORNERTURN_CPU_TESTS>)
target_link_libraries(cornerturn_cpu_fuzz_code PRIVATE CLI11::CLI11)
# A test of each kind takes a few seconds. If its problems do not draw every reachable pair of decisions, a slow test does.
# docs/notebook/cpu.md tells of longer runs that drew most pairs a hundred times.
file(STRINGS ${PROJECT_SOURCE_DIR}/tests/fuzz/kinds.def kinds REGEX "^KIND")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/fuzz/kinds.def)
foreach(row IN LISTS kinds)
  string(REGEX REPLACE "^KIND\\(\"([a-z-]+)\", [a-z_]+, ([0-9]+), ([0-9]+), .*" "\\1;\\2;\\3" row "${row}")
  list(GET row 0 kind)
  list(GET row 1 problems)
  list(GET row 2 all)
  set(share 1)
  if(CORNERTURN_CPU_TESTS)
    set(share 10)  # an emulator and the thread sanitizer are many times as slow
  elseif(CORNERTURN_SANITIZE AND kind MATCHES "^gpu")
    set(share 8)  # so is the host executor under the address sanitizer, whose unit tests run every kernel
  endif()
  if(CORNERTURN_CPU_TESTS AND kind MATCHES "^(c$|gpu)")
    continue()
  endif()
  math(EXPR number "${problems} / ${share}")
  set(drawn "")
  if(share EQUAL 1 AND number GREATER_EQUAL all)
    set(drawn --least 1)
  elseif(NOT CORNERTURN_CPU_TESTS AND problems LESS all)
    add_test(NAME fuzz.decisions.${kind}
             COMMAND cornerturn_cpu_fuzz --kinds ${kind} --problems ${all} --seed 5000000 --least 1 --processes 2)
    set_tests_properties(fuzz.decisions.${kind} PROPERTIES LABELS slow PROCESSORS 2)
  endif()
  add_test(NAME fuzz.${kind} COMMAND cornerturn_cpu_fuzz --kinds ${kind} --problems ${number} ${drawn})
endforeach()
