# add_test_program(name objects sources...): a program of tests that links the objects of the library. They come first: an inline
# function that the tests have, too, is then the library's, which a sanitizer may watch.
function(add_test_program name objects)
  add_library(${name}_code OBJECT ${ARGN})
  target_include_directories(${name}_code PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  target_link_libraries(${name}_code PRIVATE ${objects})
  # -O1: the tested code is optimised; with -O3 the tests take a quarter longer to compile and run no faster
  target_compile_options(${name}_code PRIVATE $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CONFIG:Release>>:-O1>)
  add_executable(${name})
  target_link_libraries(${name} PRIVATE ${objects} ${name}_code)
  set_property(TARGET ${name} PROPERTY LINKER_LANGUAGE CXX)
endfunction()

# add_gtest_program(name objects sources...): the same of GoogleTest's tests.
function(add_gtest_program name)
  add_test_program(${name} ${ARGN})
  target_link_libraries(${name}_code PRIVATE GTest::gtest)
  target_link_libraries(${name} PRIVATE GTest::gtest_main)
endfunction()
