# SPDX-License-Identifier: Apache-2.0
# Checks that every program exits with 0 after --help. For an unknown, incomplete or impossible argument it must exit
# with 2 and print what is valid.
function(expect program status stream pattern)
  execute_process(COMMAND ${program} ${ARGN} RESULT_VARIABLE got OUTPUT_VARIABLE out ERROR_VARIABLE err)
  if(NOT got STREQUAL status OR NOT ${stream} MATCHES "${pattern}")
    message(SEND_ERROR "${program} ${ARGN}: status ${got} (expected ${status}), out '${out}', err '${err}'")
  endif()
endfunction()

if(NOT PROGRAMS)
  message(FATAL_ERROR "no programs were given")
endif()
foreach(program ${PROGRAMS})
  expect(${program} 0 out "^usage: .*--help" --help)
  expect(${program} 2 err "unknown argument '--no-such-thing'.*--help" --no-such-thing 1)
  expect(${program} 2 err "unknown argument 'stray'.*--help" stray)
  # Each program has at least one other argument. The first one after --help in its usage text is tried.
  execute_process(COMMAND ${program} --help OUTPUT_VARIABLE usage)
  string(REGEX REPLACE ".*--help[^\n]*\n +(--[a-z0-9-]+).*" "\\1" argument "${usage}")
  expect(${program} 2 err "${argument} needs a value" ${argument})
  foreach(bad x 1x -1 "" 99999999999999999999 0x10 nan)
    expect(${program} 2 err "${argument} takes a number from" "${argument}=${bad}")
  endforeach()
endforeach()
