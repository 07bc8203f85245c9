# Installs what was built into a fresh folder and builds the project beside this file against it.

function(run)
  execute_process(COMMAND ${ARGV} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

set(work ${build}/package)
file(REMOVE_RECURSE ${work})
run(${CMAKE_COMMAND} --install ${build} --prefix ${work}/prefix --component program)
run(${CMAKE_COMMAND} --install ${build} --prefix ${work}/prefix --component development)
run(${CMAKE_COMMAND} -G ${generator} -S ${CMAKE_CURRENT_LIST_DIR} -B ${work}/build -D CMAKE_PREFIX_PATH=${work}/prefix
    -D CMAKE_MAKE_PROGRAM=${make_program} -D CMAKE_CXX_COMPILER=${cxx} -D CUDAToolkit_ROOT=${toolkit})
run(${CMAKE_COMMAND} --build ${work}/build)
foreach(consumer IN ITEMS consumer.cpp.cornerturn consumer.cpp.static consumer.c.cornerturn consumer.c.static)
  run(${work}/build/${consumer})
endforeach()
run(${work}/prefix/bin/cornerturn --help)
