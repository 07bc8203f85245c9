# `cmake --install`: the program, the library, its headers and the files of find_package(cornerturn).
# `cmake --install --component gpu_tests`, for scripts/bundle: the tests for a machine with only a driver.

include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/cornerturn)

install(TARGETS cornerturn cornerturn_program EXPORT cornerturn
  RUNTIME COMPONENT program
  LIBRARY COMPONENT program NAMELINK_COMPONENT development
  FILE_SET HEADERS COMPONENT development)
install(TARGETS cornerturn_static EXPORT cornerturn-static ARCHIVE COMPONENT development)
foreach(export IN ITEMS cornerturn cornerturn-static)
  install(EXPORT ${export} NAMESPACE cornerturn:: FILE ${export}-targets.cmake DESTINATION ${package_dir} COMPONENT development)
endforeach()
configure_package_config_file(cmake/cornerturn-config.cmake.in cornerturn-config.cmake INSTALL_DESTINATION ${package_dir}
  NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(cornerturn-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES
  ${CMAKE_CURRENT_BINARY_DIR}/cornerturn-config.cmake
  ${CMAKE_CURRENT_BINARY_DIR}/cornerturn-config-version.cmake
  cmake/cudart.cmake
  DESTINATION ${package_dir} COMPONENT development)

if(TARGET cornerturn_gpu_tests)
  install(TARGETS cornerturn_gpu_tests bank_patterns launches run_plan RUNTIME COMPONENT gpu_tests EXCLUDE_FROM_ALL)
endif()
