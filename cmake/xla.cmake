# Finds the headers of XLA's foreign functions, which the wheel of jaxlib contains. Only cornerturn.jax needs them: a build without
# them lacks that module's library and nothing else.

if(XLA_INCLUDE_DIR AND NOT EXISTS ${XLA_INCLUDE_DIR}/xla/ffi/api/ffi.h)
  message(WARNING "XLA_INCLUDE_DIR is ${XLA_INCLUDE_DIR}, which has no xla/ffi/api/ffi.h")
  unset(XLA_INCLUDE_DIR CACHE)
endif()
if(NOT XLA_INCLUDE_DIR)
  execute_process(
    COMMAND ${Python_EXECUTABLE} -c "import importlib.util as u; print(u.find_spec('jaxlib').submodule_search_locations[0])"
    OUTPUT_VARIABLE jaxlib OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(jaxlib)
    find_path(XLA_INCLUDE_DIR xla/ffi/api/ffi.h PATHS ${jaxlib}/include NO_DEFAULT_PATH)
  endif()
endif()
# A wheel gets them in any case. Of jaxlib's wheel, which is large and requires SciPy, only the headers are unpacked.
if(NOT XLA_INCLUDE_DIR AND SKBUILD)
  file(STRINGS ${PROJECT_SOURCE_DIR}/scripts/requirements/frameworks.txt jax REGEX "^jax==")
  string(REPLACE "jax==" "jaxlib==" jaxlib ${jax})
  set(folder ${PROJECT_BINARY_DIR}/jaxlib)
  execute_process(COMMAND ${Python_EXECUTABLE} -m pip download --quiet --no-deps --only-binary :all: --python-version 3.11
                          --dest ${folder} ${jaxlib}
                  RESULT_VARIABLE failed)
  file(GLOB wheel ${folder}/jaxlib-*.whl)
  if(failed OR NOT wheel)
    message(WARNING "No ${jaxlib} for this machine: the wheel will lack cornerturn.jax. XLA_INCLUDE_DIR names its include folder.")
  else()
    file(ARCHIVE_EXTRACT INPUT ${wheel} DESTINATION ${folder} PATTERNS jaxlib/include/*)
    file(REMOVE ${wheel})
    find_path(XLA_INCLUDE_DIR xla/ffi/api/ffi.h PATHS ${folder}/jaxlib/include NO_DEFAULT_PATH)
  endif()
endif()

if(XLA_INCLUDE_DIR)
  # an environment that had them may be deleted
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${XLA_INCLUDE_DIR}/xla/ffi/api/ffi.h)
  message(STATUS "XLA's headers: ${XLA_INCLUDE_DIR}")
  # imported, so that the compiler treats the folder as one of system headers and does not warn
  add_library(xla_headers INTERFACE IMPORTED)
  target_include_directories(xla_headers INTERFACE ${XLA_INCLUDE_DIR})
endif()
