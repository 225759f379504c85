# SPDX-License-Identifier: Apache-2.0
# What makes a defect of ours harder to use, in all builds but those with sanitizers, which find more. An option that
# the compiler or the machine does not have is left out. ci/check-hardening looks for them in what is installed.
# clang-tidy reads build-edit's commands (ci/check-tidy), and does not know all of another compiler's options.
option(PEGASUS_HARDEN "Build with the compiler's protections" ON)
if(PEGASUS_SANITIZE OR NOT PEGASUS_HARDEN)
  return()
endif()
include(CheckCXXCompilerFlag)
include(CheckLinkerFlag)
include(CheckPIESupported)
check_pie_supported(LANGUAGES C CXX)

# pegasus_has(RESULT OPTION...): whether the compiler takes these together without a warning.
function(pegasus_has result)
  list(JOIN ARGN " " options)
  set(CMAKE_REQUIRED_FLAGS -Werror)
  check_cxx_compiler_flag("${options}" ${result})
endfunction()

# PEGASUS_HARDENED_CODE, PEGASUS_HARDENED_LINKS, PEGASUS_FORTIFIED: for nvcc, too (workloads/cuda_program.cmake).
foreach(option stack-protector-strong stack-clash-protection cf-protection)
  string(MAKE_C_IDENTIFIER PEGASUS_HAS_${option} has)
  pegasus_has(${has} -f${option})
  if(${has})
    list(APPEND PEGASUS_HARDENED_CODE -f${option})
  endif()
endforeach()
foreach(option relro now noexecstack)
  check_linker_flag(CXX -Wl,-z,${option} PEGASUS_LINKS_${option})
  if(PEGASUS_LINKS_${option})
    list(APPEND PEGASUS_HARDENED_LINKS -z${option})
  endif()
endforeach()
list(TRANSFORM PEGASUS_HARDENED_LINKS PREPEND -Wl, OUTPUT_VARIABLE links)
add_link_options(${links})

set(zeroes -ftrivial-auto-var-init=zero)
set(clang_asks -enable-trivial-auto-var-init-zero-knowing-it-will-be-removed-from-clang) # before clang 16
pegasus_has(PEGASUS_ZEROES_VARIABLES ${zeroes})
if(NOT PEGASUS_ZEROES_VARIABLES)
  pegasus_has(PEGASUS_ZEROES_VARIABLES_IF_ASKED ${zeroes} ${clang_asks})
  set(PEGASUS_ZEROES_VARIABLES ${PEGASUS_ZEROES_VARIABLES_IF_ASKED})
  list(APPEND zeroes ${clang_asks})
endif()
if(NOT PEGASUS_ZEROES_VARIABLES)
  set(zeroes)
endif()

# Some distributions' compilers define it; without optimization the C library warns of it.
set(PEGASUS_FORTIFIED -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3)
add_compile_options(${PEGASUS_HARDENED_CODE} ${zeroes}
  "$<$<CONFIG:Release,RelWithDebInfo,MinSizeRel>:${PEGASUS_FORTIFIED}>"
  $<$<COMPILE_LANGUAGE:CXX>:-D_GLIBCXX_ASSERTIONS>)
