# Finds CUDA and CuTe. Their headers are needed without nvcc, too, because the tile programs also run on the host.

# As wheels they are in the environment of setup, or in pip's build environment.
file(GLOB wheels ${PROJECT_SOURCE_DIR}/build/venv/lib/python3*/site-packages)
if(SKBUILD)
  list(PREPEND wheels ${CMAKE_PREFIX_PATH})
endif()
list(TRANSFORM wheels APPEND /nvidia/cu13/bin/nvcc OUTPUT_VARIABLE nvcc_of_wheels)
list(TRANSFORM wheels APPEND /cutlass_library/source/include OUTPUT_VARIABLE cutlass_of_wheels)

# Takes the first nvcc that is new enough and has its headers; one named by the user is the only candidate.
if(CMAKE_CUDA_COMPILER)
  set(candidates ${CMAKE_CUDA_COMPILER})
elseif(DEFINED ENV{CUDACXX})
  set(candidates $ENV{CUDACXX})
else()
  find_program(nvcc_on_path nvcc NO_CACHE)
  if(NOT nvcc_on_path)
    unset(nvcc_on_path)
  endif()
  file(GLOB nvcc_elsewhere /usr/local/cuda/bin/nvcc ${nvcc_of_wheels})
  set(candidates ${nvcc_on_path} ${nvcc_elsewhere})
endif()

foreach(candidate IN LISTS candidates)
  file(REAL_PATH ${candidate} nvcc)
  cmake_path(GET nvcc PARENT_PATH toolkit)
  cmake_path(GET toolkit PARENT_PATH toolkit)
  execute_process(COMMAND ${nvcc} --version OUTPUT_VARIABLE printed ERROR_QUIET RESULT_VARIABLE failed)
  string(REGEX MATCH "release ([0-9.]+)" printed "${printed}")
  if(NOT failed AND CMAKE_MATCH_1 VERSION_GREATER_EQUAL 12.8 AND EXISTS ${toolkit}/include/cuda_runtime.h)
    set(CORNERTURN_TOOLKIT ${toolkit})
    break()
  endif()
endforeach()
if(NOT CORNERTURN_TOOLKIT)
  message(FATAL_ERROR "No CUDA 12.8 or newer with its headers (looked at: ${candidates}). "
                      "`make setup` installs one in build/venv; CMAKE_CUDA_COMPILER names another.")
endif()
message(STATUS "CUDA toolkit: ${CORNERTURN_TOOLKIT}")
# nvcc looks for its libraries in lib64, but its wheel has them in lib
if(NOT EXISTS ${CORNERTURN_TOOLKIT}/lib64 AND CORNERTURN_TOOLKIT MATCHES "/nvidia/cu13$")
  file(CREATE_LINK lib ${CORNERTURN_TOOLKIT}/lib64 SYMBOLIC)
endif()

find_path(CUTLASS_INCLUDE_DIR cute/tensor.hpp HINTS ${cutlass_of_wheels})
if(NOT CUTLASS_INCLUDE_DIR AND SKBUILD)  # --no-deps: pip would install dependencies that are not used here
  file(STRINGS ${PROJECT_SOURCE_DIR}/scripts/requirements/python.txt cutlass REGEX "^nvidia-cutlass==")
  execute_process(COMMAND ${Python_EXECUTABLE} -m pip install --quiet --no-deps --target ${PROJECT_BINARY_DIR}/cutlass ${cutlass}
                  COMMAND_ERROR_IS_FATAL ANY)
  find_path(CUTLASS_INCLUDE_DIR cute/tensor.hpp HINTS ${PROJECT_BINARY_DIR}/cutlass/cutlass_library/source/include)
endif()
if(NOT CUTLASS_INCLUDE_DIR)
  message(FATAL_ERROR "No CuTe headers. `make setup` installs them in build/venv; "
                      "CUTLASS_INCLUDE_DIR names the include folder of a CUTLASS 4 elsewhere.")
endif()

# Imported, so that the compilers treat the folders as system headers and do not warn.
add_library(cute INTERFACE IMPORTED)
target_include_directories(cute INTERFACE ${CUTLASS_INCLUDE_DIR} ${CORNERTURN_TOOLKIT}/include)
if(EXISTS ${CORNERTURN_TOOLKIT}/include/cccl)
  target_include_directories(cute INTERFACE ${CORNERTURN_TOOLKIT}/include/cccl)
endif()

if(CORNERTURN_GPU)
  set(CMAKE_CUDA_COMPILER ${CORNERTURN_TOOLKIT}/bin/nvcc CACHE FILEPATH "nvcc")
  set(architectures "80-real;90")
  if(SKBUILD) # where pip installs, the code for other GPUs than those that are here would take minutes
    execute_process(COMMAND nvidia-smi --query-gpu=compute_cap --format=csv,noheader
                    OUTPUT_VARIABLE here ERROR_QUIET RESULT_VARIABLE result)
    if(result EQUAL 0 AND NOT here MATCHES "(^|\n)[0-8][.]")
      set(architectures 90)
    elseif(result EQUAL 0 AND NOT here MATCHES "(^|\n)(9|[0-9][0-9]+)[.]")
      set(architectures 80)
    endif()
  endif()
  set(CMAKE_CUDA_ARCHITECTURES ${architectures} CACHE STRING "GPU architectures in CMake's notation; one without -real adds its PTX")
  enable_language(CUDA)
  include(cmake/cudart.cmake)
endif()
