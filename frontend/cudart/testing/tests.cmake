# SPDX-License-Identifier: Apache-2.0
# The component's tests. They need no device: a recording libcuda.so.1 (fake_cuda.cpp) replaces the driver.
set(FAKE_CUDA_DIRECTORY ${CMAKE_BINARY_DIR}/tests/fake_cuda)
add_library(pegasus_fake_cuda SHARED testing/fake_cuda.cpp testing/fake_arrays.cpp testing/fake_graphs.cpp)
target_link_libraries(pegasus_fake_cuda PRIVATE pegasus_options)
target_include_directories(pegasus_fake_cuda SYSTEM PRIVATE ${PEGASUS_CUDA_ROOT}/include)
set_target_properties(pegasus_fake_cuda PROPERTIES
  OUTPUT_NAME cuda SOVERSION 1 LIBRARY_OUTPUT_DIRECTORY ${FAKE_CUDA_DIRECTORY})

# A test with the recording driver instead of the real one.
function(pegasus_cudart_test name)
  pegasus_test(${name} SOURCES ${ARGN} LINK cudart_static ${CMAKE_DL_LIBS})
  target_include_directories(${name} SYSTEM PRIVATE ${PEGASUS_CUDA_ROOT}/include)
  add_dependencies(${name} pegasus_fake_cuda)
  set_tests_properties(${name} PROPERTIES ENVIRONMENT "LD_LIBRARY_PATH=${FAKE_CUDA_DIRECTORY}")
endfunction()
pegasus_cudart_test(cudart_symbol_table_test symbol_table_test.cpp)
pegasus_cudart_test(cudart_image_test image_test.cpp)
pegasus_cudart_test(cudart_error_test error_test.cpp)
pegasus_cudart_test(cudart_context_test context_test.cpp)
pegasus_cudart_test(cudart_registry_test registry_test.cpp)
pegasus_cudart_test(cudart_array_test array_test.cpp)
pegasus_cudart_test(cudart_copy_test copy_test.cpp)
pegasus_cudart_test(cudart_graph_test graph_test.cpp)

target_compile_definitions(cudart_error_test PRIVATE TOOLKIT_CUDART="${TOOLKIT_CUDART}")

# Tests of the library as built and of unmodified programs built by nvcc; not with sanitizers.
if(NOT PEGASUS_SANITIZE)
  pegasus_test(cudart_exports_test SOURCES exports_test.cpp)
  add_dependencies(cudart_exports_test cudart cudart_12 cudart_11)
  target_compile_definitions(cudart_exports_test PRIVATE
    TOOLKIT_CUDART="${TOOLKIT_CUDART}" OUR_CUDART="$<TARGET_FILE:cudart>" OBJDUMP="${CMAKE_OBJDUMP}"
    OUR_CUDART_12="$<TARGET_FILE:cudart_12>" OUR_CUDART_11="$<TARGET_FILE:cudart_11>")
  set(PROGRAMS ${CMAKE_BINARY_DIR}/tests/cudart_programs)
  file(MAKE_DIRECTORY ${PROGRAMS})
  function(pegasus_nvcc_program name)
    cmake_parse_arguments(PROGRAM "" "" "SOURCES;OPTIONS;DEPENDS" ${ARGN})
    list(TRANSFORM PROGRAM_SOURCES PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/testing/)
    add_custom_command(OUTPUT ${PROGRAMS}/${name}
      COMMAND ${PEGASUS_NVCC} -ccbin ${CMAKE_CXX_COMPILER} -arch=compute_75 ${PROGRAM_SOURCES} -o ${PROGRAMS}/${name}
              ${PROGRAM_OPTIONS}
      DEPENDS ${PROGRAM_SOURCES} ${PROGRAM_DEPENDS} VERBATIM)
  endfunction()
  pegasus_nvcc_program(shared SOURCES program.cu program_part.cu
    OPTIONS -cudart shared -Xlinker -rpath,${PEGASUS_CUDA_LIBRARIES})
  pegasus_nvcc_program(static SOURCES program.cu program_part.cu
    OPTIONS -cudart none $<TARGET_FILE:cudart_static> -ldl -lpthread DEPENDS cudart_static)
  pegasus_nvcc_program(linked SOURCES program.cu program_part.cu OPTIONS -rdc=true -DDEVICE_LINKED -cudart shared)
  pegasus_nvcc_program(per_thread SOURCES program.cu program_part.cu
    OPTIONS --default-stream per-thread -cudart shared)
  add_custom_target(cudart_programs ALL
    DEPENDS ${PROGRAMS}/shared ${PROGRAMS}/static ${PROGRAMS}/linked ${PROGRAMS}/per_thread)
  pegasus_test(cudart_program_test SOURCES program_test.cpp)
  add_dependencies(cudart_program_test cudart_programs cudart pegasus_fake_cuda)
  target_compile_definitions(cudart_program_test PRIVATE
    PROGRAMS="${PROGRAMS}" FAKE_CUDA="${FAKE_CUDA_DIRECTORY}" OUR_CUDART="$<TARGET_FILE:cudart>")
endif()
