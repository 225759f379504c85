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
# the component's headers changes, the program is built again. A workload with the shared runtime is compiled once and
# linked twice: bin/static/NAME is linked as nvcc does by default, with NVIDIA's static runtime.
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
    # NVIDIA's directory first: ours may have a libcudart_static.a, too.
    set(libraries -L ${PEGASUS_CUDA_LIBRARIES} -L ${CMAKE_LIBRARY_OUTPUT_DIRECTORY} -lcuda)
    set(driver cuda)
  endif()
  set(nvcc ${PEGASUS_NVCC} -std=c++${PROGRAM_STANDARD} ${PEGASUS_NVCC_FLAGS} -I ${CMAKE_SOURCE_DIR} ${PROGRAM_FLAGS})
  set(inputs ${PROGRAM_SOURCES})
  set(directories ${PROGRAM_DIRECTORY})
  set(runtime_of_${PROGRAM_DIRECTORY} -cudart ${PROGRAM_CUDART})
  set(runtime_of_static)
  if(PROGRAM_CUDART STREQUAL shared AND PROGRAM_DIRECTORY STREQUAL workloads)
    set(objects ${CMAKE_CURRENT_BINARY_DIR}/objects/${name})
    list(TRANSFORM inputs REPLACE ".*/(.*)\\.cu$" "${objects}/\\1.o")
    file(MAKE_DIRECTORY ${objects})
    add_custom_command(
      OUTPUT ${inputs}
      COMMAND ${nvcc} -c -odir ${objects} ${PROGRAM_SOURCES}
      DEPENDS ${PROGRAM_SOURCES} ${PROGRAM_HEADERS}
      COMMENT "Compiling CUDA program ${name}"
      VERBATIM)
    set(PROGRAM_HEADERS)
    list(APPEND directories static)
    set_property(GLOBAL APPEND PROPERTY PEGASUS_STATIC_CUDA_PROGRAMS ${CMAKE_BINARY_DIR}/bin/static/${name})
  endif()
  foreach(directory IN LISTS directories)
    set(program ${CMAKE_BINARY_DIR}/bin/${directory}/${name})
    file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/bin/${directory})
    add_custom_command(
      OUTPUT ${program}
      COMMAND ${nvcc} ${runtime_of_${directory}} -o ${program} ${inputs} ${libraries}
      DEPENDS ${inputs} ${PROGRAM_HEADERS} ${driver}
      COMMENT "Building CUDA program bin/${directory}/${name}"
      VERBATIM)
  endforeach()
  set_property(GLOBAL APPEND PROPERTY PEGASUS_CUDA_PROGRAMS ${CMAKE_BINARY_DIR}/bin/${PROGRAM_DIRECTORY}/${name})
endfunction()
