# The program that moves random problems by every plan of the CPU, with every set of instructions. `objects` are those of the library.

file(GLOB fuzz_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/fuzz/*.cpp)
list(FILTER fuzz_sources EXCLUDE REGEX "/notation\\.cpp$")  # libFuzzer's: scripts/fuzz
add_executable(cornerturn_cpu_fuzz ${fuzz_sources} ${PROJECT_SOURCE_DIR}/tests/support/plain.cpp)
target_include_directories(cornerturn_cpu_fuzz PRIVATE ${PROJECT_SOURCE_DIR}/tests)
target_link_libraries(cornerturn_cpu_fuzz PRIVATE ${objects} CLI11::CLI11)
# a few seconds each; an emulator and the thread sanitizer are many times as slow
set(problems 2000)
if(CORNERTURN_CPU_TESTS)
  set(problems 300)
endif()
foreach(kind IN ITEMS copy change inplace)
  add_test(NAME fuzz.${kind} COMMAND cornerturn_cpu_fuzz --kinds ${kind} --problems ${problems})
endforeach()
# Each reachable pair of decisions is drawn; bench/results/cpu-fuzz.txt has a run in which each was drawn a hundred times.
if(NOT CORNERTURN_CPU_TESTS)
  add_test(NAME fuzz.decisions COMMAND cornerturn_cpu_fuzz --problems 40000 --seed 650000 --least 1 --processes 2)
  set_tests_properties(fuzz.decisions PROPERTIES LABELS slow PROCESSORS 2)
endif()
