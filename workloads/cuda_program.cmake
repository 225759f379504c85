# SPDX-License-Identifier: Apache-2.0
# Compiles programs with nvcc. CMake's CUDA language is not used: its compiler check guesses architectures, and it adds
# run paths that would hide Pegasus's library.

# Every warning is an error, as elsewhere. Pegasus replaces the shared runtime.
set(PEGASUS_NVCC_FLAGS -O2 -Werror all-warnings -Xcompiler -Wall,-Wextra)
foreach(option IN LISTS PEGASUS_HARDENED_CODE PEGASUS_FORTIFIED)
  list(APPEND PEGASUS_NVCC_FLAGS -Xcompiler ${option})
endforeach()
foreach(option IN LISTS PEGASUS_HARDENED_LINKS)
  list(APPEND PEGASUS_NVCC_FLAGS -Xlinker ${option})
endforeach()

# pegasus_cuda_program(NAME SOURCES files... [HEADERS files...] [CUDART shared|static|none] [DRIVER] [STANDARD 17|20]
#                      [DIRECTORY name] [FLAGS flags...]):
# builds bin/workloads/NAME, or bin/DIRECTORY/NAME; with DRIVER it calls the driver API by itself. If one of HEADERS or of
# the component's headers changes, the program is built again.
function(pegasus_cuda_program name)
  cmake_parse_arguments(PROGRAM "DRIVER" "CUDART;STANDARD;DIRECTORY" "SOURCES;HEADERS;FLAGS" ${ARGN})
  if(NOT PROGRAM_CUDART)
    set(PROGRAM_CUDART shared)
  endif()
  if(NOT PROGRAM_DIRECTORY)
    set(PROGRAM_DIRECTORY workloads)
  endif()
  if(NOT PROGRAM_STANDARD)
    set(PROGRAM_STANDARD 17)
  endif()
  list(TRANSFORM PROGRAM_SOURCES PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
  list(TRANSFORM PROGRAM_HEADERS PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
  list(APPEND PROGRAM_HEADERS ${CMAKE_SOURCE_DIR}/workloads/arguments.h ${CMAKE_SOURCE_DIR}/workloads/common.h
       ${CMAKE_SOURCE_DIR}/workloads/report.h)
  if(PROGRAM_DRIVER) # linked against our library: not every toolkit has a stub
    list(APPEND PROGRAM_FLAGS -L ${CMAKE_LIBRARY_OUTPUT_DIRECTORY} -lcuda)
    set(driver cuda)
  endif()
  set(directory ${CMAKE_BINARY_DIR}/bin/${PROGRAM_DIRECTORY})
  file(MAKE_DIRECTORY ${directory})
  add_custom_command(
    OUTPUT ${directory}/${name}
    COMMAND ${PEGASUS_NVCC} -std=c++${PROGRAM_STANDARD} ${PEGASUS_NVCC_FLAGS} -cudart ${PROGRAM_CUDART} -I ${CMAKE_SOURCE_DIR}
            -o ${directory}/${name} ${PROGRAM_SOURCES} ${PROGRAM_FLAGS}
    DEPENDS ${PROGRAM_SOURCES} ${PROGRAM_HEADERS} ${driver}
    COMMENT "Compiling CUDA program ${name}"
    VERBATIM)
  set_property(GLOBAL APPEND PROPERTY PEGASUS_CUDA_PROGRAMS ${directory}/${name})
endfunction()
