# SPDX-License-Identifier: Apache-2.0
# Finds the CUDA Toolkit 13 once for the whole tree: PEGASUS_NVCC, PEGASUS_CUDA_ROOT, PEGASUS_CUDA_LIBRARIES.
# CUDAToolkit_ROOT selects one. ci/build always passes it, and searches more places (ci/common.sh).
set(PEGASUS_CUDA_PLACES ${CUDAToolkit_ROOT} $ENV{CUDAToolkit_ROOT} $ENV{CUDA_HOME} $ENV{CUDA_PATH})
find_program(PEGASUS_NVCC nvcc HINTS ${PEGASUS_CUDA_PLACES} PATHS /usr/local/cuda PATH_SUFFIXES bin
             DOC "The CUDA compiler of toolkit 13")
if(NOT PEGASUS_NVCC)
  message(FATAL_ERROR "nvcc was not found: install the CUDA Toolkit 13.0 (no GPU or driver is needed) or pass "
                      "-DCUDAToolkit_ROOT=<its directory>; looked in CUDAToolkit_ROOT, CUDA_HOME, CUDA_PATH "
                      "(now '${PEGASUS_CUDA_PLACES}'), PATH and /usr/local/cuda.")
endif()

# An nvcc in PATH may be a link to the toolkit's nvcc or a script that starts it. Only nvcc knows where its toolkit is.
execute_process(COMMAND ${PEGASUS_NVCC} --dryrun -x cu /dev/null
                ERROR_VARIABLE PEGASUS_NVCC_DRYRUN OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
if(NOT PEGASUS_NVCC_DRYRUN MATCHES "\n#\\$ TOP=([^\n]*)\n")
  message(FATAL_ERROR "${PEGASUS_NVCC} --dryrun does not say where its toolkit is: pass -DCUDAToolkit_ROOT=<its directory>.")
endif()
file(REAL_PATH ${CMAKE_MATCH_1} PEGASUS_CUDA_ROOT)
set(PEGASUS_CUDA_LIBRARIES ${PEGASUS_CUDA_ROOT}/lib64)
foreach(part include/cuda.h lib64/libcudart.so.13)
  if(NOT EXISTS ${PEGASUS_CUDA_ROOT}/${part})
    message(FATAL_ERROR "${PEGASUS_NVCC} belongs to no complete CUDA Toolkit 13 (${PEGASUS_CUDA_ROOT}/${part} is "
                        "missing): install the CUDA Toolkit 13.0 or pass -DCUDAToolkit_ROOT=<its directory>.")
  endif()
endforeach()
message(STATUS "CUDA Toolkit: ${PEGASUS_CUDA_ROOT}")
