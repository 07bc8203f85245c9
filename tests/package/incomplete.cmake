# Installs a tree that is configured but not built: nothing may be installed, and the message must name a command that helps.

set(work ${build}/package_incomplete)
file(REMOVE_RECURSE ${work})
execute_process(COMMAND ${CMAKE_COMMAND} -G ${generator} -S ${CMAKE_CURRENT_LIST_DIR}/../.. -B ${work}/build -D CORNERTURN_GPU=OFF
                -D CORNERTURN_TESTS=OFF -D CORNERTURN_PYTHON_PACKAGE=OFF -D CMAKE_MAKE_PROGRAM=${make_program}
                -D CMAKE_CXX_COMPILER=${cxx} OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
foreach(component IN ITEMS all program development interfaces)
  set(only --component ${component})
  if(component STREQUAL "all")
    unset(only)
  endif()
  execute_process(COMMAND ${CMAKE_COMMAND} --install ${work}/build --prefix ${work}/prefix ${only} ERROR_VARIABLE said OUTPUT_QUIET)
  string(REGEX REPLACE "[ \n]+" " " said "${said}")
  if(EXISTS ${work}/prefix OR NOT said MATCHES "nothing is installed.*cmake --build ${work}/build --target cornerturn")
    message(FATAL_ERROR "an incomplete build of the component '${component}' is installed, or refused without help: ${said}")
  endif()
endforeach()
