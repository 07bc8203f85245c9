# The tests of threads and of vector code, including files and calls from many threads, with only the parts of the library that they
# use: quick to build under the thread sanitizer and for other processors.

set(src ${PROJECT_SOURCE_DIR}/src)
set(tests ${PROJECT_SOURCE_DIR}/tests)
file(GLOB sources CONFIGURE_DEPENDS ${src}/base/*.cpp ${src}/problem/*.cpp ${src}/machine/*.cpp ${src}/machine/cpus/*.cpp ${src}/machine/gpus/*.cpp
     ${src}/engine/cpu/*.cpp ${src}/engine/cpu/ladder/*.cpp ${src}/engine/file/*.cpp ${src}/measure/*.cpp ${src}/inplace/*.cpp
     ${src}/plan/*.cpp ${src}/cpu/*.cpp ${src}/cpu/*/*.cpp ${src}/kernel/*.cpp ${src}/kernel/*/*.cpp ${src}/file/*.cpp
     ${src}/distributed/*.cpp ${src}/ranks/*.cpp ${src}/pattern/*.cpp ${src}/layout/*.cpp)
list(FILTER sources EXCLUDE REGEX "/kernel/.*/(host|launch)\\.cpp$")  # no kernels run here
foreach(name IN ITEMS batch choice info memory one_shot permute plan prepare rearrange rearrange_bits transpose_file
        transpose_file_inplace)
  list(APPEND sources ${src}/api/${name}.cpp)
endforeach()
file(GLOB test_sources CONFIGURE_DEPENDS ${tests}/cpu/*.cpp ${tests}/engine/cpu_*.cpp ${tests}/distributed/*.cpp
     ${tests}/ranks/*.cpp ${tests}/support/*.cpp)
foreach(name IN ITEMS api/plan api/threads api/transpose_file plan/cache)
  list(APPEND test_sources ${tests}/${name}_test.cpp)
endforeach()
add_library(cornerturn_cpu_objects OBJECT ${sources} ${known_gpus} ${src}/engine/gpu/gpu_stub.cpp)
set_property(SOURCE ${highway_sources} PROPERTY SKIP_UNITY_BUILD_INCLUSION ON)
set_property(SOURCE ${src}/api/info.cpp ${src}/api/choice.cpp PROPERTY COMPILE_DEFINITIONS CORNERTURN_VERSION="${PROJECT_VERSION}")
target_include_directories(cornerturn_cpu_objects PUBLIC ${src} ${PROJECT_SOURCE_DIR}/include)
target_compile_definitions(cornerturn_cpu_objects PUBLIC CORNERTURN_KERNELS=ladder $<$<BOOL:${CMAKE_CROSSCOMPILING}>:CORNERTURN_EMULATED>)
target_link_libraries(cornerturn_cpu_objects PUBLIC cornerturn_flags cute fmt::fmt hwy::hwy)
# the libraries of another processor are in a folder of their own
set(CMAKE_BUILD_WITH_INSTALL_RPATH OFF)
add_gtest_program(cornerturn_cpu_tests cornerturn_cpu_objects ${test_sources})
foreach(shard RANGE 1 4)
  math(EXPR index "${shard} - 1")
  add_test(NAME cpu.${shard} COMMAND cornerturn_cpu_tests --gtest_brief=1)
  set_property(TEST cpu.${shard} PROPERTY ENVIRONMENT GTEST_TOTAL_SHARDS=4 GTEST_SHARD_INDEX=${index})
endforeach()
set(objects cornerturn_cpu_objects)
include(${CMAKE_CURRENT_LIST_DIR}/cpu_fuzz.cmake)
