# SPDX-License-Identifier: Apache-2.0
# What every component shares: language level, warnings, output folders, and the functions that declare a component or a test.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 99)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE RelWithDebInfo)
endif()
# Function names and lines, for backtraces and profiles. Types and variables would cost a third of the compile time.
set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O2 -g1 -DNDEBUG")
set(CMAKE_C_FLAGS_RELWITHDEBINFO "-O2 -g1 -DNDEBUG")
# Objects are the same in every clone, so that ccache finds another clone's. Debug information names sources relative to
# the build directory, and that relative to the tree: a debugger finds them when it is started in either. __FILE__ is
# relative to the tree; the last option is for a source's name that ccache made relative already.
file(RELATIVE_PATH PEGASUS_BUILD_FROM_ROOT ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR})
file(RELATIVE_PATH PEGASUS_ROOT_FROM_BUILD ${CMAKE_BINARY_DIR} ${CMAKE_SOURCE_DIR})
string(REGEX REPLACE "/$" "" PEGASUS_ROOT_FROM_BUILD ${PEGASUS_ROOT_FROM_BUILD})
add_compile_options(
  -fdebug-prefix-map=${CMAKE_SOURCE_DIR}=${PEGASUS_ROOT_FROM_BUILD}
  -fdebug-prefix-map=${CMAKE_BINARY_DIR}=${PEGASUS_BUILD_FROM_ROOT}
  -fmacro-prefix-map=${CMAKE_SOURCE_DIR}/=
  -fmacro-prefix-map=${PEGASUS_ROOT_FROM_BUILD}/=)
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  add_compile_options(-fdebug-compilation-dir=${PEGASUS_BUILD_FROM_ROOT}) # it takes the shortest prefix, gcc the last
endif()
# Several files of a component are compiled together. Headers are then read, and templates instantiated, once for all of
# them, which halves the compile time. A file must still include what it uses: ci/check-tidy compiles each one alone.
# Preset `edit` turns this off: after a change of one file, no other file is compiled again.
set(CMAKE_UNITY_BUILD ON CACHE BOOL "Compile several files of a component at a time")
set(CMAKE_UNITY_BUILD_BATCH_SIZE 12)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)

# The sanitizers' presets (CMakePresets.json) set these two and use clang.
set(PEGASUS_SANITIZE "" CACHE STRING "Sanitizers for every target, as a list: address;undefined or thread")
option(PEGASUS_FUZZ "Build the libFuzzer programs of tests/fuzz (clang, with fuzzer-no-link in PEGASUS_SANITIZE)" OFF)
include(Hardening)
find_package(Threads REQUIRED)

