# Defines cornerturn::cudart, the static CUDA runtime of CORNERTURN_TOOLKIT or CUDAToolkit_ROOT, a dependency of the static library. The
# build and the installed package include this file. FindCUDAToolkit does not know the layout of NVIDIA's wheels.

find_library(CORNERTURN_CUDART cudart_static
  HINTS ${CUDAToolkit_ROOT} ENV CUDAToolkit_ROOT ENV CUDA_PATH ${CORNERTURN_TOOLKIT}
  PATHS /usr/local/cuda
  PATH_SUFFIXES lib64 lib lib/x86_64-linux-gnu)
if(CORNERTURN_CUDART AND NOT TARGET cornerturn::cudart)
  add_library(cornerturn::cudart UNKNOWN IMPORTED)
  set_target_properties(cornerturn::cudart PROPERTIES IMPORTED_LOCATION ${CORNERTURN_CUDART} INTERFACE_LINK_LIBRARIES "dl;rt;pthread")
endif()
