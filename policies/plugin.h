// SPDX-License-Identifier: Apache-2.0
// A policy as a plug-in: a shared object that defines pegasus_policy(). pegasus-sim, pegasusd and the conformance
// suite load it. example/las.cpp is one; README.md has the commands.
#pragma once

#include "policies/interface.h" // the build writes it: a fingerprint of the headers that both sides share
#include "policies/registry.h"

// The same headers mean the same layouts only with the same C++ library.
#if defined(_GLIBCXX_DEBUG)
#define PEGASUS_CXX_LIBRARY "libstdc++ for debugging"
#elif defined(_GLIBCXX_USE_CXX11_ABI) && _GLIBCXX_USE_CXX11_ABI
#define PEGASUS_CXX_LIBRARY "libstdc++"
#elif defined(__GLIBCXX__)
#define PEGASUS_CXX_LIBRARY "libstdc++ before C++11"
#else
#define PEGASUS_CXX_LIBRARY "another library"
#endif

extern "C" {

// The policy's row of the table. A plug-in is never unloaded: the row may be a static constant.
[[gnu::visibility("default")]] pegasus::policies::Entry const* pegasus_policy();

// What this was compiled with. Who loads a plug-in compares it with its own before it calls pegasus_policy().
[[gnu::visibility("default"), gnu::used]] inline char const* pegasus_policy_interface() {
  return "headers " PEGASUS_POLICY_HEADERS ", " PEGASUS_CXX_LIBRARY;
}

} // extern "C"
