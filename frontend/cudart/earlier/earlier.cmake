# SPDX-License-Identifier: Apache-2.0
# Targets `cudart_12` and `cudart_11`, files lib/libcudart.so.12 and lib/libcudart.so.11.0.

# pegasus_earlier_cudart(RELEASE SOVERSION)
function(pegasus_earlier_cudart release version)
  set(name cudart_${release})
  set(functions ${PEGASUS_GENERATED}/frontend/${name}/functions.txt)
  set(version_script ${PEGASUS_GENERATED}/frontend/${name}/libcudart.version)
  pegasus_generate(${functions} release_functions.py
    ARGUMENTS ${version_script} libcudart.so.${version} "(__)?cuda"
    FROM ${TOOLKIT_CUDART} ${CMAKE_CURRENT_SOURCE_DIR}/earlier/release_${release}.txt)
  set(sources deprecated.cpp graph.cpp memory.cpp properties.cpp)
  if(release EQUAL 11)
    list(APPEND sources function.cpp texture.cpp)
  endif()
  list(TRANSFORM sources PREPEND earlier/)
  pegasus_cudart(${name} SHARED
    DEFINITIONS PEGASUS_CUDART_SHARED PEGASUS_CUDART_RELEASE=${release}
    SOURCES ${sources}
    FUNCTIONS ${functions})
  foreach(part ${name} pegasus_${name}_objects pegasus_${name}_per_thread)
    target_compile_options(${part} PRIVATE -include ${CMAKE_CURRENT_SOURCE_DIR}/earlier/names.h)
  endforeach()
  set_target_properties(${name} PROPERTIES
    OUTPUT_NAME cudart
    SUFFIX .so.${version} # libcudart.so is libcudart.so.13
    NO_SONAME TRUE)
  target_link_options(${name} PRIVATE -Wl,-soname=libcudart.so.${version})
  pegasus_cudart_link(${name} ${version_script})
endfunction()
pegasus_earlier_cudart(12 12)
pegasus_earlier_cudart(11 11.0)
