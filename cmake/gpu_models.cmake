# The list of the GPUs that have a model of their own: each file of src/machine/gpus defines NAME_model.

file(GLOB gpus CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/machine/gpus/*.cpp)
set(gpu_declarations "")
set(gpu_models "")
foreach(path IN LISTS gpus)
  cmake_path(GET path STEM name)
  string(APPEND gpu_declarations "gpu_model const& ${name}_model();\n")
  list(APPEND gpu_models "${name}_model()")
endforeach()
list(JOIN gpu_models ", " gpu_models)
set(known_gpus ${PROJECT_BINARY_DIR}/src/known_gpus.cpp)
configure_file(${PROJECT_SOURCE_DIR}/src/machine/known_gpus.cpp.in ${known_gpus} @ONLY)
