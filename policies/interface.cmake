# SPDX-License-Identifier: Apache-2.0
# cmake -DFROM=policies -DTO=DIR -P interface.cmake
#
# Writes to DIR what a plug-in is compiled with: copies of the policies' headers, and interface.h, a fingerprint of those
# headers that a plug-in and its host must have alike. A copy and its fingerprint are always of the same build.
cmake_minimum_required(VERSION 3.25)
set(INTERFACE credits.h decision.h ids.h plugin.h policy.h registry.h state_visitor.h tunables.h view.h)
file(GLOB headers ${FROM}/*.h)
foreach(header ${headers})
  get_filename_component(name ${header} NAME)
  file(COPY_FILE ${header} ${TO}/${name} ONLY_IF_DIFFERENT)
endforeach()
set(sums "")
foreach(name ${INTERFACE})
  file(SHA256 ${FROM}/${name} sum)
  string(APPEND sums ${sum})
  file(STRINGS ${FROM}/${name} includes REGEX "^#include \"policies/")
  foreach(line ${includes})
    string(REGEX REPLACE ".*policies/(.*)\".*" "\\1" included "${line}")
    if(NOT included IN_LIST INTERFACE AND NOT included STREQUAL interface.h)
      message(FATAL_ERROR "policies/${name} includes ${included}: name it in INTERFACE, policies/interface.cmake")
    endif()
  endforeach()
endforeach()
string(SHA256 fingerprint "${sums}")
string(SUBSTRING ${fingerprint} 0 16 fingerprint)
file(CONFIGURE OUTPUT ${TO}/interface.h CONTENT
"// SPDX-License-Identifier: Apache-2.0
// Written by policies/interface.cmake from ${INTERFACE}.
#pragma once
#define PEGASUS_POLICY_HEADERS \"${fingerprint}\"
")
