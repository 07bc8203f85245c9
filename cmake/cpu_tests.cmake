# The tests of what runs on threads or in vector registers, with no more of the library than they use: quick to build under the
# thread sanitizer and for other processors.

set(src ${PROJECT_SOURCE_DIR}/src)
set(tests ${PROJECT_SOURCE_DIR}/tests)
file(GLOB sources CONFIGURE_DEPENDS ${src}/problem/*.cpp ${src}/engine/cpu/*.cpp ${src}/engine/cpu/ladder/*.cpp
     ${src}/measure/*.cpp ${src}/plan/cpu_*.cpp ${tests}/engine/cpu_*.cpp ${tests}/plan/cpu_*.cpp ${tests}/support/*.cpp)
add_executable(cornerturn_cpu_tests ${sources} ${src}/api/types.cpp ${src}/plan/cache.cpp ${tests}/plan/cache_test.cpp)
target_include_directories(cornerturn_cpu_tests PRIVATE ${src} ${tests} ${PROJECT_SOURCE_DIR}/include)
target_link_libraries(cornerturn_cpu_tests PRIVATE cornerturn_flags cute fmt::fmt hwy::hwy GTest::gtest_main)
add_test(NAME cpu COMMAND cornerturn_cpu_tests --gtest_brief=1)
