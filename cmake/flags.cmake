# The compile options of all translation units; link to cornerturn_flags.

add_library(cornerturn_flags INTERFACE)
target_compile_features(cornerturn_flags INTERFACE cxx_std_20)
# Highway leaves these sets of instructions out. The compiler does not know the size of the vectors of SVE and RVV, which therefore
# cannot be elements of arrays. Processors that have SSSE3 and not SSE4 are of 2011 and before, and run SCALAR. It takes the place of
# EMU128, which rounds doubles beyond the range of floats to the largest one.
target_compile_definitions(cornerturn_flags INTERFACE
  "$<$<COMPILE_LANGUAGE:CXX>:HWY_DISABLED_TARGETS=(HWY_SSSE3|HWY_SVE|HWY_SVE2|HWY_SVE_256|HWY_SVE2_128|HWY_RVV);HWY_BROKEN_EMU128=1>")
# Highway compiles these files once for each set of instructions, by including them again, so they are in no batch.
file(GLOB cpu_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/cpu/*.cpp ${PROJECT_SOURCE_DIR}/src/cpu/*/*.cpp)
foreach(path IN LISTS cpu_sources)
  file(STRINGS ${path} includes_itself REGEX "^#define HWY_TARGET_INCLUDE ")
  if(includes_itself)
    list(APPEND highway_sources ${path})
  endif()
endforeach()
# For the library and the program. The code of the tests is compiled as without a sanitizer, so ccache has it from the preset cpu. The
# sanitizer's runtime also watches the heap of that code.
if(CORNERTURN_SANITIZE)
  set(sanitized -Og -g1 -UNDEBUG -D_GLIBCXX_ASSERTIONS -fno-omit-frame-pointer -fsanitize=${CORNERTURN_SANITIZE} -fno-sanitize-recover=all)
  # For the host executor and the program: these checks take a quarter of the executor's time. The address sanitizer finds null pointers
  # and accesses outside of objects.
  set(fewer_checks -fno-sanitize=null,alignment,object-size,vptr,pointer-overflow)
  add_link_options(-fsanitize=${CORNERTURN_SANITIZE})
endif()
# Nobody sees the symbols of static libraries, such as the CUDA runtime and on some systems libstdc++, so they do not clash with those of
# another one in the process.
add_link_options(LINKER:--exclude-libs,ALL)
# designated initialisers omit default members; g++ 12 reports false overflows in copies of unknown size
set(quiet -Wno-missing-field-initializers -Wno-stringop-overflow -Wno-array-bounds -Wno-restrict)
target_compile_options(cornerturn_flags INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra ${quiet} $<$<BOOL:${CORNERTURN_WERROR}>:-Werror>>
  # -std: CMake 3.25 knows no C++20 for nvcc
  $<$<COMPILE_LANGUAGE:CUDA>:-std=c++20 --expt-relaxed-constexpr -Xcompiler=-Wall>
  $<$<AND:$<COMPILE_LANGUAGE:CUDA>,$<BOOL:${CORNERTURN_WERROR}>>:--Werror=all-warnings>)
