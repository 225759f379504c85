# SPDX-License-Identifier: Apache-2.0
# usage: cmake -DNM=... -DOURS=libcuda.so.1 -DTHEIRS=<toolkit>/stubs/libcuda.so -P check_exports.cmake
# Checks that our library exports exactly the cu* functions of the toolkit's stub and needs no new C library.
function(exported_names library out)
  execute_process(COMMAND ${NM} -D --defined-only ${library} OUTPUT_VARIABLE text COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL " [TWVBDR] [^\n]+" lines "${text}")
  list(TRANSFORM lines REPLACE "^ [A-Z] ([^@]+).*$" "\\1")
  list(SORT lines)
  set(${out} "${lines}" PARENT_SCOPE)
endfunction()

exported_names(${OURS} ours)
exported_names(${THEIRS} theirs)
list(FILTER theirs INCLUDE REGEX "^cu[A-Z]")
list(LENGTH theirs expected)
if(expected LESS 600)
  message(FATAL_ERROR "only ${expected} functions in ${THEIRS}: is it the driver's stub?")
endif()
set(missing ${theirs})
list(REMOVE_ITEM missing ${ours})
set(extra ${ours})
list(REMOVE_ITEM extra ${theirs})
if(missing OR extra)
  message(FATAL_ERROR "not exported: ${missing}\nexported beyond the driver API: ${extra}")
endif()
message(STATUS "${expected} functions")

# Guests may be older than the build machine: Ubuntu 22.04 has glibc 2.35.
execute_process(COMMAND ${NM} -D --undefined-only ${OURS} OUTPUT_VARIABLE needed COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "[^ \n]+@GLIBC_2\\.(3[6-9]|[4-9][0-9])" too_new "${needed}")
if(too_new)
  message(FATAL_ERROR "needs a C library newer than 2.35: ${too_new}")
endif()