add_library(pegasus_options INTERFACE)
target_include_directories(pegasus_options INTERFACE ${CMAKE_SOURCE_DIR})
target_compile_options(pegasus_options INTERFACE -Wall -Wextra -Wconversion -Wshadow -Werror -fno-strict-overflow)
if(CMAKE_UNITY_BUILD AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # The warning depends on which file is the main one. In a unity build it would take all our files for headers.
  target_compile_options(pegasus_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-subobject-linkage>)
endif()
if(PEGASUS_SANITIZE)
  string(REPLACE ";" "," PEGASUS_SANITIZERS "${PEGASUS_SANITIZE}")
  target_compile_options(pegasus_options INTERFACE -fsanitize=${PEGASUS_SANITIZERS} -fno-omit-frame-pointer
    -fno-sanitize-recover=all)
  # cudart's table of driver functions has the same function for every missing one, whatever its parameters.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    target_compile_options(pegasus_options INTERFACE -fno-sanitize=function)
  endif()
  target_link_options(pegasus_options INTERFACE -fsanitize=${PEGASUS_SANITIZERS})
endif()

# libFuzzer's tracing of comparisons takes a third of the time of code that compares much. It helps to find a constant in
# raw bytes: not where the input is text, for which there is a dictionary, or came through a parser.
function(pegasus_compile_untraced target)
  target_compile_options(${target} PRIVATE $<$<BOOL:${PEGASUS_FUZZ}>:-fno-sanitize-coverage=trace-cmp> $<$<BOOL:${PEGASUS_FUZZ}>:-O2>)
endfunction()

# For tools that read files without compiling them.
add_custom_target(generated_headers)

# pegasus_proto(NAME FILE [LINK targets...]): the library of a .proto's messages; #include "FILE, .pb.h". Generated code is
# compiled without our warnings.
function(pegasus_proto name file)
  cmake_parse_arguments(PROTO "" "" "LINK" ${ARGN})
  find_package(Protobuf REQUIRED)
  set(generated ${CMAKE_BINARY_DIR}/generated)
  string(REGEX REPLACE "\\.proto$" ".pb" stem ${generated}/${file})
  file(MAKE_DIRECTORY ${generated})
  add_custom_command(
    OUTPUT ${stem}.cc ${stem}.h
    COMMAND protobuf::protoc --proto_path=${CMAKE_SOURCE_DIR} --cpp_out=${generated} ${file}
    WORKING_DIRECTORY ${CMAKE_SOURCE_DIR}
    DEPENDS ${CMAKE_SOURCE_DIR}/${file}
    VERBATIM)
  add_custom_target(${name}_header DEPENDS ${stem}.h)
  add_dependencies(generated_headers ${name}_header)
  add_library(${name} STATIC ${stem}.cc ${stem}.h)
  target_include_directories(${name} SYSTEM PUBLIC ${generated})
  target_link_libraries(${name} PUBLIC ${PROTO_LINK} protobuf::libprotobuf-lite PRIVATE pegasus_options)
  target_compile_options(${name} PRIVATE -w)
  pegasus_compile_lightly(${name})
endfunction()

# pegasus_component(NAME SOURCES files... [LINK targets...]): a static library, one per component.
# A component without sources (headers only) is an INTERFACE library.
function(pegasus_component name)
  cmake_parse_arguments(COMPONENT "" "" "SOURCES;LINK" ${ARGN})
  if(COMPONENT_SOURCES)
    add_library(${name} STATIC ${COMPONENT_SOURCES})
    target_link_libraries(${name} PUBLIC pegasus_options ${COMPONENT_LINK})
  else()
    add_library(${name} INTERFACE)
    target_link_libraries(${name} INTERFACE pegasus_options ${COMPONENT_LINK})
  endif()
endfunction()

# For code that runs on an operator's request, or once a time slice. Full optimization of Boost.Asio, protobuf and CLI11
# would take half of the compile time of such files.
function(pegasus_compile_lightly target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:RelWithDebInfo>:-O1>)
endfunction()

# Catch2 takes three quarters of the compile time of a test's file. Its header is therefore precompiled. Tests measure
# no performance, so they are not optimized.
set(PEGASUS_NOT_OPTIMIZED "SHELL:-O0 -U_FORTIFY_SOURCE") # one option to CMake, which drops repeated ones
find_package(Catch2 REQUIRED)
if(Catch2_VERSION VERSION_LESS 3)
  add_library(pegasus_catch_main STATIC ${CMAKE_SOURCE_DIR}/cmake/catch_main.cpp)
  target_compile_options(pegasus_catch_main PRIVATE "${PEGASUS_NOT_OPTIMIZED}")
else()
  add_library(pegasus_catch_main INTERFACE)
  target_include_directories(pegasus_catch_main SYSTEM INTERFACE ${CMAKE_SOURCE_DIR}/cmake/catch2_3)
  target_link_libraries(pegasus_catch_main INTERFACE Catch2::Catch2WithMain)
endif()
add_executable(pegasus_catch_header ${CMAKE_SOURCE_DIR}/cmake/catch_header.cpp)
target_link_libraries(pegasus_catch_header PRIVATE pegasus_options pegasus_catch_main)
target_compile_options(pegasus_catch_header PRIVATE "${PEGASUS_NOT_OPTIMIZED}")
target_precompile_headers(pegasus_catch_header PRIVATE <catch2/catch.hpp>)
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  target_compile_options(pegasus_catch_header PRIVATE "SHELL:-Xclang -fno-pch-timestamp")
  # CMake's own options hide the header's path from ccache, which then cannot make it relative.
  set(CMAKE_CXX_COMPILE_OPTIONS_USE_PCH -include-pch <PCH_FILE>)
  # clang writes paths of the tree into it all the same, and no object that was compiled with it would be another clone's.
  # With CCACHE_PCH_EXTSUM ccache asks a file beside it instead what is in it: the header's text.
  set(catch_text_command ${CMAKE_CXX_COMPILER} -std=c++20 -E -P -x c++ ${CMAKE_SOURCE_DIR}/cmake/catch_text.hpp)
  if(NOT Catch2_VERSION VERSION_LESS 3)
    list(APPEND catch_text_command -I${CMAKE_SOURCE_DIR}/cmake/catch2_3)
  endif()
  execute_process(COMMAND ${catch_text_command} OUTPUT_VARIABLE catch_text COMMAND_ERROR_IS_FATAL ANY)
  string(SHA256 catch_text_sum "${catch_text}")
  file(WRITE ${CMAKE_BINARY_DIR}/CMakeFiles/pegasus_catch_header.dir/cmake_pch.hxx.pch.sum ${catch_text_sum})
  set_property(DIRECTORY ${CMAKE_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${Catch2_DIR}/Catch2ConfigVersion.cmake)
endif()

# pegasus_test(NAME SOURCES files... [LINK targets...]): a Catch2 program, one ctest test of label `unit`.
# Target unit_tests builds them all. A sanitizer build needs no other target.
add_custom_target(unit_tests)
function(pegasus_test name)
  cmake_parse_arguments(TEST "" "" "SOURCES;LINK" ${ARGN})
  add_executable(${name} ${TEST_SOURCES})
  target_link_libraries(${name} PRIVATE pegasus_options pegasus_catch_main ${TEST_LINK})
  target_compile_options(${name} PRIVATE "${PEGASUS_NOT_OPTIMIZED}")
  target_precompile_headers(${name} REUSE_FROM pegasus_catch_header)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES TIMEOUT 300 LABELS unit)
  add_dependencies(unit_tests ${name})
endfunction()
