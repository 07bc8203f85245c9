# The program that moves random problems by every plan of the CPU, with every set of instructions. `objects` are those of the library.

file(GLOB fuzz_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/fuzz/*.cpp)
list(FILTER fuzz_sources EXCLUDE REGEX "/notation\\.cpp$")  # libFuzzer's: scripts/fuzz
if(CORNERTURN_CPU_TESTS)
  list(FILTER fuzz_sources EXCLUDE REGEX "/(c_calls|gpu_[a-z]+)\\.cpp$")  # a build of parts has no C interface and no executor
endif()
add_executable(cornerturn_cpu_fuzz ${fuzz_sources} ${PROJECT_SOURCE_DIR}/tests/support/plain.cpp)
target_include_directories(cornerturn_cpu_fuzz PRIVATE ${PROJECT_SOURCE_DIR}/tests)
target_compile_definitions(cornerturn_cpu_fuzz PRIVATE $<$<BOOL:${CORNERTURN_CPU_TESTS}>:CORNERTURN_CPU_TESTS>)
target_link_libraries(cornerturn_cpu_fuzz PRIVATE ${objects} CLI11::CLI11)
target_compile_options(cornerturn_cpu_fuzz PRIVATE $<$<CONFIG:Release>:-O1> ${fewer_checks})  # tests/CMakeLists.txt says why
# a few seconds each; an emulator and the thread sanitizer are many times as slow
set(problems copy=2000 change=2000 inplace=2000 quantize=1000 files=1000 c=2000 gpu=400 gpu-change=400 gpu-inplace=400 gpu-quantize=200 gpu-packed=100 limited=2000 gpu-limited=200)
if(CORNERTURN_CPU_TESTS)
  set(problems copy=300 change=300 inplace=300 quantize=100 files=100 limited=100)
elseif(CMAKE_BUILD_TYPE STREQUAL "Debug")
  # The host executor is slow under the address sanitizer, whose unit tests run every kernel.
  string(REGEX REPLACE "(gpu[a-z-]*)=[0-9]+" "\\1=50" problems "${problems}")
endif()
foreach(each IN LISTS problems)
  string(REPLACE "=" ";" each ${each})
  list(GET each 0 kind)
  list(GET each 1 number)
  add_test(NAME fuzz.${kind} COMMAND cornerturn_cpu_fuzz --kinds ${kind} --problems ${number})
endforeach()
# Each reachable pair of decisions is drawn. docs/notebook/cpu.md tells of longer runs that drew most of them a hundred times.
if(NOT CORNERTURN_CPU_TESTS)
  add_test(NAME fuzz.decisions COMMAND cornerturn_cpu_fuzz --kinds copy,change,inplace --problems 20000 --seed 5000000 --least 1 --processes 2)
  add_test(NAME fuzz.decisions_of_calls COMMAND cornerturn_cpu_fuzz --kinds quantize,files,c,limited --problems 3000 --seed 650000 --least 1 --processes 2)
  add_test(NAME fuzz.decisions_of_gpu_plans COMMAND cornerturn_cpu_fuzz --kinds gpu,gpu-change,gpu-inplace,gpu-quantize,gpu-packed,gpu-limited --problems 1000 --seed 5000000 --least 1 --processes 2)
  set_tests_properties(fuzz.decisions fuzz.decisions_of_calls fuzz.decisions_of_gpu_plans PROPERTIES LABELS slow PROCESSORS 2)
endif()
