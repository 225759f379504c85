# SPDX-License-Identifier: Apache-2.0
# usage: cmake -DNM=... -DOURS=libcuda.so.1 -DTHEIRS=driver_functions.txt -DSTUB=<toolkit>/lib64/stubs/libcuda.so
#              -P check_exports.cmake
# Checks that our library exports exactly the driver's functions, that these are the stub's where the toolkit has one, and
# that our library needs no new C library.
function(exported_names library out)
  execute_process(COMMAND ${NM} -D --defined-only ${library} OUTPUT_VARIABLE text COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL " [TWVBDR] [^\n]+" lines "${text}")
  list(TRANSFORM lines REPLACE "^ [A-Z] ([^@]+).*$" "\\1")
  list(SORT lines)
  set(${out} "${lines}" PARENT_SCOPE)
endfunction()

function(compare names expected what)
  set(missing ${expected})
  list(REMOVE_ITEM missing ${names})
  set(extra ${names})
  list(REMOVE_ITEM extra ${expected})
  if(missing OR extra)
    message(FATAL_ERROR "${what}: missing: ${missing}\ntoo many: ${extra}")
  endif()
endfunction()

exported_names(${OURS} ours)
file(STRINGS ${THEIRS} theirs)
list(LENGTH theirs expected)
if(expected LESS 600)
  message(FATAL_ERROR "only ${expected} functions in ${THEIRS}: are these the driver's?")
endif()
compare("${ours}" "${theirs}" "our library beside the headers")
if(EXISTS ${STUB})
  exported_names(${STUB} stub)
  list(FILTER stub INCLUDE REGEX "^cu[A-Z]")
  compare("${theirs}" "${stub}" "the headers beside the stub")
  message(STATUS "${expected} functions, as in the stub")
else()
  message(STATUS "${expected} functions; this toolkit has no stub to compare with")
endif()

# Guests may be older than the build machine: Ubuntu 22.04 has glibc 2.35.
execute_process(COMMAND ${NM} -D --undefined-only ${OURS} OUTPUT_VARIABLE needed COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "[^ \n]+@GLIBC_2\\.(3[6-9]|[4-9][0-9])" too_new "${needed}")
if(too_new)
  message(FATAL_ERROR "needs a C library newer than 2.35: ${too_new}")
endif()
