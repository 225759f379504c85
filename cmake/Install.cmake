# SPDX-License-Identifier: Apache-2.0
# cmake --install build [--prefix DIR] [--component host|guest|development]
#
# Programs and libraries are installed in a separate tree, PREFIX/lib/pegasus, where programs find each other and the
# guests' libraries as in the build folder. PREFIX/bin has links to the programs that users call. In the linker's
# default path, libcuda.so.1 would replace NVIDIA's.
set(PEGASUS_TREE lib/pegasus)

install(TARGETS pegasus pegasusctl pegasusd pegasus-avcpu pegasus-sim
  RUNTIME DESTINATION ${PEGASUS_TREE}/bin COMPONENT host)
install(PROGRAMS ${CMAKE_BINARY_DIR}/bin/workloads/black_scholes ${CMAKE_BINARY_DIR}/bin/workloads/throttle # for `pegasus demo`
  DESTINATION ${PEGASUS_TREE}/bin/workloads COMPONENT host)
install(TARGETS nested-scheduler RUNTIME DESTINATION bin COMPONENT guest)
install(TARGETS cuda cudart cudart_12 cudart_11 cudart_static relink
  LIBRARY DESTINATION ${PEGASUS_TREE}/lib COMPONENT guest
  ARCHIVE DESTINATION ${PEGASUS_TREE}/lib COMPONENT guest)
get_property(jit GLOBAL PROPERTY PEGASUS_JIT_FRONTS)
install(TARGETS ${jit} LIBRARY DESTINATION ${PEGASUS_TREE}/lib/jit COMPONENT guest)

foreach(program pegasus pegasusctl pegasusd pegasus-sim)
  set(link ${CMAKE_BINARY_DIR}/links/${program})
  file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/links)
  file(CREATE_LINK ../${PEGASUS_TREE}/bin/${program} ${link} SYMBOLIC)
  install(FILES ${link} DESTINATION bin COMPONENT host)
endforeach()

# The systemd unit contains the prefix, which is known only at installation.
install(CODE "set(units \"${CMAKE_SOURCE_DIR}/docs/operators\")" COMPONENT host)
install(CODE [[
  file(READ "${units}/pegasusd.service" unit)
  string(REPLACE "/usr/" "${CMAKE_INSTALL_PREFIX}/" unit "${unit}")
  file(WRITE "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/lib/systemd/system/pegasusd.service" "${unit}")
]] COMPONENT host)

install(DIRECTORY docs LICENSES DESTINATION share/doc/pegasus COMPONENT host
  FILES_MATCHING PATTERN "*.md" PATTERN "*.svg" PATTERN "*.txt")
install(FILES README.md CHANGELOG.md SECURITY.md DESTINATION share/doc/pegasus COMPONENT host)

# For developers who write a guest's side, read the hypervisor's pages, or write a policy: -I PREFIX/include/pegasus.
foreach(component frontend/protocol xen-patches/abi policies)
  install(DIRECTORY ${component}/ DESTINATION include/pegasus/${component} COMPONENT development
    FILES_MATCHING PATTERN "*.h" PATTERN testing EXCLUDE PATTERN residency EXCLUDE)
endforeach()
install(FILES ${CMAKE_BINARY_DIR}/include/policies/interface.h DESTINATION include/pegasus/policies COMPONENT development)
