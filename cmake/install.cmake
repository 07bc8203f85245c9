# `cmake --install`: the program, the library, its headers, licences, and the files of find_package(cornerturn) and pkg-config.
# `cmake --install --component interfaces`: the calls of other libraries (interfaces/), which a whole install has, too.
# `cmake --install --component gpu_tests`, for scripts/bundle: the tests for a machine with only a driver.

# An incomplete build installs nothing: before the first file, all targets of the asked components are looked for.
function(require_built component)
  foreach(target IN LISTS ARGN)
    install(CODE "
      if(NOT EXISTS \"$<TARGET_FILE:${target}>\")
        string(APPEND unbuilt \" ${target}\")
      endif()" COMPONENT ${component})
  endforeach()
endfunction()
require_built(program cornerturn cornerturn_program)
require_built(development cornerturn_static)
require_built(interfaces cornerturn_blas cornerturn_hptt)
install(CODE "
  if(unbuilt)
    message(FATAL_ERROR \"This build is incomplete, so nothing is installed. This completes it: \"
                        \"cmake --build ${PROJECT_BINARY_DIR} --target\${unbuilt}\")
  endif()" ALL_COMPONENTS)

include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/cornerturn)

install(TARGETS cornerturn cornerturn_program EXPORT cornerturn
  RUNTIME COMPONENT program
  LIBRARY COMPONENT program NAMELINK_COMPONENT development
  FILE_SET HEADERS COMPONENT development
  FILE_SET mpi COMPONENT development)
install(TARGETS cornerturn_tile EXPORT cornerturn FILE_SET HEADERS COMPONENT development)
# A folder for each header: hptt.h of another library may be installed, too.
foreach(name IN ITEMS blas hptt)
  install(TARGETS cornerturn_${name} EXPORT cornerturn-interfaces
    LIBRARY COMPONENT interfaces
    FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/cornerturn-${name} COMPONENT interfaces)
endforeach()
install(DIRECTORY ${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/cornerturn-hptt DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT interfaces)
install(TARGETS cornerturn_static EXPORT cornerturn-static ARCHIVE COMPONENT development)
foreach(export IN ITEMS cornerturn cornerturn-static)
  install(EXPORT ${export} NAMESPACE cornerturn:: FILE ${export}-targets.cmake DESTINATION ${package_dir} COMPONENT development)
endforeach()
install(EXPORT cornerturn-interfaces NAMESPACE cornerturn:: FILE cornerturn-interfaces-targets.cmake DESTINATION ${package_dir}
  COMPONENT interfaces)
# The page of explain --live, which `make site` writes.
install(FILES ${CMAKE_BINARY_DIR}/share/cornerturn/try.html DESTINATION ${CMAKE_INSTALL_DATADIR}/cornerturn OPTIONAL COMPONENT program)

# find_package(cornerturn) finds a build folder, too.
foreach(export IN ITEMS cornerturn cornerturn-static cornerturn-interfaces)
  export(EXPORT ${export} NAMESPACE cornerturn:: FILE ${PROJECT_BINARY_DIR}/${export}-targets.cmake)
endforeach()
configure_file(cmake/cudart.cmake cudart.cmake COPYONLY)
configure_package_config_file(cmake/cornerturn-config.cmake.in cornerturn-config.cmake INSTALL_DESTINATION ${package_dir}
  NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(cornerturn-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES
  ${CMAKE_CURRENT_BINARY_DIR}/cornerturn-config.cmake
  ${CMAKE_CURRENT_BINARY_DIR}/cornerturn-config-version.cmake
  cmake/cudart.cmake
  DESTINATION ${package_dir} COMPONENT development)

# pkg-config finds the prefix from the place of this file, so that an installed tree may be moved.
set(pc_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH prefix_of_pc /${pc_dir} /)
string(REGEX REPLACE "/$" "" prefix_of_pc ${prefix_of_pc})
set(private_libraries "-lfmt -lhwy -ldl -lstdc++ -lm")
if(CORNERTURN_GPU)
  string(APPEND private_libraries " -lcudart_static -lrt -lpthread")
endif()
configure_file(cmake/cornerturn.pc.in cornerturn.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/cornerturn.pc DESTINATION ${pc_dir} COMPONENT development)

# The licences of this project and of all that is linked in; a wheel has them beside its metadata (pyproject.toml).
if(NOT SKBUILD)
  install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT program)
  install(DIRECTORY LICENSES DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT program)
endif()

if(TARGET cornerturn_gpu_tests)
  install(TARGETS cornerturn_gpu_tests bank_patterns launches run_plan RUNTIME COMPONENT gpu_tests EXCLUDE_FROM_ALL)
endif()
