# SPDX-License-Identifier: Apache-2.0
# Generates lists of functions from the exports of the toolkit's libraries when the libraries are built.
find_package(Python3 3.9 REQUIRED COMPONENTS Interpreter)
set(PEGASUS_EXPORTS ${CMAKE_CURRENT_LIST_DIR})
set(PEGASUS_GENERATED ${CMAKE_BINARY_DIR}/generated) # for #include "frontend/cuda/api_versions.inc"
set(TOOLKIT_CUDA ${PEGASUS_CUDA_LIBRARIES}/stubs/libcuda.so)
set(TOOLKIT_CUDART ${PEGASUS_CUDA_LIBRARIES}/libcudart.so.13)

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
