# SPDX-License-Identifier: Apache-2.0
# Generates lists of functions from the toolkit's headers and libraries when the libraries are built.
find_package(Python3 3.9 REQUIRED COMPONENTS Interpreter)
set(PEGASUS_EXPORTS ${CMAKE_CURRENT_LIST_DIR})
set(PEGASUS_GENERATED ${CMAKE_BINARY_DIR}/generated) # for #include "frontend/cuda/api_versions.inc"
set(TOOLKIT_CUDA ${PEGASUS_GENERATED}/frontend/driver_functions.txt)
set(TOOLKIT_CUDART ${PEGASUS_CUDA_LIBRARIES}/libcudart.so.13)

file(MAKE_DIRECTORY ${PEGASUS_GENERATED}/frontend)
add_custom_command(OUTPUT ${TOOLKIT_CUDA}
  COMMAND ${Python3_EXECUTABLE} -B ${PEGASUS_EXPORTS}/driver_functions.py ${TOOLKIT_CUDA} ${CMAKE_C_COMPILER}
          ${PEGASUS_CUDA_ROOT}/include/cudaProfiler.h
  DEPENDS ${PEGASUS_CUDA_ROOT}/include/cudaProfiler.h ${PEGASUS_CUDA_ROOT}/include/cuda.h
          ${PEGASUS_EXPORTS}/driver_functions.py ${PEGASUS_EXPORTS}/symbols.py
  VERBATIM)
add_custom_target(driver_functions DEPENDS ${TOOLKIT_CUDA})

# pegasus_generate(OUTPUT SCRIPT [ARGUMENTS words...] FROM files...): SCRIPT OUTPUT words... nm files...
function(pegasus_generate output script)
  cmake_parse_arguments(MADE "" "" "ARGUMENTS;FROM" ${ARGN})
  cmake_path(GET output PARENT_PATH directory)
  file(MAKE_DIRECTORY ${directory})
  add_custom_command(OUTPUT ${output}
    COMMAND ${Python3_EXECUTABLE} -B ${PEGASUS_EXPORTS}/${script} ${output} ${MADE_ARGUMENTS} ${CMAKE_NM} ${MADE_FROM}
    DEPENDS ${MADE_FROM} ${PEGASUS_EXPORTS}/${script} ${PEGASUS_EXPORTS}/symbols.py
    COMMAND_EXPAND_LISTS VERBATIM)
endfunction()
